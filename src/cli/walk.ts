import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { whyNot } from './why-not.ts';

/** Hears of what is there and cannot be read. */
export type Complain = (path: string, why: string) => void;

/** A file or a folder under the one that was asked for. */
export type Entry = {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** The names of the folders it lies in, from the one that was asked for down, without that one. */
  readonly above: readonly string[];
};

/**
 * Everything in and under a folder, in the order of the names, whatever the file system's is. Links are followed, but
 * no folder is looked into twice, so that they may go round in circles. `enters` = whether to look into a folder, told
 * by its name and its path.
 */
export function* walk(
  folder: string,
  complain: Complain,
  enters: (name: string, path: string) => boolean = () => true,
): Generator<Entry, void, void> {
  const seen = new Set<string>();

  /** `place` = the folder without links in its path. */
  function* under(path: string, place: string, above: readonly string[]): Generator<Entry, void, void> {
    if (seen.has(place)) return;
    seen.add(place);
    for (const entry of entriesOf(path, complain)) {
      const { name } = entry;
      const inner = join(path, name);
      const isLink = entry.isSymbolicLink();
      const { isFolder, isFile } = isLink
        ? targetOf(inner)
        : { isFolder: entry.isDirectory(), isFile: entry.isFile() };
      if (!isFolder && !isFile) continue;
      yield { path: inner, name, isFolder, above };
      if (!isFolder || !enters(name, inner)) continue;
      const real = isLink ? realPath(inner) : join(place, name);
      if (real !== null) yield* under(inner, real, [...above, name]);
    }
  }

  yield* under(folder, realPath(folder) ?? folder, []);
}

function entriesOf(folder: string, complain: Complain): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
      one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
    );
  } catch (error) {
    complain(folder, whyNot(error));
    return [];
  }
}

/** Neither = the link leads nowhere, or to something else. */
function targetOf(link: string): { readonly isFolder: boolean; readonly isFile: boolean } {
  try {
    const target = statSync(link);
    return { isFolder: target.isDirectory(), isFile: target.isFile() };
  } catch {
    return { isFolder: false, isFile: false };
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
