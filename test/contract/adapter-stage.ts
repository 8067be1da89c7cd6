export {
  type Act,
  actionsOf,
  callOf,
  play,
  REPORT,
  stage,
  type Told,
  wasSent,
} from '../../src/testing/adapter-stage.ts';
