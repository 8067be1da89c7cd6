import type { ReplayDecision } from '../replay/simulation.ts';

/** What is worth a line: a session begins to go round in circles, or does so worse than before. */
export type NewsType = 'loop' | 'escalation';

const STRENGTH = ['nudge', 'block', 'ask', 'halt'];
/** After so many calls in peace it is another loop. */
const GAP = 24;

/** Tells which of a session's decisions are news. */
export function createLoopNews(): (decision: ReplayDecision) => NewsType | null {
  let strongest = -1;
  let last = Number.NEGATIVE_INFINITY;
  return ({ call, action }) => {
    const strength = STRENGTH.indexOf(action);
    const begins = call - last > GAP;
    last = call;
    if (!begins && strength <= strongest) return null;
    strongest = strength;
    return begins ? 'loop' : 'escalation';
  };
}
