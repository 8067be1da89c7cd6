import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type Command, EVERYTHING, guarded, INSPECTOR } from './hosts.ts';

const run = promisify(execFile);

/** What the inspector prints of server-everything must be the same with and without the guard. */
export async function expectSameInInspector(words: readonly string[]): Promise<void> {
  const [program, ...flags] = INSPECTOR as readonly [string, ...string[]];
  const output = async (command: Command) =>
    (await run(program, [...flags, ...command, '--method', ...words], { maxBuffer: 2 ** 26 })).stdout;
  const [direct, behind] = await Promise.all([output(EVERYTHING), output(guarded(EVERYTHING))]);
  expect(direct.length).toBeGreaterThan(20);
  expect(behind).toBe(direct);
}
