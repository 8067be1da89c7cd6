import type { Status } from '../../core/types.ts';
import { type Fields, fieldsOf, numberOf } from '../fields.ts';

/** What pi's loop itself says of calls that it does not run, and what its tools say when they are stopped. */
const BEGINNINGS: readonly (readonly [beginning: string, status: Status])[] = [
  ['Validation failed for tool "', 'invalid'],
  ['Tool execution was blocked', 'blocked'],
  ['Operation aborted', 'cancelled'],
];
const STOPPED = 'Command aborted';
/** Why OpenClaw does not run a call, where it is a person who refused. */
const REFUSALS = new Set<unknown>(['plugin-approval', 'client-voice-confirmation']);
const FAILURES = new Set<unknown>(['failed', 'error', 'forbidden']);

/** How a call ended, from pi's flag and, where OpenClaw wrote it, from the tool's own word on it. */
export function piStatus({ isError, details, toolName }: Fields, output: string): Status {
  const { status, deniedReason, exitCode, exitReason } = fieldsOf(details);
  if (status === 'blocked') return REFUSALS.has(deniedReason) ? 'denied' : 'blocked';
  if (exitReason === 'manual-cancel') return 'cancelled';
  if (isError === true) return failure(toolName, output);
  if (FAILURES.has(status) || (numberOf(exitCode) ?? 0) !== 0) return 'error';
  return isError === false ? 'ok' : 'unknown';
}

function failure(tool: unknown, output: string): Status {
  if (typeof tool === 'string' && output === `Tool ${tool} not found`) return 'unknown-tool';
  if (output.endsWith(STOPPED)) return 'cancelled';
  return BEGINNINGS.find(([beginning]) => output.startsWith(beginning))?.[1] ?? 'error';
}
