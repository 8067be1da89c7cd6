import { type Desk, emptyDesk, isEmpty } from './desk.ts';

/** The desks of a run, by agent. */
export type Desks = {
  deskOf(agent?: string): Desk;
  /** Those on which something waits, as they are now. */
  waiting(): readonly Desk[];
  replace(desks: readonly Desk[]): void;
};

/** Agents of one run for which something waits; the oldest sub-agent is forgotten first. */
const MAX_DESKS = 64;

export function createDesks(): Desks {
  const desks = new Map<string, Desk>();
  return {
    deskOf(agent = '') {
      const known = desks.get(agent);
      if (known !== undefined) return known;
      for (const [name, desk] of desks) if (isEmpty(desk)) desks.delete(name);
      if (desks.size >= MAX_DESKS) {
        const oldest = [...desks.keys()].find((name) => name !== '');
        if (oldest !== undefined) desks.delete(oldest);
      }
      const desk = emptyDesk(agent);
      desks.set(agent, desk);
      return desk;
    },
    waiting: () => [...desks.values()].filter((desk) => !isEmpty(desk)).map((desk) => ({ ...desk })),
    replace(saved) {
      desks.clear();
      for (const desk of saved) desks.set(desk.agent, desk);
    },
  };
}
