import { describe, expect, it } from 'vitest';
import { deloop, jsonLines, newFolder, toLines } from './run-cli.ts';
import { done, failures, sameCall } from './traces.ts';

const HALT = { type: 'decision', call: 8, action: 'halt', detector: 'failure-streak' };
const NUDGE = { type: 'decision', call: 3, action: 'nudge', detector: 'failure-streak' };
const BLOCK = { type: 'decision', call: 3, action: 'block', detector: 'call-count' };
const planned = (count: number) =>
  Array.from({ length: count }, (_, index) => done(`p${index}`, 'read', { path: 'a' }, '')[0]);

async function verified(log: readonly object[], ...flags: readonly string[]) {
  const cwd = newFolder({ 'log.jsonl': toLines(log) });
  const args = ['replay', '--verify', 'log.jsonl', '--preset', 'zagens', '--json', ...flags];
  const { status, out, err } = await deloop(args, { cwd });
  return { status, err, verdict: jsonLines(out)[0] as { readonly [field: string]: unknown } };
}

describe('deloop replay --verify', () => {
  it('Z13: a log of eight failures with one halt is coherent, and so is one of three identical calls with one block', async () => {
    const failed = await verified([...failures(8), HALT]);
    expect(failed.status).toBe(0);
    expect(failed.verdict).toMatchObject({
      file: 'log.jsonl',
      type: 'verify',
      coherent: true,
      actions: { halt: { simulated: 1, logged: 1 } },
    });
    const identical = await verified([...planned(3), BLOCK]);
    expect(identical.status).toBe(0);
    expect(identical.verdict).toMatchObject({
      coherent: true,
      actions: { block: { simulated: 1, logged: 1 } },
      missing: [],
      extra: [],
    });
  });

  it.each([
    ['a block that was not logged', planned(3), false],
    ['a halt that was not logged', failures(8), false],
    ['a halt that nothing explains', [...failures(7), { ...HALT, call: 7 }], false],
    ['a halt at another call', [...failures(8), { ...HALT, call: 7 }], false],
    ['a block under another detector', [...planned(3), { ...BLOCK, detector: 'failure-streak' }], false],
    ['a block too many', [...planned(3), BLOCK, { ...BLOCK, call: 2 }], true],
    ['no nudge in the whole log', failures(7), true],
    ['the nudge, logged', [...failures(7), NUDGE], true],
    ['nudges, but not this one', [...failures(7), { ...NUDGE, call: 2 }], false],
    ['what was only observed', [...planned(2), { ...BLOCK, action: 'observe' }], true],
  ])('judges %s', async (_what, log, coherent) => {
    const { status, verdict } = await verified(log);
    expect([verdict['coherent'], status]).toEqual([coherent, coherent ? 0 : 1]);
  });

  it('finds coherent what replay itself printed', async () => {
    const cwd = newFolder({ 'a.jsonl': toLines(sameCall('xxxxxx')), 'b.jsonl': toLines(failures(9)) });
    const printed = await deloop(['replay', 'a.jsonl', 'b.jsonl', '--preset', 'zagens', '--json'], { cwd });
    for (const file of ['a.jsonl', 'b.jsonl']) {
      const { status, out } = await deloop(['replay', file, '--verify', '-', '--preset', 'zagens'], {
        cwd,
        stdin: printed.out,
      });
      expect([status, out.split('\n')[0]]).toEqual([
        0,
        `${file}: coherent: the log says what the guard decides`,
      ]);
    }
  });

  it('replays a trace that holds decisions as if they were not there', async () => {
    const cwd = newFolder({ 't.jsonl': toLines([...planned(3), BLOCK, { ...BLOCK, type: undefined }]) });
    const { status, out } = await deloop(['replay', 't.jsonl', '--preset', 'zagens', '--json'], { cwd });
    expect(status).toBe(0);
    expect(jsonLines(out)).toHaveLength(2);
  });

  it('says for people what is missing and what is too much', async () => {
    const cwd = newFolder({ 'log.jsonl': toLines([...failures(8), { ...HALT, call: 7 }]) });
    const { status, out } = await deloop(['replay', '--verify', 'log.jsonl', '--preset', 'zagens'], { cwd });
    expect(status).toBe(1);
    expect(out).toContain('log.jsonl: NOT coherent');
    expect(out).toContain('2 decisions missing from the log:\n    call 3: nudge (failure-streak)');
    expect(out).toContain('1 decision only in the log:\n    call 7: halt (failure-streak)');
  });

  it('exits with 3 when a line cannot be read', async () => {
    const { status, err } = await verified([...planned(3), BLOCK, { ...BLOCK, call: 'three' }]);
    expect(status).toBe(3);
    expect(err).toBe('deloop: log.jsonl:5: a decision needs the number of its call; the line is skipped\n');
    const missing = await deloop(['replay', '--verify', 'none.jsonl']);
    expect(missing.status).toBe(3);
  });
});
