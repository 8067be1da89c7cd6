import { AsyncLocalStorage } from 'node:async_hooks';

/** One for all guards: until Node 24 every storage takes time with each promise of the process, and is never let go. */
const all = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** Where something happens, for one guard. */
export type Places<Place> = {
  readonly here: Place | undefined;
  /** Runs this there. */
  run<Result>(place: Place, call: () => Result): Result;
  /** All that follows happens there. */
  enter(place: Place): void;
};

export function createPlaces<Place>(): Places<Place> {
  const guard = {};
  const at = (place: Place) => new Map(all.getStore()).set(guard, place);
  return {
    get here() {
      return all.getStore()?.get(guard) as Place | undefined;
    },
    run: (place, call) => all.run(at(place), call),
    enter: (place) => all.enterWith(at(place)),
  };
}
