import type { Action } from '../../core/types.ts';
import type { LoggedDecision, LoggedProblem, LoggedRefusal, LogLine } from '../hook/log-file.ts';

export type LoggedAnswer = LoggedDecision | LoggedRefusal;

/** What a guard did in one session. */
export type SessionLog = {
  readonly host: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** The oldest first. */
  readonly answers: readonly LoggedAnswer[];
  /** Calls that did not run. */
  readonly refused: number;
  /** Calls that would not have run: the guard was in shadow. */
  readonly spared: number;
  /** The guard wanted the run to end, and not in shadow. */
  readonly halted: boolean;
  /** The file in which the host wrote the session down, where it is known. */
  readonly transcript: string | undefined;
};

export type LogReport = {
  /** The most recent first. */
  readonly sessions: readonly SessionLog[];
  readonly problems: readonly LoggedProblem[];
};

export type Strength = Exclude<Action, 'observe'>;
/** The weakest first. */
export const STRENGTHS: readonly Strength[] = ['nudge', 'block', 'ask', 'halt'];

/** Lines of the log, by session. */
export function reportOf(lines: readonly LogLine[]): LogReport {
  const answers = lines.filter((line): line is LoggedAnswer => line.type !== 'problem');
  const bySession = new Map<string, LoggedAnswer[]>();
  for (const answer of answers) {
    const key = `${answer.host}\n${answer.session}`;
    const known = bySession.get(key);
    if (known === undefined) bySession.set(key, [answer]);
    else known.push(answer);
  }
  return {
    sessions: [...bySession.values()].map(sessionLog).sort((one, other) => other.to - one.to),
    problems: lines.filter((line) => line.type === 'problem'),
  };
}

/** Whether anything was done that is at least so strong. What a guard in shadow would have done was not done. */
export function reaches({ answers }: SessionLog, least: Strength): boolean {
  return answers.some((answer) => isDone(answer) && strengthOf(answer) >= STRENGTHS.indexOf(least));
}

export function isDone(answer: LoggedAnswer): boolean {
  return answer.type === 'refusal' || answer.mode !== 'shadow';
}

function strengthOf(answer: LoggedAnswer): number {
  const action = answer.type === 'refusal' ? answer.did : answer.action;
  return STRENGTHS.indexOf(action as Strength);
}

function sessionLog(answers: readonly LoggedAnswer[]): SessionLog {
  const [first] = answers as readonly [LoggedAnswer];
  const { host, session, at: from } = first;
  const shadow = answers.filter((answer) => !isDone(answer) && strengthOf(answer) > 0);
  return {
    host,
    session,
    from,
    to: (answers.at(-1) as LoggedAnswer).at,
    answers,
    refused: calls(answers.filter(({ refused }) => refused === true)),
    spared: calls(shadow),
    halted: answers.some((answer) => isDone(answer) && strengthOf(answer) === STRENGTHS.length - 1),
    transcript: answers.findLast(({ transcript }) => transcript !== undefined)?.transcript,
  };
}

/** How many calls some answers are about. */
function calls(answers: readonly LoggedAnswer[]): number {
  return new Set(answers.map(({ agent, call }) => `${agent ?? ''}\n${call}`)).size;
}
