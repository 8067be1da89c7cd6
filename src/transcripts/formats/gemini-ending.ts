import type { Json, Status } from '../../core/types.ts';
import { fieldsOf, jsonOf } from '../fields.ts';

/** How a call of Gemini CLI ended; Qwen Code, its fork, uses the same words. */
type GeminiEnding = { readonly status: Status; readonly output: Json };

const SHELL = 'run_shell_command';
const EXIT_CODE = '\nExit Code: ';
/** The last lines of a shell result, as packages/core/src/tools/shell.ts writes them: those after the exit code are optional. */
const TRAILER =
  /^(-?\d+)\n?(?:Signal: [^\n]*\n?)?(?:Background PIDs: [^\n]*\n?)?(?:Process Group PGID: [^\n]*\n?)?(?:<\/untrusted_context>)?\s*$/;
const TRAILER_LENGTH = 1000;
const HEAD_LENGTH = 300;
const HOOK_CONTEXT = '\n\n<hook_context>';

/** What the words of a failure tell, by the beginnings that scheduler and hooks give them. */
const BEGINNINGS: readonly (readonly [beginning: string, status: Status])[] = [
  ['Tool execution blocked: ', 'blocked'],
  ['Tool result blocked: ', 'blocked'],
  ['Agent execution stopped by hook', 'blocked'],
  ['Tool execution denied by policy', 'blocked'],
  ['params must ', 'invalid'],
  ['params/', 'invalid'],
];

/** `told` = the status that is written beside the response, if any; `response` = that of a `functionResponse`. */
export function geminiEnding(tool: string | undefined, response: unknown, told?: unknown): GeminiEnding {
  const { output, error } = fieldsOf(response);
  const failed = error !== undefined || told === 'error';
  const said = error ?? output;
  const text = typeof response === 'string' ? response : said;
  if (typeof text !== 'string') {
    return { status: wordless(failed, told, said), output: jsonOf(said ?? response) };
  }
  if (told === 'cancelled') return { status: cancelled(text), output: text };
  if (failed) return { status: geminiFailure(text), output: text };
  const exitCode = tool === SHELL ? exitCodeOf(text) : 0;
  return { status: exitCode === 0 ? 'ok' : 'error', output: text };
}

/** The kind of a failure, from its text. */
export function geminiFailure(text: string): Status {
  const head = text.slice(0, HEAD_LENGTH);
  if (head.startsWith('[Operation Cancelled]')) return cancelled(head);
  if (head.startsWith('Tool "') && head.includes('" not found')) return 'unknown-tool';
  return BEGINNINGS.find(([beginning]) => head.startsWith(beginning))?.[1] ?? 'error';
}

function wordless(failed: boolean, told: unknown, said: unknown): Status {
  if (told === 'cancelled') return 'cancelled';
  if (failed) return 'error';
  return told === 'success' || said !== undefined ? 'ok' : 'unknown';
}

function cancelled(text: string): Status {
  const head = text.slice(0, HEAD_LENGTH);
  return head.includes('User denied') || head.includes('User did not allow') ? 'denied' : 'cancelled';
}

/** Zero where the host says nothing: it writes the exit code only of what failed, or always. */
function exitCodeOf(output: string): number {
  const end = output.endsWith('</hook_context>') ? output.lastIndexOf(HOOK_CONTEXT) : output.length;
  const tail = output.slice(Math.max(0, end - TRAILER_LENGTH), Math.max(0, end));
  const at = tail.lastIndexOf(EXIT_CODE);
  return at < 0 ? 0 : Number(TRAILER.exec(tail.slice(at + EXIT_CODE.length))?.[1] ?? 0);
}
