import { DeloopError } from '../core/errors.ts';
import { resembles } from '../core/snapshot.ts';
import type { Json } from '../core/types.ts';
import { type Board, NO_CONTROL, type SwarmScope, type SwarmState } from './board.ts';
import { newId } from './new-id.ts';
import type { Store } from './store.ts';
import { createTallies, type Tallies } from './tallies.ts';

export type BoardOptions = {
  /** Whose swarms these are, in a store that knows no tenants. Default `default`. */
  readonly tenant?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
};

const SHAPE = {
  version: 1,
  half: 0,
  born: '',
  epoch: 0,
  active: [0, 0],
  totals: [0, 0, 0, 0],
  control: NO_CONTROL,
  depths: [[0, 0, 0, 0]],
  agents: [['', 0, 0, 0]],
  members: [['', 0]],
  records: [{ key: '', tally: [0], first: '', outcomes: '', names: [''], said: '', workers: [['', 0, 0]] }],
};
const ANSWERS = [['', 0, [0]]];
const TALLY = 13;

/** A saved swarm; null = nothing was saved; throws when it is something else. */
export function parseSwarm(saved: unknown): SwarmState | null {
  if (saved === null || saved === undefined) return null;
  const state = saved as unknown as SwarmState;
  if (
    !resembles(saved as Json, SHAPE) ||
    (state.answers !== undefined && !resembles(state.answers, ANSWERS)) ||
    state.records.some(({ tally }) => tally.length !== TALLY)
  )
    throw new DeloopError('state', 'this is no checkpoint of a swarm');
  return state;
}

/** The board of a store: its own, or one that keeps each swarm as the state of a session. */
export function boardOf(store: Store, { tenant = 'default', now = Date.now }: BoardOptions = {}): Board {
  if (store.board !== undefined) return store.board;
  // The length tells where a tenant's name ends, whatever it is.
  const start = `swarm ${tenant.length} ${tenant} `;
  const sessionOf = (scope: SwarmScope) => (scope === null ? `tenant ${tenant}` : start + scope);

  function change<Answer>(scope: SwarmScope, act: (tallies: Tallies) => Answer): Promise<Answer> {
    return store.update(sessionOf(scope), (saved) => {
      const tallies = createTallies(parseSwarm(saved), newId);
      const answer = act(tallies);
      return [tallies.toJSON() as unknown as Json, answer];
    });
  }

  return {
    tell: (scope, request) => change(scope, (tallies) => tallies.tell(request, now())),
    steer: (scope, order) => change(scope, (tallies) => tallies.steer(order, now())),
    async read(scope) {
      const known = (await store.list()).some(({ session }) => session === sessionOf(scope));
      return known ? change(scope, (tallies) => tallies.toJSON()) : null;
    },
    write: (scope, state) => store.update(sessionOf(scope), () => [state as unknown as Json, undefined]),
    clear: (scope) => change(scope, (tallies) => tallies.clear()),
    async swarms() {
      return (await store.list()).flatMap(({ session, updatedAt }) =>
        session.startsWith(start) ? [{ swarm: session.slice(start.length), updatedAt }] : [],
      );
    },
  };
}
