import type { Hooks } from '../../core/checked-guard.ts';
import type { Guard } from '../../core/guard.ts';
import type { AgentEvent, Usage } from '../../core/types.ts';
import { type PriceTable, priceOf } from '../../report/prices.ts';
import type { Loop, LoopingSession, Spent } from '../../report/scan-report.ts';
import type { SessionFacts, Sink } from '../../transcripts/format.ts';
import { type ReplayDecision, simulationOn } from '../replay/simulation.ts';
import type { Redaction } from './redaction.ts';
import { createRuns, type LoopRun } from './runs.ts';
import { createSpending } from './spending.ts';
import { createTimelineWindow } from './timeline-window.ts';

export type SessionOptions = {
  readonly makeGuard: (hooks: Hooks) => Guard;
  readonly prices: PriceTable;
  readonly redaction: Redaction;
};

/** What one session is, and what was found in it. */
export type ScannedSession = Omit<LoopingSession, 'timeline'> & {
  readonly parent: string | null;
  /** Records that could not be read, and why the first of them. */
  readonly problems: number;
  readonly firstProblem: string | null;
  /** Null = there is nothing to show. */
  readonly timeline: LoopingSession['timeline'] | null;
};

export type SessionScan = {
  readonly sink: Sink;
  /** Told of each decision as it falls; for those who follow a session that is being written. */
  onDecision: ((decision: ReplayDecision) => void) | null;
  finish(file: string, agent: string): ScannedSession;
};

/** Replays one session under a guard that changes nothing, and keeps what a report needs of it. */
export function createSessionScan({ makeGuard, prices, redaction }: SessionOptions): SessionScan {
  const spending = createSpending(prices);
  const runs = createRuns();
  const timeline = createTimelineWindow(redaction);
  let facts: SessionFacts = {};
  let startedAt: number | undefined;
  let problems = 0;
  let firstProblem: string | null = null;
  /** The last call, and whose event it is that is being fed, and whether it is a call or a result. */
  let about = 0;
  let agent = '';
  let inCall = false;

  const simulation = simulationOn(
    (onDecision) =>
      makeGuard({
        onDecision,
        onFindings(findings) {
          for (const finding of findings) {
            const evidence = finding.evidence.map((number) => simulation.inTrace(number));
            const call = evidence.at(-1) ?? about;
            runs.found(finding, evidence, { agent, call, turn: spending.turns, inCall });
          }
          timeline.keep(about);
        },
      }),
    false,
  );

  function told(decisions: readonly ReplayDecision[]): void {
    for (const decision of decisions) {
      runs.acted(decision, { agent, turn: spending.turns }, timeline.label);
      timeline.acted(decision);
      scan.onDecision?.(decision);
    }
  }

  function event(event: AgentEvent, line: number): void {
    if (startedAt === undefined && event.at !== undefined) startedAt = event.at;
    agent = event.agent ?? '';
    inCall = event.type === 'tool-call' || event.type === 'tool-result';
    if (event.type === 'turn') spending.turn(event.usage, facts.model, agent);
    else if (event.type === 'tool-call') {
      about = simulation.calls + 1;
      spending.call(agent);
      timeline.call(event, about);
    } else if (event.type === 'tool-result') timeline.result(event);
    const decisions = simulation.feed(event, line);
    if (decisions.length > 0) told(decisions);
  }

  function spentOn({ agent: whose, hasCalls, first, lastCall, lastTurn }: LoopRun): Spent {
    const calls = [hasCalls ? first.call : lastCall + 1, lastCall] as const;
    const spent = spending.between(calls, [first.turn, lastTurn], whose);
    // Where only the whole is told, a part of it would be a guess.
    return facts.usage === undefined ? spent : { ...spent, ...NOTHING_KNOWN };
  }

  function total(): Spent {
    const calls = simulation.calls;
    const { usage, model } = facts;
    if (usage !== undefined) return { calls, ...usageSpent(usage), usd: priceOf(model, usage, prices) };
    return spending.total();
  }

  const scan: SessionScan = {
    onDecision: null,
    sink: {
      event,
      facts(more) {
        for (const [name, value] of Object.entries(more)) {
          if (value !== undefined && facts[name as keyof SessionFacts] !== value)
            facts = { ...facts, [name]: value };
        }
      },
      problem(line, why) {
        problems += 1;
        firstProblem ??= `line ${line}: ${why}`;
      },
    },
    finish(file, agent) {
      told(simulation.end());
      const began = facts.startedAt ?? startedAt;
      const session = {
        file,
        agent,
        session: facts.session ?? null,
        model: facts.model ?? null,
        startedAt: began === undefined ? null : isoOf(began),
      };
      const loops = runs.loops().map((run) => loopOf(run, session, spentOn(run)));
      return {
        ...session,
        parent: facts.parent ?? null,
        project: facts.project ?? null,
        calls: simulation.calls,
        spent: total(),
        loops,
        problems,
        firstProblem,
        timeline: loops.length === 0 ? null : timeline.calls,
      };
    },
  };
  return scan;
}

const NOTHING_KNOWN = { input: null, output: null, cachedInput: null, usd: null };

function usageSpent({
  input,
  output,
  cachedInput = 0,
}: Usage): Pick<Spent, 'input' | 'output' | 'cachedInput'> {
  return { input, output, cachedInput };
}

/** Null = no time that a calendar has. */
function isoOf(at: number): string | null {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function loopOf(
  run: LoopRun,
  session: Pick<Loop, 'file' | 'agent' | 'session' | 'model' | 'startedAt'>,
  wasted: Spent,
): Loop {
  const { detector, subject, tool, firstCall, lastCall, hasCalls, first, strongest } = run;
  return {
    ...session,
    detector,
    subject,
    tool,
    firstCall,
    lastCall,
    calls: hasCalls ? lastCall - firstCall + 1 : 0,
    actedAt: first.call,
    action: first.action,
    strongest: strongest.action,
    strongestAt: strongest.call,
    message: first.message,
    example: first.example,
    wasted,
  };
}
