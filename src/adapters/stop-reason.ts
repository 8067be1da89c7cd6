import type { Intervention, Level } from '../core/types.ts';

/** Why deloop stopped an agent, as plain data that can be logged, stored and compared. */
export type StopReason = {
  readonly by: 'deloop';
  /** `ask` = a person was asked and said no, or has not answered yet. */
  readonly action: 'ask' | 'halt';
  readonly level?: Level;
  readonly detector: string;
  /** What repeats: a tool, or a tool with a digest of its arguments. Never a payload. */
  readonly subject: string;
  readonly count: number;
  /** Numbers of calls, from 1; the last 16 at most. */
  readonly evidence: readonly number[];
  readonly message: string;
  readonly call: number;
  readonly agent?: string;
  readonly session?: string;
};

/** What a person is asked. */
export type Question = StopReason & {
  readonly action: 'ask';
  /** The question itself; the `message` is what the model is told after a no. */
  readonly prompt: string;
  /** Iterations that may be granted, where the guard counts them. */
  readonly continuations?: readonly number[];
  /** Ids of the calls that wait for the answer. */
  readonly held?: readonly string[];
};

/** `true` = go on, `false` or 0 = stop; a number = go on, and a limit is raised by so much; repeats stay counted. */
export type Answer = boolean | number;

/** The decision as a reason to stop. */
export function stopReasonOf(
  { level, message, finding, call, agent }: Intervention,
  action: 'ask' | 'halt',
  session: string | undefined,
): StopReason {
  const { detector, subject, count, evidence } = finding;
  return {
    by: 'deloop',
    action,
    ...(level && { level }),
    detector,
    subject,
    count,
    evidence,
    message,
    call,
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
  };
}

export function questionOf(decision: Intervention, session: string | undefined): Question {
  const { finding, message, prompt = message } = decision;
  const continuations = finding.facts?.['continuations'];
  return {
    ...stopReasonOf(decision, 'ask', session),
    action: 'ask',
    prompt,
    ...(isNumbers(continuations) && { continuations }),
  };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}
