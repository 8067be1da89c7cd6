import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/report/comparison.ts';
import { deloop, newFolder, toLines } from './run-cli.ts';
import { failures, sameCall } from './traces.ts';

const TWO = ['--presets', 'atomcode,zagens'];

/** Three runs in a folder and below it, with something beside them. */
function runs(): string {
  const cwd = newFolder();
  mkdirSync(join(cwd, 'runs', 'deep'), { recursive: true });
  const write = (path: string, text: string) => writeFileSync(join(cwd, 'runs', path), text);
  write('b.jsonl', toLines(sameCall('xxyyyy')));
  write('a.jsonl', toLines(failures(9)));
  write(join('deep', 'c.jsonl'), toLines(sameCall('x')));
  write('notes.txt', 'nothing');
  return cwd;
}

async function compared(cwd: string, ...args: readonly string[]) {
  const { status, out, err } = await deloop(['compare', ...args, '--json'], { cwd });
  return { status, err, out, comparison: (out === '' ? {} : JSON.parse(out)) as Partial<Comparison> };
}

describe('deloop compare', () => {
  it('tells which guard fires where, first and last, and how often they agree', async () => {
    const { status, err, comparison } = await compared(runs(), 'runs', ...TWO);
    expect([status, err]).toEqual([0, '']);
    expect(comparison).toEqual({
      runs: [
        {
          file: join('runs', 'a.jsonl'),
          calls: 9,
          fired: [
            {
              preset: 'zagens',
              firings: 3,
              firstCall: 3,
              firstAction: 'nudge',
              detector: 'failure-streak',
              lastCall: 9,
              lastAction: 'halt',
            },
          ],
        },
        {
          file: join('runs', 'b.jsonl'),
          calls: 6,
          fired: [
            {
              preset: 'atomcode',
              firings: 2,
              firstCall: 3,
              firstAction: 'block',
              detector: 'outcome-repeat',
              lastCall: 6,
              lastAction: 'block',
            },
            {
              preset: 'zagens',
              firings: 4,
              firstCall: 3,
              firstAction: 'block',
              detector: 'call-count',
              lastCall: 6,
              lastAction: 'block',
            },
          ],
        },
        { file: join('runs', 'deep', 'c.jsonl'), calls: 1, fired: [] },
      ],
      presets: [
        {
          name: 'atomcode',
          fired: 1,
          medianFirstCall: 3,
          lastActions: { nudge: 0, block: 1, ask: 0, halt: 0 },
        },
        {
          name: 'zagens',
          fired: 2,
          medianFirstCall: 3,
          lastActions: { nudge: 0, block: 1, ask: 0, halt: 1 },
        },
      ],
      agreement: [
        [1, 2 / 3],
        [2 / 3, 1],
      ],
      together: [
        [1, 1],
        [1, 2],
      ],
    });
  });

  it('takes each file once, in the order given and by name within a folder', async () => {
    const cwd = runs();
    symlinkSync(join(cwd, 'runs'), join(cwd, 'runs', 'deep', 'again'));
    symlinkSync(join(cwd, 'runs', 'a.jsonl'), join(cwd, 'runs', 'linked.jsonl'));
    const { comparison } = await compared(cwd, join('runs', 'b.jsonl'), 'runs', ...TWO);
    expect(comparison.runs?.map(({ file }) => file)).toEqual(
      ['b.jsonl', 'a.jsonl', join('deep', 'c.jsonl'), 'linked.jsonl'].map((name) => join('runs', name)),
    );
  });

  it('reads the standard input', async () => {
    const { out } = await deloop(['compare', '-', '--json', ...TWO], { stdin: toLines(sameCall('xxx')) });
    expect(JSON.parse(out)).toMatchObject({ runs: [{ file: '-', calls: 3, fired: [{}, {}] }] });
  });

  it('prints tables, and with --details each run that a guard fired in', async () => {
    const cwd = runs();
    const { out } = await deloop(['compare', 'runs', ...TWO], { cwd });
    expect(out).toContain('3 runs, 16 calls.');
    expect(out).toMatch(/^atomcode +1 +3 +0 +1 +0 +0$/m);
    expect(out).toMatch(/^1 atomcode +100 +67$/m);
    const { out: detailed } = await deloop(['compare', 'runs', ...TWO, '--details'], { cwd });
    expect(detailed.startsWith(out)).toBe(true);
    expect(detailed).toContain(`${join('runs', 'a.jsonl')} (9 calls)`);
    expect(detailed).toMatch(/^ {2}zagens +nudge at 3 +failure-streak +last halt at 9 +3 firings$/m);
    expect(detailed).not.toContain('c.jsonl');
  });

  it('compares a config with them', async () => {
    const cwd = runs();
    writeFileSync(
      join(cwd, 'own.json'),
      JSON.stringify({ preset: 'atomcode', tools: { read: { poll: true } } }),
    );
    const { comparison } = await compared(cwd, 'runs', '--presets', 'atomcode', '--config', 'own.json');
    expect(comparison.presets?.map(({ name, fired }) => [name, fired])).toEqual([
      ['atomcode', 1],
      ['own.json', 0],
    ]);
  });

  it('writes a page that no file name can break, the same to the byte each time', async () => {
    const cwd = newFolder({ '<i>.jsonl': toLines(sameCall('xxx')) });
    const flags = ['.', ...TWO, '--html', 'page.html'];
    const first = await compared(cwd, ...flags);
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    expect(await compared(cwd, ...flags)).toEqual(first);
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toBe(page);
    expect(page).toContain('&lt;i&gt;.jsonl');
    expect(page).not.toContain('<i>');
  });

  it('reports what cannot be read, compares the rest and exits 3', async () => {
    const cwd = runs();
    writeFileSync(join(cwd, 'runs', 'broken.jsonl'), `?\n${toLines(sameCall('xxx'))}`);
    writeFileSync(join(cwd, 'runs', 'other.jsonl'), '{"type":"session"}\n');
    const { status, err, comparison } = await compared(cwd, 'none.jsonl', 'runs', ...TWO);
    expect(status).toBe(3);
    expect(err.trimEnd().split('\n')).toEqual([
      'deloop: none.jsonl: there is no such file',
      `deloop: ${join('runs', 'broken.jsonl')}:1: not JSON; the line is skipped`,
      `deloop: ${join('runs', 'other.jsonl')}: there are no events in it; it is left out`,
    ]);
    expect(comparison.runs).toHaveLength(4);
  });

  it('shows no table where there is nothing to compare', async () => {
    const { status, out, err } = await deloop(['compare', 'none.jsonl']);
    expect([status, out]).toEqual([3, 'No run was read.\n']);
    expect(err).toBe('deloop: none.jsonl: there is no such file\n');
  });

  it.each([
    [['compare'], "missing required argument 'paths'"],
    [['compare', '.'], '.: there is no .jsonl file in it'],
    [['compare', 'x', '--presets', 'kodda'], '--presets is "kodda"; it must be all, or some of koda, '],
  ])('answers wrong usage %j with one line and exit status 2', async (args, message) => {
    const { status, out, err } = await deloop(args);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });
});
