import type { Hooks } from '../../core/checked-guard.ts';
import type { Guard } from '../../core/guard.ts';
import type { Finding, Json } from '../../core/types.ts';
import type { Sink } from '../../transcripts/format.ts';
import { simulationOn } from '../replay/simulation.ts';
import { callLabel } from '../scan/redaction.ts';

/** How far one detector has counted in one session. */
export type Reached = {
  /** The greatest count, and the call at which it was reached. */
  readonly count: number;
  readonly call: number;
  readonly tool: string | null;
  /** What the call was about, shortened. */
  readonly label: string;
  /** The greatest counts of each subject. */
  readonly subjects: readonly number[];
};

export type SessionCounts = {
  readonly sink: Sink;
  finish(): {
    readonly session: string | null;
    readonly calls: number;
    readonly reached: ReadonlyMap<string, Reached>;
  };
};

type Counting = { finding: Finding; call: number; label: string; readonly subjects: Map<string, number> };

/** Subjects of one detector that are told apart in one session. */
const MAX_SUBJECTS = 4096;

/** Replays one session and keeps how far each detector has counted. Only calls of `labelled` are put into words. */
export function createSessionCounts(
  makeGuard: (hooks: Hooks) => Guard,
  labelled: string | undefined,
): SessionCounts {
  const counted = new Map<string, Counting>();
  let session: string | null = null;
  let args: Json = null;

  function found(finding: Finding): void {
    const { detector, subject, count, evidence } = finding;
    const known = counted.get(detector);
    const subjects = known?.subjects ?? new Map<string, number>();
    if (subjects.has(subject) || subjects.size < MAX_SUBJECTS)
      subjects.set(subject, Math.max(subjects.get(subject) ?? 0, count));
    if (known !== undefined && known.finding.count >= count) return;
    const last = evidence.at(-1);
    const call = last === undefined ? simulation.calls : simulation.inTrace(last);
    const label = detector === labelled ? callLabel(args, 'outputs') : '';
    counted.set(detector, { finding, call, label, subjects });
  }

  const simulation = simulationOn(
    (onDecision) =>
      makeGuard({
        onDecision,
        onFindings(findings) {
          for (const finding of findings) found(finding);
        },
      }),
    false,
  );

  return {
    sink: {
      event(event, line) {
        if (event.type === 'tool-call') args = event.args;
        simulation.feed(event, line);
      },
      facts(facts) {
        session = facts.session ?? session;
      },
      problem() {},
    },
    finish() {
      simulation.end();
      const reached = new Map<string, Reached>();
      for (const [name, { finding, call, label, subjects }] of counted) {
        const tool = finding.facts?.['tool'];
        reached.set(name, {
          count: finding.count,
          call,
          tool: typeof tool === 'string' ? tool : null,
          label,
          subjects: [...subjects.values()],
        });
      }
      return { session, calls: simulation.calls, reached };
    },
  };
}
