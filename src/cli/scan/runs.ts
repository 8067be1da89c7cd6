import type { Finding } from '../../core/types.ts';
import type { ReplayDecision } from '../replay/simulation.ts';

/** A stretch of a session in which one subject keeps being found. Numbers of calls and of turns, ends included. */
type Run = {
  /** Empty = the main agent. */
  readonly agent: string;
  readonly detector: string;
  readonly subject: string;
  readonly tool: string | null;
  firstCall: number;
  lastCall: number;
  /** Found in calls or their results, not in texts alone. */
  hasCalls: boolean;
  lastTurn: number;
  /** The first thing that the guard would have done in it, and the strongest; null = nothing. */
  first: Act | null;
  strongest: Act | null;
};

type Act = Pick<ReplayDecision, 'action' | 'call' | 'message'> & {
  readonly detector: string;
  readonly subject: string;
  readonly turn: number;
  /** The call, in readable form. */
  readonly example: string;
};
/** One in which the guard would have acted. */
export type LoopRun = Run & { readonly first: Act; readonly strongest: Act };

export type Runs = {
  /** `call` = the one it was found at; 0 = before the first. `agent` = whose; `hasCalls` = in a call or its result. */
  found(finding: Finding, evidence: readonly number[], at: Place): void;
  /** `label` = of a call, in readable form. */
  acted(decision: ReplayDecision, at: Pick<Place, 'agent' | 'turn'>, label: (call: number) => string): void;
  /** Those in which the guard would have acted, in the order of their first calls; what overlaps is one. */
  loops(): readonly LoopRun[];
};

type Place = {
  readonly agent: string;
  readonly call: number;
  readonly turn: number;
  readonly inCall: boolean;
};

/** A subject that was not found for so long is not the same loop any more, in calls. */
const GAP = 24;
const MAX_OPEN = 64;
const STRENGTH = ['nudge', 'block', 'ask', 'halt'];

/** Follows what is found through a session. Budgets and the like are no loops, but what a guard does about them shows. */
export function createRuns(): Runs {
  const open = new Map<string, Run>();
  const over: LoopRun[] = [];

  function close(key: string, run: Run): void {
    open.delete(key);
    if (isLoop(run)) over.push(run);
  }

  return {
    found(finding, evidence, { agent, call, turn, inCall }) {
      const { detector, subject, facts } = finding;
      const key = keyOf(agent, detector, subject);
      const first = startOf(evidence, call);
      const known = open.get(key);
      if (known !== undefined && call <= known.lastCall + GAP) {
        known.lastCall = Math.max(known.lastCall, call);
        known.hasCalls ||= inCall;
        known.lastTurn = turn;
        return;
      }
      if (known !== undefined) close(key, known);
      const tool = facts?.['tool'];
      open.set(key, {
        agent,
        detector,
        subject,
        tool: typeof tool === 'string' ? tool : null,
        firstCall: first,
        lastCall: call,
        hasCalls: inCall,
        lastTurn: turn,
        first: null,
        strongest: null,
      });
      const [oldest] = open;
      if (open.size > MAX_OPEN && oldest !== undefined) close(...oldest);
    },
    acted({ action, call, message, detector, subject }, { agent, turn }, label) {
      const run = open.get(keyOf(agent, detector, subject));
      if (run === undefined) return;
      const act = { action, call, message, detector, subject, turn };
      if (run.first === null) {
        run.first = { ...act, example: label(call) };
        run.strongest = run.first;
      } else if (isStronger(act, run.strongest)) run.strongest = { ...act, example: '' };
    },
    loops() {
      for (const [key, run] of [...open]) close(key, run);
      const sorted = over.sort(
        (one, other) => one.firstCall - other.firstCall || one.lastCall - other.lastCall,
      );
      const loops: LoopRun[] = [];
      for (const run of sorted) {
        const last = loops.findLastIndex(({ agent }) => agent === run.agent);
        const before = loops[last];
        if (before === undefined || run.firstCall > before.lastCall) loops.push(run);
        else loops[last] = merged(before, run);
      }
      return loops;
    },
  };
}

function keyOf(agent: string, detector: string, subject: string): string {
  return `${agent}\n${detector}\n${subject}`;
}

/** The first of the calls that lead to this one without a long gap: what was long before may be evidence, but is no part of it. */
function startOf(evidence: readonly number[], call: number): number {
  let first = call;
  for (const earlier of evidence.toSorted((one, other) => other - one)) {
    if (first - earlier > GAP) break;
    first = Math.min(first, earlier);
  }
  return first;
}

function isLoop(run: Run): run is LoopRun {
  return run.first !== null;
}

function isStronger({ action }: Pick<Act, 'action'>, other: Act | null): boolean {
  return other === null || STRENGTH.indexOf(action) > STRENGTH.indexOf(other.action);
}

/** Two that overlap are one, named after the one in which the guard would have acted first. */
function merged(one: LoopRun, other: LoopRun): LoopRun {
  const [sooner, later] = other.first.call < one.first.call ? [other, one] : [one, other];
  const strongest =
    isStronger(later.strongest, sooner.strongest) ||
    (!isStronger(sooner.strongest, later.strongest) && later.strongest.call < sooner.strongest.call)
      ? later.strongest
      : sooner.strongest;
  return {
    agent: sooner.agent,
    detector: sooner.detector,
    subject: sooner.subject,
    tool: sooner.tool,
    firstCall: Math.min(one.firstCall, other.firstCall),
    lastCall: Math.max(one.lastCall, other.lastCall),
    hasCalls: one.hasCalls || other.hasCalls,
    lastTurn: Math.max(one.lastTurn, other.lastTurn),
    first: sooner.first,
    strongest,
  };
}
