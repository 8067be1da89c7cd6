import type { ToolCallEvent, ToolResultEvent } from '../../core/types.ts';
import type { TimelineCall } from '../../report/scan-report.ts';
import type { ReplayDecision } from '../replay/simulation.ts';
import { callLabel, outputText, type Redaction } from './redaction.ts';

/** The calls in and around loops, as a picture needs them. */
export type TimelineWindow = {
  call(event: ToolCallEvent, number: number): void;
  result(event: ToolResultEvent): void;
  /** Something was found at this call: what is around it is kept. */
  keep(call: number): void;
  acted(decision: ReplayDecision): void;
  readonly calls: readonly TimelineCall[];
  /** Of one of the latest calls, or of one that is kept; empty = of neither. */
  label(call: number): string;
};

type Shown = { -readonly [Name in keyof TimelineCall]: TimelineCall[Name] };
type Waiting = { readonly event: ToolCallEvent; readonly shown: Shown; output: ToolResultEvent['output'] };

/** Calls kept on either side of a finding. */
const BEFORE = 48;
const AFTER = 12;
/** More do not fit into a picture. */
const MAX_CALLS = 600;
const STRENGTH = ['nudge', 'block', 'ask', 'halt'];

/** Remembers a few calls as they pass, and those for good that lie near a finding; only these are ever put into words. */
export function createTimelineWindow(redaction: Redaction): TimelineWindow {
  let recent: Waiting[] = [];
  const kept: Waiting[] = [];
  let until = 0;

  return {
    call(event, number) {
      const { tool, at = null } = event;
      const shown: Shown = { call: number, tool, label: '', output: '', status: 'unknown', at, action: null };
      const waiting = { event, shown, output: '' };
      if (number <= until && kept.length < MAX_CALLS) kept.push(waiting);
      else {
        recent.push(waiting);
        if (recent.length > 2 * BEFORE) recent = recent.slice(-BEFORE);
      }
    },
    result({ id, status, output }) {
      const waiting = later(lastOf(recent, id), lastOf(kept, id));
      if (waiting === undefined) return;
      waiting.shown.status = status;
      if (redaction === 'none') waiting.output = output;
    },
    keep(call) {
      until = Math.max(until, call + AFTER);
      if (kept.length === MAX_CALLS) return;
      kept.push(...recent.slice(-BEFORE).slice(kept.length - MAX_CALLS));
      recent = [];
    },
    acted({ call, action }) {
      const found = kept.findLast(({ shown }) => shown.call === call);
      if (found !== undefined && STRENGTH.indexOf(action) > STRENGTH.indexOf(found.shown.action ?? ''))
        found.shown.action = action;
    },
    get calls() {
      return kept
        .map(({ event, shown, output }) => ({
          ...shown,
          label: callLabel(event.args, redaction),
          output: outputText(output, redaction),
        }))
        .sort((one, other) => one.call - other.call);
    },
    label(call) {
      const isMeant = ({ shown }: Waiting) => shown.call === call;
      const found = kept.findLast(isMeant) ?? recent.findLast(isMeant);
      return found === undefined ? '' : callLabel(found.event.args, redaction);
    },
  };
}

function later(one: Waiting | undefined, other: Waiting | undefined): Waiting | undefined {
  return (one?.shown.call ?? 0) > (other?.shown.call ?? 0) ? one : other;
}

/** The call that a result belongs to; without an id, the last one. */
function lastOf(calls: readonly Waiting[], id: string | undefined): Waiting | undefined {
  if (id === undefined) return calls.at(-1);
  for (let index = calls.length - 1; index >= 0; index--) {
    const waiting = calls[index] as Waiting;
    if (waiting.event.id === id) return waiting;
  }
  return undefined;
}
