import type { Board, SwarmScope } from '../stores/board.ts';
import { boardOf } from '../stores/board-of.ts';
import { newId } from '../stores/new-id.ts';
import type { Store } from '../stores/store.ts';
import { createLine, type Line } from './line.ts';

/** All that this process has to tell the swarms of one tenant: guards of one swarm in one store share a line, and so a script. */
export type Lines = {
  readonly board: Board;
  /** `windowMs` = for a new swarm. */
  of(scope: SwarmScope, windowMs: number): Line;
};

/** Beyond so many, those that have nothing to tell are forgotten; whoever holds one goes on with it. */
const MAX_LINES = 256;
const known = new WeakMap<Store, Map<string, Lines>>();

export function linesOf(store: Store, tenant: string): Lines {
  const tenants = known.get(store) ?? new Map<string, Lines>();
  known.set(store, tenants);
  const lines = tenants.get(tenant) ?? createLines(boardOf(store, { tenant }));
  tenants.set(tenant, lines);
  return lines;
}

function createLines(board: Board): Lines {
  const lines = new Map<SwarmScope, Line>();
  return {
    board,
    of(scope, windowMs) {
      const line = lines.get(scope) ?? createLine({ board, scope, member: newId(), windowMs });
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
