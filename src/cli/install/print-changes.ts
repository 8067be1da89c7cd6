import type { Terminal } from '../terminal.ts';
import { lineDiff } from './line-diff.ts';
import type { FileChange } from './plan-install.ts';
import { hooksIn } from './settings-file.ts';

/** What is to become of a file, in one or two lines; `whole` = every line that changes. */
export function changeText(change: FileChange, whole: boolean, { outColors }: Terminal): string {
  const lines = whole ? lineDiff(change.now ?? '', change.next ?? '') : [];
  const shown = lines.map(
    (line) => `    ${line.startsWith('+') ? outColors.green(line) : outColors.red(line)}\n`,
  );
  return `  ${summary(change, whole)}\n${shown.join('')}`;
}

function summary({ path, now, next }: FileChange, whole: boolean): string {
  if (next === null) return `${path}: removed`;
  const [first, ...others] = hooksIn(next);
  const made = now === null ? ' (new)' : '';
  if (first === undefined) {
    const gone = hooksIn(now ?? '').map(({ event }) => event);
    return gone.length === 0 ? `${path}${made}` : `${path}: without the hooks on ${gone.join(', ')}`;
  }
  const events = [first, ...others].map(({ event }) => event).join(', ');
  return `${path}${made}: hooks on ${events}${whole ? '' : `\n    ${first.command}`}`;
}
