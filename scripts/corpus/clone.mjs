// Reads files of a clone through git, so a bare clone will do and any branch can be read.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

// The corpus was made without larger files; with them, some sessions would be longer than the labelled ones.
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;
const UNKNOWN_REVISION = 1;

const run = promisify(execFile);

/**
 * A place in a public repository: `commit` is the state that the corpus was made from, `branch` holds it.
 * @typedef {{ repository: string, branch: string, commit: string }} Place
 * @typedef {{ path: string, id: string, bytes: number }} ClonedFile
 * @typedef {{ revision: string, files: ClonedFile[], absent: number, text: (file: ClonedFile) => Promise<string> }} Clone
 */

/** The command that brings a repository to where `openClone` looks for it. */
export function cloneCommand(folder, { repository, branch }) {
  const place = join(folder, repository);
  return `git clone --bare --single-branch --branch ${branch} https://github.com/${repository}.git ${quoted(place)}`;
}

function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * The clone of a repository in `folder`, as `owner/name` or as `name`; undefined when there is none with that branch.
 * @returns {Promise<Clone | undefined>}
 */
export async function openClone(folder, { repository, branch, commit }) {
  for (const place of [join(folder, repository), join(folder, repository.split('/')[1])]) {
    if (!existsSync(place)) continue;
    for (const revision of [commit, branch, `origin/${branch}`]) {
      if (!(await holds(place, revision))) continue;
      const files = await listed(place, revision);
      return {
        revision,
        files: files.filter(({ bytes }) => bytes <= LARGEST_FILE_BYTES),
        absent: files.filter(({ bytes }) => Number.isNaN(bytes)).length,
        text: ({ id }) => git(place, 'cat-file', 'blob', id),
      };
    }
  }
  return undefined;
}

async function holds(place, revision) {
  try {
    await git(place, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
    return true;
  } catch (error) {
    if (error.code === UNKNOWN_REVISION) return false;
    throw new Error(`${place}: ${error.stderr?.trim().split('\n')[0] || error.message}`, { cause: error });
  }
}

/** All files; one that a partial clone lacks has no number of bytes. */
async function listed(place, revision) {
  const rows = (await git(place, 'ls-tree', '-r', '-l', '-z', revision)).split('\0').filter(Boolean);
  return rows.map((row) => {
    const [, id, bytes, path] = /^\S+ \S+ (\S+) +(\S+)\t(.*)$/s.exec(row);
    return { path, id, bytes: bytes === '-' ? Number.POSITIVE_INFINITY : Number(bytes) };
  });
}

async function git(place, ...args) {
  // The repository at that place, whatever git says of the one around us; and only what is there: a partial clone is
  // not filled up behind the user's back.
  const env = { ...process.env, GIT_DIR: undefined, GIT_NO_LAZY_FETCH: '1' };
  const { stdout } = await run('git', ['-C', place, ...args], { env, maxBuffer: LARGEST_OUTPUT_BYTES });
  return stdout;
}
