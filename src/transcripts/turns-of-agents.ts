import type { Sink } from './format.ts';
import { createModels } from './models.ts';
import { createTurns, type Turns } from './turns.ts';

/** The responses of all agents that write into one transcript. */
export type TurnsOfAgents = {
  /** Of the main agent, where no id is given. */
  of(agent: string | undefined): Turns;
  close(): void;
};

/** So many sub-agents may have an open response at a time. */
const MAX_AGENTS = 64;

/**
 * Sub-agents that work side by side keep their responses open side by side. Between the main agent and its sub-agents
 * the order stays: a response of the one is passed on before the other says anything.
 */
export function createTurnsOfAgents(sink: Sink): TurnsOfAgents {
  const models = createModels(sink);
  const main = createTurns(sink, models);
  const others = new Map<string, Turns>();
  let mainSpeaks = true;

  function closeOthers(): void {
    for (const turns of others.values()) turns.close();
  }

  function other(agent: string): Turns {
    const known = others.get(agent);
    if (known !== undefined) return known;
    const turns = createTurns(sink, models);
    others.set(agent, turns);
    if (others.size > MAX_AGENTS) {
      const [oldest, oldestTurns] = others.entries().next().value as [string, Turns];
      oldestTurns.close();
      others.delete(oldest);
    }
    return turns;
  }

  return {
    of(agent) {
      if (agent === undefined) {
        if (!mainSpeaks) closeOthers();
        mainSpeaks = true;
        return main;
      }
      if (mainSpeaks) main.close();
      mainSpeaks = false;
      return other(agent);
    },
    close() {
      main.close();
      closeOthers();
    },
  };
}
