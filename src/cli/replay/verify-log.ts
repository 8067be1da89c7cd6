import type { Format } from '../../transcripts/format.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable } from '../text.ts';
import { readEvents } from './read-events.ts';
import { type ReplayOptions, replay, type TraceEvent } from './replay-file.ts';
import type { ReplayDecision } from './simulation.ts';
import { type DecisionKey, type LoggedDecision, toLogged, type Verdict, verify } from './verify.ts';

/** A log of decisions is a trace, whatever its lines look like. */
const NOTHING_ELSE: readonly Format[] = [];

/** Holds the decisions of a log against the guard; the events come from `traceFile`, or else from the log itself. */
export async function verifyLog(
  log: string,
  traceFile: string | undefined,
  options: ReplayOptions,
  terminal: Terminal,
  json: boolean,
): Promise<ExitStatus> {
  let problems = 0;
  const problem = () => {
    problems += 1;
  };
  const logged: LoggedDecision[] = [];
  const ownEvents: TraceEvent[] = [];
  for await (const item of readEvents(log, terminal, problem, NOTHING_ELSE)) {
    if ('event' in item) {
      if (traceFile === undefined) ownEvents.push(item);
      continue;
    }
    const decision = toLogged(item.record);
    if (typeof decision === 'string') {
      problem();
      terminal.err(`deloop: ${printable(log)}:${item.line}: ${printable(decision)}; the line is skipped\n`);
    } else if (decision !== null) logged.push(decision);
  }
  const file = traceFile ?? log;
  const simulated: ReplayDecision[] = [];
  const events = traceFile === undefined ? ownEvents : eventsOf(traceFile, terminal, problem);
  await replay(events, options, (decision) => {
    simulated.push(decision);
  });
  const verdict = verify(simulated, ofFile(logged, file));
  await terminal.out(
    json ? `${JSON.stringify({ file, type: 'verify', ...verdict })}\n` : verdictText(file, verdict),
  );
  if (problems > 0) return EXIT.unreadable;
  return verdict.coherent ? EXIT.ok : EXIT.found;
}

async function* eventsOf(
  file: string,
  terminal: Terminal,
  problem: () => void,
): AsyncGenerator<TraceEvent, void, void> {
  for await (const item of readEvents(file, terminal, problem)) if ('event' in item) yield item;
}

/** A log of several files, as `replay --json` prints it, is asked for the one at hand. */
function ofFile(logged: readonly LoggedDecision[], file: string): readonly LoggedDecision[] {
  return logged.filter((decision) => decision.file === undefined || decision.file === file);
}

function verdictText(file: string, { coherent, actions, missing, extra }: Verdict): string {
  const rows = Object.entries(actions)
    .filter(([, { simulated, logged }]) => simulated + logged > 0)
    .map(
      ([action, { simulated, logged }]) => `  ${action.padEnd(6)} ${simulated} simulated, ${logged} logged\n`,
    );
  const verdict = coherent ? 'coherent: the log says what the guard decides' : 'NOT coherent';
  return [
    `${printable(file)}: ${verdict}\n`,
    ...rows,
    ...listed('missing from the log', missing),
    ...listed('only in the log', extra),
  ].join('');
}

function listed(title: string, decisions: readonly DecisionKey[]): readonly string[] {
  if (decisions.length === 0) return [];
  const lines = decisions.map(
    ({ call, action, detector }) => `    call ${call}: ${action} (${printable(detector)})\n`,
  );
  return [`  ${counted(decisions.length, 'decision')} ${title}:\n`, ...lines];
}
