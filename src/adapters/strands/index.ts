export type { Store } from '../../stores/store.ts';
export type { Nudge } from '../desk.ts';
export { findLoopHalted, isLoopHalted, LoopHalted } from '../loop-halted.ts';
export type { Run } from '../run.ts';
export type { RunState } from '../run-state.ts';
export type { Answer, Question, StopReason } from '../stop-reason.ts';
export type { WatchOptions } from '../watch.ts';
export { deloop, type StrandsGuard, type StrandsOptions } from './deloop.ts';
