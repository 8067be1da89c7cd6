import { readSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import type { HookParts } from './judge.ts';
import { runHook } from './run-hook.ts';
import { warm } from './warm.ts';

const CHUNK = 65_536;
/** A larger payload is none: the longest seen had some hundred kilobytes. */
const MAX_BYTES = 64 * 1024 * 1024;

export { runHook, warm };

/** One hook, from the standard input to the standard output; a promise only where the session is in a swarm. */
export function main(argv: readonly string[], parts: HookParts): Promise<void> | undefined {
  const { env, platform } = process;
  const surroundings = { cwd: process.cwd(), env, home: homedir(), platform };
  const [agent, ...flags] = argv;
  const shadow = flags.includes('--shadow');
  const answer = runHook({ agent, shadow, payload: readAll(), surroundings, now: Date.now() }, parts);
  if (answer instanceof Promise) return answer.then(writeAll);
  writeAll(answer);
  return undefined;
}

function readAll(): string {
  const pieces: Buffer[] = [];
  for (let total = 0; total < MAX_BYTES; ) {
    const piece = Buffer.allocUnsafe(CHUNK);
    const length = patiently(() => readSync(0, piece, 0, CHUNK, null));
    if (length === 0) break;
    pieces.push(length === CHUNK ? piece : piece.subarray(0, length));
    total += length;
  }
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined
    ? first.toString('utf8')
    : Buffer.concat(pieces).toString('utf8');
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += patiently(() => writeSync(1, bytes, from));
}

/** A pipe that the host has set not to block says so, and must be asked again. */
function patiently(run: () => number): number {
  for (;;) {
    try {
      return run();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
