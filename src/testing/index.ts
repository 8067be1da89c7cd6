export type {
  Ability,
  AdapterHost,
  Ending,
  HostSession,
  HostSetup,
  ModelRequest,
  ScriptedCall,
  ScriptedModel,
  ScriptedTool,
  ScriptedTurn,
} from './adapter-host.ts';
export { type Runner, testAdapter } from './test-adapter.ts';
