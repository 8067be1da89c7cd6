export type { Store } from '../../stores/store.ts';
export type { Nudge } from '../desk.ts';
export type { Run } from '../run.ts';
export type { RunState } from '../run-state.ts';
export type { Answer, Question, StopReason } from '../stop-reason.ts';
export { type ClaudeAgentSdkGuard, type ClaudeAgentSdkOptions, deloop } from './deloop.ts';
