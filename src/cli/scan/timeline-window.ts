import type { Json, ToolCallEvent, ToolResultEvent } from '../../core/types.ts';
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
/** `args` = not put into words yet. */
type Waiting = { readonly id: string | undefined; readonly shown: Shown; args: Json };

/** Calls kept on either side of a finding. */
const BEFORE = 48;
const AFTER = 12;
/** Of calls in a row that are all near findings, the first and the last. */
const FIRST = 120;
const LAST = 24;
/** More do not fit into a picture. */
const MAX_CALLS = 600;
const STRENGTH = ['nudge', 'block', 'ask', 'halt'];

/** Remembers a few calls as they pass, and those for good that lie near a finding; only these are ever put into words. */
export function createTimelineWindow(redaction: Redaction): TimelineWindow {
  let recent: Waiting[] = [];
  const kept: Waiting[] = [];
  /** The last of a long row, after the first of it were kept. */
  let last: Waiting[] = [];
  let row = 0;
  let until = 0;

  function keepCall(waiting: Waiting): void {
    waiting.shown.label = callLabel(waiting.args, redaction);
    waiting.args = null;
    row += 1;
    if (row <= FIRST) kept.push(waiting);
    else {
      last.push(waiting);
      if (last.length > LAST) last.shift();
    }
  }

  function endRow(): void {
    kept.push(...last.slice(0, MAX_CALLS - kept.length));
    last = [];
    row = 0;
  }

  function find(wanted: (waiting: Waiting) => boolean): Waiting | undefined {
    return recent.findLast(wanted) ?? last.findLast(wanted) ?? kept.findLast(wanted);
  }

  return {
    call({ id, tool, args, at = null }, number) {
      const shown: Shown = { call: number, tool, label: '', output: '', status: 'unknown', at, action: null };
      const waiting = { id, shown, args };
      if (number <= until && kept.length < MAX_CALLS) keepCall(waiting);
      else {
        if (row > 0) endRow();
        recent.push(waiting);
        if (recent.length > 2 * BEFORE) recent = recent.slice(-BEFORE);
      }
    },
    result({ id, status, output }) {
      const waiting = find((call) => id === undefined || call.id === id);
      if (waiting === undefined) return;
      waiting.shown.status = status;
      waiting.shown.output = outputText(output, redaction);
    },
    keep(call) {
      until = Math.max(until, call + AFTER);
      if (kept.length >= MAX_CALLS) return;
      for (const waiting of recent.slice(-BEFORE)) keepCall(waiting);
      recent = [];
    },
    acted({ call, action }) {
      const found = find(({ shown }) => shown.call === call);
      if (found !== undefined && STRENGTH.indexOf(action) > STRENGTH.indexOf(found.shown.action ?? ''))
        found.shown.action = action;
    },
    get calls() {
      endRow();
      return kept
        .slice(0, MAX_CALLS)
        .map(({ shown }) => shown)
        .sort((one, other) => one.call - other.call);
    },
    label(call) {
      const found = find(({ shown }) => shown.call === call);
      if (found === undefined) return '';
      return found.args === null ? found.shown.label : callLabel(found.args, redaction);
    },
  };
}
