import { FAILURES } from '../core/endings.ts';
import type { Status } from '../core/types.ts';
import type { Loop, LoopingSession } from './scan-report.ts';
import { counted } from './text.ts';

/** What was called again and again: the tool and its arguments, once. */
export function repeatedCall({ tool, example, subject }: Pick<Loop, 'tool' | 'example' | 'subject'>): {
  readonly tool: string;
  readonly rest: string;
} {
  const shown = example.trim();
  if (tool === null) return { tool: '', rest: shown === '' ? subject : shown };
  // The example may begin with the name of the tool: `Bash npm test`, `Bash(npm test)`.
  const isNamed = shown.startsWith(tool) && !/^[\p{L}\p{N}_]/u.test(shown.slice(tool.length));
  return { tool, rest: isNamed ? shown.slice(tool.length).trim() : shown };
}

/** `nudge at call 17, halt at 22`. */
export function stepsOf({ calls, action, actedAt, strongest, strongestAt }: Loop): string {
  if (calls === 0) return strongest === action ? action : `${action}, then ${strongest}`;
  const first = `${action} at call ${actedAt}`;
  return strongest === action ? first : `${first}, ${strongest} at ${strongestAt}`;
}

/** A loop of texts alone has its place between calls. */
export function rangeOf({ calls, firstCall, lastCall }: Loop): string {
  if (calls === 0) return lastCall === 0 ? 'before the first call' : `after call ${lastCall}`;
  return firstCall === lastCall ? `call ${firstCall}` : `calls ${firstCall} to ${lastCall}`;
}

/** How long it is: `26 calls`; `texts` = there is no call in it. */
export function lengthOf({ calls }: Loop): string {
  return calls === 0 ? 'texts' : counted(calls, 'call');
}

/** `2026-11-14 09:12 UTC`; as it stands where it is no ISO time. */
export function startOf(startedAt: string | null): string {
  if (startedAt === null) return 'time unknown';
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)\S*Z$/.exec(startedAt) ?? [];
  return day === undefined ? startedAt : `${day} ${minute} UTC`;
}

/** A session's name for counting: one file may hold several, and one session may go on in several files. */
export function sessionKey({ file, session }: Pick<LoopingSession, 'file' | 'session'>): string {
  return JSON.stringify([file, session]);
}

export function isFailure(status: Status): boolean {
  return FAILURES.includes(status);
}

/** How a call ended, for people. */
export const ENDINGS: { readonly [status in Status]: string } = {
  ok: 'ok',
  error: 'failed',
  invalid: 'bad arguments',
  'unknown-tool': 'no such tool',
  blocked: 'blocked',
  denied: 'denied',
  cancelled: 'cancelled',
  unknown: 'not told',
};
