import type { Finding } from '../../core/types.ts';
import type { ReplayDecision } from '../replay/simulation.ts';

/** A stretch of a session in which one subject keeps being found. Numbers of calls and of turns, ends included. */
export type Run = {
  readonly detector: string;
  readonly subject: string;
  readonly tool: string | null;
  firstCall: number;
  lastCall: number;
  lastTurn: number;
  /** What the guard would have done in it. */
  readonly acts: Act[];
};

export type Act = Pick<ReplayDecision, 'action' | 'call' | 'message'> & {
  readonly detector: string;
  readonly subject: string;
  readonly turn: number;
};

export type Runs = {
  found(finding: Finding, evidence: readonly number[], call: number, turn: number): void;
  acted(decision: ReplayDecision, turn: number): void;
  /** Those in which the guard would have acted, in the order of their first calls; what overlaps is one. */
  loops(): readonly Run[];
};

/** A subject that was not found for so long is not the same loop any more, in calls. */
const GAP = 24;
const MAX_OPEN = 64;

/** Follows what is found through a session. Budgets and the like are no loops, but what a guard does about them shows. */
export function createRuns(): Runs {
  const open = new Map<string, Run>();
  const over: Run[] = [];

  function close(key: string, run: Run): void {
    open.delete(key);
    if (run.acts.length > 0) over.push(run);
  }

  return {
    found(finding, evidence, call, turn) {
      const { detector, subject, facts } = finding;
      const key = `${detector}\n${subject}`;
      const first = Math.max(1, Math.min(call, ...evidence));
      const known = open.get(key);
      if (known !== undefined && first <= known.lastCall + GAP) {
        known.lastCall = Math.max(known.lastCall, call);
        known.lastTurn = turn;
        return;
      }
      if (known !== undefined) close(key, known);
      const tool = facts?.['tool'];
      open.set(key, {
        detector,
        subject,
        tool: typeof tool === 'string' ? tool : null,
        firstCall: first,
        lastCall: Math.max(1, call),
        lastTurn: turn,
        acts: [],
      });
      const [oldest] = open;
      if (open.size > MAX_OPEN && oldest !== undefined) close(...oldest);
    },
    acted({ action, call, message, detector, subject }, turn) {
      open.get(`${detector}\n${subject}`)?.acts.push({ action, call, message, detector, subject, turn });
    },
    loops() {
      for (const [key, run] of [...open]) close(key, run);
      const sorted = over.sort(
        (one, other) => one.firstCall - other.firstCall || one.lastCall - other.lastCall,
      );
      const loops: Run[] = [];
      for (const run of sorted) {
        const last = loops.at(-1);
        if (last === undefined || run.firstCall > last.lastCall) loops.push(run);
        else loops[loops.length - 1] = merged(last, run);
      }
      return loops;
    },
  };
}

/** Two that overlap are one, named after the one in which the guard would have acted first. */
function merged(one: Run, other: Run): Run {
  const acts = [...one.acts, ...other.acts].sort((a, b) => a.call - b.call);
  const named = acts[0]?.detector === one.detector && acts[0]?.subject === one.subject ? one : other;
  return {
    detector: named.detector,
    subject: named.subject,
    tool: named.tool,
    firstCall: Math.min(one.firstCall, other.firstCall),
    lastCall: Math.max(one.lastCall, other.lastCall),
    lastTurn: Math.max(one.lastTurn, other.lastTurn),
    acts,
  };
}
