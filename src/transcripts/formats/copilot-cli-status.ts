import type { Status } from '../../core/types.ts';
import { type Fields, fieldsOf, numberOf } from '../fields.ts';

/** The end of what a shell prints, in which the exit code stands. */
const TAIL_CHARACTERS = 80;
const EXIT_CODE = /<(?:shellId: \S{1,40} completed|exited) with exit code (-?\d{1,12})>\s*$/;

/** How a call ended: a command that fails is a success to Copilot, and only its exit code tells. */
export function copilotCliStatus({ success, error, shellExecution }: Fields, output: string): Status {
  if (success === true) {
    const [, code = '0'] = EXIT_CODE.exec(output.slice(-TAIL_CHARACTERS)) ?? [];
    return (numberOf(fieldsOf(shellExecution)['exitCode']) ?? Number(code)) === 0 ? 'ok' : 'error';
  }
  if (success !== false) return 'unknown';
  const { code } = fieldsOf(error);
  if (output.startsWith('Denied by preToolUse hook')) return 'blocked';
  if (code === 'denied' || code === 'rejected') return 'denied';
  return output.startsWith("Tool '") && output.includes("' does not exist. ") ? 'unknown-tool' : 'error';
}
