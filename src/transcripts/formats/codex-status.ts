import type { Status } from '../../core/types.ts';

/** How the texts begin that Codex puts in the place of a result. */
const BEGINNINGS: readonly (readonly [string, Status])[] = [
  ['unsupported call: ', 'unknown-tool'],
  ['unsupported custom tool call: ', 'unknown-tool'],
  ['failed to parse function arguments', 'invalid'],
  ['Command blocked by ', 'blocked'],
  ['Tool call blocked by ', 'blocked'],
  ['rejected by configuration', 'blocked'],
  ['automatic approval review denied', 'blocked'],
  ['exec command rejected by user', 'denied'],
  ['patch rejected by user', 'denied'],
  ['rejected by user', 'denied'],
  ['aborted', 'cancelled'],
  ['apply_patch verification failed', 'error'],
  ['execution error: ', 'error'],
  ['Plan updated', 'ok'],
];
/** Tools whose every result begins with a head that tells the exit code; whatever lacks it is a refusal. */
const WITH_HEAD: ReadonlySet<string> = new Set([
  'exec_command',
  'write_stdin',
  'shell',
  'shell_command',
  'local_shell',
  'container.exec',
  'apply_patch',
]);
/** The head of a result, in which the exit code stands. */
const HEAD_CHARACTERS = 300;
const TAIL_CHARACTERS = 120;
const EXIT_CODE = /^(?:Exit code:|Process exited with code) (-?\d{1,12})$/m;
const ABORTED = /^Wall time: [\d.]{1,20} seconds\naborted by user/;
const RUNNING = /^Process running with session ID /m;
/** Versions of 2025 wrapped output and exit code in JSON. */
const WRAPPER = '{"output":';
const WRAPPED_EXIT_CODE = /"exit_code":(-?\d{1,12})(?:,"duration_seconds":[\d.eE+-]{1,24})?\}\}$/;

/** How a call ended: as an event told it (`known`), or as the text of the result tells it. */
export function codexStatus(tool: string | undefined, output: string, known: Status | undefined): Status {
  const beginning = BEGINNINGS.find(([text]) => output.startsWith(text))?.[1];
  if (beginning !== undefined) return beginning;
  const whole = output.slice(0, HEAD_CHARACTERS);
  const end = whole.indexOf('\nOutput:');
  const head = end < 0 ? whole : whole.slice(0, end);
  if (ABORTED.test(head)) return 'cancelled';
  const [, code] =
    EXIT_CODE.exec(head) ??
    (output.startsWith(WRAPPER) ? WRAPPED_EXIT_CODE.exec(output.slice(-TAIL_CHARACTERS)) : null) ??
    [];
  if (code !== undefined) return code === '0' ? 'ok' : 'error';
  if (known !== undefined) return known;
  // An image has no text, and what has one is the reason why there is none.
  if (tool === 'view_image') return output === '' || output.startsWith('attached ') ? 'ok' : 'error';
  if (tool === undefined || !WITH_HEAD.has(tool)) return 'unknown';
  if (output.startsWith(WRAPPER)) return 'unknown';
  return RUNNING.test(head) || output.startsWith('Success.') ? 'ok' : 'error';
}
