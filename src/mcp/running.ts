import type { Json } from '../core/types.ts';

/** A call that the guard was asked about, under an id that no other has. */
export type GuardedCall = {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  readonly at: number;
};

/** A call that is on its way, with what the model is to be told when its result comes. */
export type Running = { readonly call: GuardedCall; readonly nudge: string | null };

/** What is done with the answer to a request. */
export type Pending = Running | 'tool-list';
