import { type Board, NO_CONTROL, type Note, type SwarmScope } from '../stores/board.ts';
import { boardOf } from '../stores/board-of.ts';
import { newId } from '../stores/new-id.ts';
import type { Store } from '../stores/store.ts';
import { createLine, type Line, type LineMetrics } from './line.ts';

/** All that this process has to tell the swarms of one tenant: guards of one swarm in one store share a line, and so a script. */
export type Lines = {
  readonly board: Board;
  /** `windowMs` = for a new swarm. */
  of(scope: SwarmScope, windowMs: number): Line;
};

/** Beyond so many, those that have nothing to tell are forgotten; whoever holds one goes on with it. */
const MAX_LINES = 256;
/** So many scripts of a swarm may be on their way at once: while one is run, another's answer is read. */
const LANES = 2;

const known = new WeakMap<Store, Map<string, Lines>>();

export function linesOf(store: Store, tenant: string): Lines {
  const tenants = known.get(store) ?? new Map<string, Lines>();
  known.set(store, tenants);
  // Where a swarm is the state of a session, two changes at once are in each other's way.
  const lanes = store.board === undefined ? 1 : LANES;
  const lines = tenants.get(tenant) ?? createLines(boardOf(store, { tenant }), lanes);
  tenants.set(tenant, lines);
  return lines;
}

function createLines(board: Board, lanes: number): Lines {
  const lines = new Map<SwarmScope, Line>();

  function open(scope: SwarmScope, windowMs: number): Line {
    const order = { control: NO_CONTROL };
    const create = () => createLine({ board, scope, member: newId(), windowMs, order });
    return lanes === 1 ? create() : sideBySide(Array.from({ length: lanes }, create));
  }

  return {
    board,
    of(scope, windowMs) {
      const line = lines.get(scope) ?? open(scope, windowMs);
      lines.delete(scope);
      lines.set(scope, line);
      if (lines.size > MAX_LINES) {
        const idle = [...lines].find(([, { isIdle }]) => isIdle);
        if (idle !== undefined && idle[1] !== line) lines.delete(idle[0]);
      }
      return line;
    },
  };
}

/** Lines as one: what a worker tells stays in order, because it always takes the same. */
function sideBySide(lanes: readonly Line[]): Line {
  const laneOf = ([note]: readonly Note[]) => lanes[numberOf(note?.worker ?? '') % lanes.length] as Line;
  return {
    tell: (notes, waitMs, hear) => laneOf(notes).tell(notes, waitMs, hear),
    later: (notes) => laneOf(notes).later(notes),
    async flush() {
      const done = await Promise.all(lanes.map((lane) => lane.flush()));
      return done.every(Boolean);
    },
    get problem() {
      return lanes.find(({ problem }) => problem !== null)?.problem ?? null;
    },
    get isIdle() {
      return lanes.every(({ isIdle }) => isIdle);
    },
    get metrics() {
      return lanes.map(({ metrics }) => metrics).reduce(sum);
    },
  };
}

/** Names that follow on each other, as those of workers often do, give different ones. */
function numberOf(name: string): number {
  let number = 0;
  for (let at = 0; at < name.length; at++) number += name.charCodeAt(at);
  return number;
}

function sum(first: LineMetrics, second: LineMetrics): LineMetrics {
  return {
    told: first.told + second.told,
    counted: first.counted + second.counted,
    roundTrips: first.roundTrips + second.roundTrips,
    failures: first.failures + second.failures,
    local: first.local + second.local,
    waiting: first.waiting + second.waiting,
    dropped: first.dropped + second.dropped,
    up: first.up && second.up,
  };
}
