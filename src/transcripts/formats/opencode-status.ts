import type { Status } from '../../core/types.ts';
import { fieldsOf, textOf } from '../fields.ts';

type Told = { readonly input: unknown; readonly metadata: unknown; readonly failed: boolean };

/** How a call ended, by what the tool was, what it was given, and what it told beside its output. */
export function opencodeStatus(tool: string, { input, metadata, failed }: Told, output: string): Status {
  if (tool === 'invalid') return misdirected(input);
  return failed ? failureOf(output, metadata) : endingOf(output, metadata);
}

function misdirected(input: unknown): Status {
  const why = textOf(fieldsOf(input)['error']) ?? '';
  return why.slice(0, 200).includes('unavailable tool') ? 'unknown-tool' : 'invalid';
}

const DENIALS = [
  'The user rejected permission',
  'The user has specified a rule which prevents',
  'The user dismissed this question',
];

function failureOf(error: string, metadata: unknown): Status {
  if (fieldsOf(metadata)['interrupted'] === true || error === 'Tool execution aborted') return 'cancelled';
  if (DENIALS.some((denial) => error.startsWith(denial))) return 'denied';
  return /^The \S{1,200} tool was called with invalid arguments/.test(error) ? 'invalid' : 'error';
}

/** A tool that came to its end; a shell tells its exit code, and null where it was stopped. */
function endingOf(output: string, metadata: unknown): Status {
  const { exit } = fieldsOf(metadata);
  if (exit === undefined || exit === 0) return 'ok';
  if (exit !== null) return 'error';
  return output.slice(-200).includes('User aborted the command') ? 'cancelled' : 'error';
}
