import { DeloopError } from '../../core/errors.ts';
import { readForChange } from './change-file.ts';
import { isOurs } from './hook-command.ts';
import { readRecord } from './install-record.ts';
import type { Installable, Target, TargetContext } from './install-target.ts';
import { type JsonPath, nodeAt, removed } from './json-edit.ts';
import { hooksIn, withHooks, withoutHooks } from './settings-file.ts';

/** What is to become of one file; null = there is none. */
export type FileChange = {
  readonly path: string;
  readonly now: string | null;
  readonly next: string | null;
  /** As it is, or would be, without deloop. */
  readonly bare: string | null;
  readonly executable: boolean;
};

/** What an install will change: nothing where it is installed already. Throws when a file cannot be changed safely. */
export function planInstall(
  installable: Installable,
  context: TargetContext,
  state: string,
): readonly FileChange[] {
  return installable.targets(context).map((target) => {
    const now = readForChange(target.path);
    const bare = bareOf(target, now, state);
    if (target.kind === 'own')
      return { path: target.path, now, next: target.text, bare, executable: target.executable };
    const { path, entries, skeleton, dialect } = target;
    return { path, now, next: withHooks(bare, entries, skeleton, dialect, path), bare, executable: false };
  });
}

/** What an uninstall will change. */
export function planUninstall(
  installable: Installable,
  context: TargetContext,
  state: string,
): readonly FileChange[] {
  // Backwards, so that folders are empty when it is their turn.
  return installable
    .targets(context)
    .toReversed()
    .flatMap((target) => {
      const { path } = target;
      const now = readForChange(path);
      if (now === null || !isInstalled(target, now)) return [];
      const bare = bareOf(target, now, state);
      return [{ path, now, next: bare, bare, executable: false }];
    });
}

/** Whether a file holds anything of ours. */
function isInstalled(target: Target, text: string): boolean {
  return target.kind === 'own' ? isOurs(text) : hooksIn(text).length > 0;
}

/** The file as it is without deloop: to the byte when nobody has changed it since. */
function bareOf(target: Target, now: string | null, state: string): string | null {
  const { path } = target;
  if (now === null || !isInstalled(target, now)) {
    if (now !== null && target.kind === 'own' && now.trim() !== '')
      throw new DeloopError('option', `${path} is there already, and not of deloop; nothing was changed`);
    return now;
  }
  const record = readRecord(state, path);
  if (record?.after === now) return record.before;
  if (target.kind === 'own') return null;
  const was = record?.before ?? null;
  const made = (part: JsonPath) => was === null || nodeAt(was, part) === undefined;
  const added = Object.keys(target.skeleton).filter((name) => was !== null && made([name]));
  const bare = added.reduce(
    (text, name) => removed(text, [name]),
    withoutHooks(now, target.dialect, path, made),
  );
  return was === null && record !== null && isBlank(bare, target.skeleton) ? null : bare;
}

/** Nothing is left but what a file of ours begins with. */
function isBlank(text: string, skeleton: { readonly [name: string]: unknown }): boolean {
  const root = nodeAt(text, []);
  return (root?.children ?? []).every((member) =>
    Object.hasOwn(skeleton, String(member.children?.[0]?.value)),
  );
}
