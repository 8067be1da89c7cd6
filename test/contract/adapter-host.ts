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
} from '../../src/testing/adapter-host.ts';
