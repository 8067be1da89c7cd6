import type { TraceRecord } from '../../transcripts/trace.ts';
import type { ReplayDecision } from './simulation.ts';

const ACTIONS = ['nudge', 'block', 'ask', 'halt'] as const;
type ActionName = (typeof ACTIONS)[number];

/** What identifies a decision in a log and in a simulation. */
export type DecisionKey = { readonly call: number; readonly action: ActionName; readonly detector: string };
export type LoggedDecision = DecisionKey & { readonly file?: string };

export type Verdict = {
  /** Everything that the guard would have decided is in the log, and no halt besides. */
  readonly coherent: boolean;
  readonly actions: {
    readonly [Name in ActionName]: { readonly simulated: number; readonly logged: number };
  };
  /** Simulated, but not logged. */
  readonly missing: readonly DecisionKey[];
  /** Logged, but not simulated. */
  readonly extra: readonly DecisionKey[];
};

/** A line of a log as a decision; null when it is something else, a text when it is a broken one. */
export function toLogged(record: TraceRecord): LoggedDecision | string | null {
  const { type, call, action, detector, file } = record;
  if (type !== undefined && type !== 'decision') return null;
  if (action === 'observe' || action === 'allow') return null;
  const name = ACTIONS.find((known) => known === action);
  if (name === undefined)
    return `action is ${JSON.stringify(action)}; it must be one of ${ACTIONS.join(', ')}`;
  if (typeof call !== 'number') return 'a decision needs the number of its call';
  if (typeof detector !== 'string') return 'a decision needs the name of its detector';
  return { call, action: name, detector, ...(typeof file === 'string' ? { file } : {}) };
}

/**
 * Compares a log with what the guard decides. More nudges, blocks and questions than simulated are tolerated, halts are not;
 * nudges are held against the log only if it has any: many hosts log just what they enforced.
 */
export function verify(simulated: readonly ReplayDecision[], logged: readonly LoggedDecision[]): Verdict {
  const left = new Map<string, number>();
  for (const decision of logged) add(left, keyOf(decision), 1);
  const missing: DecisionKey[] = [];
  for (const decision of simulated) {
    if ((left.get(keyOf(decision)) ?? 0) > 0) add(left, keyOf(decision), -1);
    else missing.push(bare(decision));
  }
  const extra: DecisionKey[] = [];
  for (const decision of logged.toReversed()) {
    if ((left.get(keyOf(decision)) ?? 0) === 0) continue;
    add(left, keyOf(decision), -1);
    extra.unshift(bare(decision));
  }
  const logsNudges = logged.some(({ action }) => action === 'nudge');
  const complete = missing.every(({ action }) => action === 'nudge' && !logsNudges);
  const counts = ACTIONS.map((action) => [
    action,
    { simulated: countOf(simulated, action), logged: countOf(logged, action) },
  ]);
  return {
    coherent: complete && extra.every(({ action }) => action !== 'halt'),
    actions: Object.fromEntries(counts) as Verdict['actions'],
    missing,
    extra,
  };
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function keyOf({ call, action, detector }: DecisionKey): string {
  return `${call} ${action} ${detector}`;
}

function bare({ call, action, detector }: DecisionKey): DecisionKey {
  return { call, action, detector };
}

function countOf(decisions: readonly DecisionKey[], action: ActionName): number {
  return decisions.filter((decision) => decision.action === action).length;
}
