import { removeFile, writeChange } from './change-file.ts';
import { dropRecord, readRecord, writeRecord } from './install-record.ts';
import type { FileChange } from './plan-install.ts';

/** Makes changes, all of them or none, and keeps what is needed to undo them to the byte. Gives back those that were any. */
export function applyChanges(changes: readonly FileChange[], state: string): readonly FileChange[] {
  const wanted = changes.filter(({ now, next }) => now !== next);
  const done: FileChange[] = [];
  try {
    for (const change of wanted) {
      apply(change, state);
      done.push(change);
    }
  } catch (error) {
    for (const { path, now, bare, executable } of done.toReversed())
      apply({ path, now: null, next: now, bare, executable }, state);
    throw error;
  }
  return wanted;
}

function apply({ path, next, bare, executable }: FileChange, state: string): void {
  const before = readRecord(state, path);
  if (next === null) {
    removeFile(path, before?.folders ?? []);
    dropRecord(state, path);
    return;
  }
  const made = writeChange(path, next, executable ? 0o755 : undefined);
  const folders = made.length > 0 ? made : (before?.folders ?? []);
  if (next === bare) dropRecord(state, path);
  else writeRecord(state, { path, before: bare, after: next, folders });
}
