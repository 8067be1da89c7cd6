import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATIENCE_MS = 10 * 60_000;

/**
 * Installs the packages of a folder, as its lockfile says, if they are not there yet. False = they cannot be had: then the tests
 * that need them are skipped, and in CI it throws.
 */
export function installed(folder: string): boolean {
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'node_modules', '.installed');
  const isThere = () => contentOf(mark) === wanted;
  if (isThere()) return true;
  return alone(join(folder, '.installing'), () => {
    if (isThere()) return true;
    try {
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: 'pipe',
      });
    } catch (error) {
      if (process.env['CI'] === 'true') throw error;
      console.warn(
        `\nSKIPPED: the packages of ${folder} could not be installed, so nothing was tested with them.\n`,
      );
      return false;
    }
    writeFileSync(mark, wanted);
    return true;
  });
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** One at a time, over all processes: a folder can be made only once. */
function alone<Result>(lock: string, run: () => Result): Result {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (Date.now() - ageOf(lock) > PATIENCE_MS) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    return run();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function ageOf(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return Date.now();
  }
}
