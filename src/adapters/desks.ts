import { type Desk, emptyDesk, isEmpty } from './desk.ts';

/** The desks of a run, by agent. */
export type Desks = Map<string, Desk>;

/** Agents of one run for which something waits; the oldest sub-agent is forgotten first. */
const MAX_DESKS = 64;

/** That of an agent which had none. */
export function newDesk(desks: Desks, agent: string): Desk {
  for (const [name, desk] of desks) if (isEmpty(desk)) desks.delete(name);
  if (desks.size >= MAX_DESKS) {
    const oldest = [...desks.keys()].find((name) => name !== '');
    if (oldest !== undefined) desks.delete(oldest);
  }
  const desk = emptyDesk(agent);
  desks.set(agent, desk);
  return desk;
}

/** Those on which something waits, as they are now. */
export function waitingIn(desks: Desks): readonly Desk[] {
  return [...desks.values()].filter((desk) => !isEmpty(desk)).map((desk) => ({ ...desk }));
}

export function replaceIn(desks: Desks, saved: readonly Desk[]): void {
  desks.clear();
  for (const desk of saved) desks.set(desk.agent, desk);
}
