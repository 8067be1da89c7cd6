import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent, Context, FunctionTool, Item } from './shapes.ts';

/** What a guard does when it hears of an agent in one of its runs. */
export type Follower = {
  started(agent: Agent, context: Context): void;
  calls(agent: Agent, context: Context, tool: object, toolCall: Item | undefined): void;
  ended(agent: Agent, context: Context): void;
  /** A tool that stays the same object, as this guard has it: over `own`. */
  lent(tool: object, own: FunctionTool): FunctionTool;
};

/** One for all guards: until Node 24 every storage takes time with each promise of the process, and is never let go. */
const all = new AsyncLocalStorage<ReadonlyMap<Follower, unknown>>();
const NONE: readonly Follower[] = [];

/** The guards that something happens under. */
export function guardsHere(): Iterable<Follower> {
  return all.getStore()?.keys() ?? NONE;
}

/** Where something happens, for one guard. */
export type Places<Place> = {
  readonly here: Place | undefined;
  /** Runs this there. */
  run<Result>(place: Place, call: () => Result): Result;
  /** All that follows happens there. */
  enter(place: Place): void;
};

export function createPlaces<Place>(guard: Follower): Places<Place> {
  const at = (place: Place) => new Map(all.getStore()).set(guard, place);
  return {
    get here() {
      return all.getStore()?.get(guard) as Place | undefined;
    },
    run: (place, call) => all.run(at(place), call),
    enter: (place) => all.enterWith(at(place)),
  };
}
