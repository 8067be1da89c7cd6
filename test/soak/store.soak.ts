import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileStore } from '../../src/stores/file.ts';
import { type Counter, newCounter } from '../stores/processes.ts';

const KILLS = 1000;
const AT_ONCE = 4;

/** Needs `dist/`. */
describe('the file store', () => {
  it(`survives ${KILLS} kills at random instants`, async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'deloop-kills-')), 'states');
    const problems: unknown[] = [];
    const store = createFileStore({ folder, waitMs: 60_000, onProblem: (problem) => problems.push(problem) });
    const saved = () => store.update('s', (found) => [found as null, found]) as Promise<{ counts: Counts }>;
    let missing = 0;
    let changes = 0;
    for (let n = 0; n < KILLS; n += AT_ONCE) {
      const counters = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, k) => newCounter(folder, 's', `p${k}`, 1_000_000)),
      );
      const before = (await saved())?.counts ?? {};
      await Promise.all(counters.map(killed));
      const { counts } = await saved();
      for (const [k, counter] of counters.entries()) {
        const made = (counts[`p${k}`] ?? 0) - (before[`p${k}`] ?? 0);
        const told = counter.counted();
        // The last change may be made and not told of; none that was told of may be missing.
        expect(made - told === 0 || made - told === 1, `told ${told}, made ${made}`).toBe(true);
        missing += told > made ? told - made : 0;
        changes += made;
      }
    }
    console.log(
      `${KILLS} kills, ${changes} changes, ${missing} missing, ${problems.length} unreadable states`,
    );
    expect(problems).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual(['s.json']);
  });
});

/** Ended in the middle of its work, which is nothing but changes. */
async function killed({ start, process, ended }: Counter): Promise<void> {
  await start();
  await new Promise((done) => setTimeout(done, Math.random() * 12));
  process.kill('SIGKILL');
  await ended;
}

type Counts = { readonly [name: string]: number };
