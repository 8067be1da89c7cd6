export type { Ability, Inabilities } from './abilities.ts';
export type {
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
export type { Case } from './detector-runs.ts';
export type { Runner } from './runner.ts';
export { testAdapter } from './test-adapter.ts';
export { type DetectorSuite, testDetector } from './test-detector.ts';
export { testPreset } from './test-preset.ts';
export { type StoreOptions, type StoreSuite, testStore } from './test-store.ts';
