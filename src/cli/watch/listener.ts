import type { Hooks } from '../../core/checked-guard.ts';
import type { Guard } from '../../core/guard.ts';
import type { SessionFacts, Sink } from '../../transcripts/format.ts';
import { type ReplayDecision, simulationOn } from '../replay/simulation.ts';
import { callLabel } from '../scan/redaction.ts';
import { createLoopNews, type NewsType } from './loop-news.ts';

/** What is heard of a session that goes round in circles. */
export type Heard = ReplayDecision & {
  readonly type: NewsType;
  readonly session: string | null;
  readonly project: string | null;
  readonly tool: string | null;
  /** What the call is about, shortened. */
  readonly label: string;
};

/** Calls whose labels are remembered: decisions are on the latest. */
const MAX_LABELS = 32;

/** Replays events as they come, under a guard that changes nothing. */
export function createListener(makeGuard: (hooks: Hooks) => Guard, tell: (heard: Heard) => void): Sink {
  const isNews = createLoopNews();
  const labels = new Map<number, { readonly tool: string; readonly label: string }>();
  let facts: SessionFacts = {};
  const simulation = simulationOn((onDecision) => makeGuard({ onDecision }), false);

  function decided(decision: ReplayDecision): void {
    const type = isNews(decision);
    if (type === null) return;
    const { tool = null, label = '' } = labels.get(decision.call) ?? {};
    const { session = null, project = null } = facts;
    tell({ type, session, project, tool, label, ...decision });
  }

  return {
    event(event, line) {
      if (event.type === 'tool-call') {
        const { tool, args } = event;
        const call = simulation.calls + 1;
        labels.set(call, { tool, label: callLabel(args, 'outputs') });
        labels.delete(call - MAX_LABELS);
      }
      for (const decision of simulation.feed(event, line)) decided(decision);
    },
    facts(more) {
      for (const [name, value] of Object.entries(more))
        if (value !== undefined) facts = { ...facts, [name]: value };
    },
    problem() {},
  };
}
