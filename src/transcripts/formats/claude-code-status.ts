import type { Status } from '../../core/types.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/** How the texts begin that Claude Code puts in the place of a result; older versions say it in no other way. */
const BEGINNINGS: readonly (readonly [string, Status])[] = [
  ["The user doesn't want to ", 'denied'],
  ['User rejected', 'denied'],
  ['Permission to use ', 'denied'],
  ['Permission for ', 'denied'],
  ['Claude requested permissions ', 'denied'],
  ['[Request interrupted by user', 'cancelled'],
  ['Cancelled: ', 'cancelled'],
  ['Sibling tool call errored', 'cancelled'],
  ['PreToolUse:', 'blocked'],
  ['InputValidationError', 'invalid'],
  ['Error: No such tool available', 'unknown-tool'],
  ['No such tool available', 'unknown-tool'],
];
const WRAPPER = '<tool_use_error>';

/** How a call ended, as the record that brings its result tells it. */
export function claudeCodeStatus(record: Fields, isError: boolean, output: string): Status {
  const { toolDenialKind, permissionDecision, toolUseResult } = record;
  if (typeof toolDenialKind === 'string') {
    if (toolDenialKind === 'interrupted' || toolDenialKind === 'cancelled') return 'cancelled';
    const byHook = fieldsOf(permissionDecision)['source'] === 'hook' || output.startsWith('PreToolUse:');
    return byHook || toolDenialKind.startsWith('automode-') ? 'blocked' : 'denied';
  }
  if (!isError) return fieldsOf(toolUseResult)['interrupted'] === true ? 'cancelled' : 'ok';
  const from = output.startsWith(WRAPPER) ? WRAPPER.length : 0;
  return BEGINNINGS.find(([beginning]) => output.startsWith(beginning, from))?.[1] ?? 'error';
}
