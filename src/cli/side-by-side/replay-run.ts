import { type Problem, readEvents } from '../replay/read-events.ts';
import { createSimulation, type ReplayDecision } from '../replay/simulation.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable } from '../text.ts';
import type { Candidate } from './candidates.ts';

/** What came of reading one run. */
export type ReplayedRun = {
  readonly calls: number;
  readonly events: number;
  readonly problems: readonly Problem[];
};

/** More lines about one file tell nobody more. */
const MAX_COMPLAINTS = 3;

/** Reads a run once and feeds it to every guard, through halts; each firing is told as it falls. */
export async function replayRun(
  file: string,
  candidates: readonly Candidate[],
  terminal: Terminal,
  tell: (candidate: number, decision: ReplayDecision) => void,
): Promise<ReplayedRun> {
  const problems: Problem[] = [];
  const complaints = createComplaints(terminal);
  let line = 0;
  const simulations = candidates.map(({ name, options }) => {
    const onError = (error: unknown) => {
      problems.push('line');
      complaints.err(
        `deloop: ${printable(file)}:${line}: ${printable(name)} could not take it: ${printable(String(error))}\n`,
      );
    };
    return createSimulation({ ...options, onError });
  });
  let calls = 0;
  let events = 0;
  for await (const item of readEvents(file, complaints, (problem) => problems.push(problem))) {
    if (!('event' in item)) continue;
    line = item.line;
    events += 1;
    if (item.event.type === 'tool-call') calls += 1;
    for (const [index, simulation] of simulations.entries())
      for (const decision of simulation.feed(item.event, item.line)) tell(index, decision);
  }
  for (const [index, simulation] of simulations.entries())
    for (const decision of simulation.end()) tell(index, decision);
  const { left } = complaints;
  if (left > 0) terminal.err(`deloop: ${printable(file)}: ${counted(left, 'more problem')} like these\n`);
  return { calls, events, problems };
}

/** The terminal without a bar for each file, and with the first few complaints only. */
function createComplaints(terminal: Terminal): Terminal & { readonly left: number } {
  let told = 0;
  return {
    ...terminal,
    watched: false,
    err(text) {
      told += 1;
      if (told <= MAX_COMPLAINTS) terminal.err(text);
    },
    get left() {
      return Math.max(0, told - MAX_COMPLAINTS);
    },
  };
}
