import type { Usage } from '../../core/types.ts';
import { moreThan, plus } from './usage.ts';

/**
 * What a session uses, for its sub-agents: all tokens count for the main agent, but while a sub-agent works that one only waits,
 * so a budget must be able to stop the sub-agent.
 */
export type Tokens = {
  spent(usage: Usage): void;
  /** What the session has used since the sub-agent was told last; for one that is new, since a person wrote. */
  takeFor(agent: string | undefined): Usage | undefined;
  /** A person has written. */
  begin(): void;
};

const NONE: Usage = { input: 0, output: 0, cachedInput: 0 };
const MAX_AGENTS = 64;

export function createTokens(): Tokens {
  const told = new Map<string, Usage>();
  let total = NONE;
  let start = NONE;
  return {
    spent(usage) {
      total = plus(total, usage);
    },
    takeFor(agent) {
      if (agent === undefined) return undefined;
      const before = told.get(agent) ?? start;
      told.delete(agent);
      told.set(agent, total);
      if (told.size > MAX_AGENTS) {
        told.delete(told.keys().next().value as string);
        // Whoever is forgotten must not be told the same again.
        start = total;
      }
      return before === total ? undefined : (moreThan(before, total) ?? undefined);
    },
    begin() {
      start = total;
    },
  };
}
