import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deloop, jsonLines, newFolder, toLines } from './run-cli.ts';
import { done, failures, sameCall } from './traces.ts';

const KEYS = [
  'file',
  'event',
  'call',
  'action',
  'level',
  'detector',
  'subject',
  'count',
  'evidence',
  'message',
];
const SUMMARY_KEYS = ['file', 'type', 'calls', 'decisions', 'firstAction', 'firstCall', 'halted'];

async function replayed(trace: string, ...flags: readonly string[]) {
  const cwd = newFolder({ 't.jsonl': trace });
  const { status, out, err } = await deloop(['replay', 't.jsonl', '--json', ...flags], { cwd });
  const lines = jsonLines(out);
  return { status, err, out, decisions: lines.slice(0, -1), summary: lines.at(-1) ?? {} };
}
const numbers = (decisions: readonly { readonly [field: string]: unknown }[], field: string) =>
  decisions.map((decision) => decision[field]);

describe('deloop replay --json', () => {
  it('blocks calls 3 to 6 of the example in the contract, on its own blocked results', async () => {
    const { status, decisions, summary, err } = await replayed(
      toLines(sameCall('xxyyyy')),
      '--preset',
      'atomcode',
    );
    expect(numbers(decisions, 'call')).toEqual([3, 4, 5, 6]);
    expect(numbers(decisions, 'event')).toEqual([5, 7, 9, 11]);
    expect(numbers(decisions, 'action')).toEqual(['block', 'block', 'block', 'block']);
    expect(numbers(decisions, 'evidence').at(-1)).toEqual([1, 2, 6]);
    expect(summary).toEqual({
      file: 't.jsonl',
      type: 'summary',
      calls: 6,
      decisions: 4,
      firstAction: 'block',
      firstCall: 3,
      halted: false,
    });
    expect([status, err]).toEqual([0, '']);
  });

  it('answers the same example at calls 3 and 6 in shadow mode, where every recorded result counts', async () => {
    const { decisions } = await replayed(toLines(sameCall('xxyyyy')), '--preset', 'atomcode', '--shadow');
    expect(numbers(decisions, 'call')).toEqual([3, 6]);
    expect(numbers(decisions, 'level')).toEqual(['warning', 'critical']);
  });

  it('writes exactly the promised fields in the promised order', async () => {
    const { decisions, summary } = await replayed(toLines(sameCall('xxx')), '--preset', 'atomcode');
    expect(Object.keys(decisions[0] ?? {})).toEqual(KEYS);
    expect(Object.keys(summary)).toEqual(SUMMARY_KEYS);
  });

  it('has nothing to say about a run without calls', async () => {
    const { status, decisions, summary } = await replayed('');
    expect([status, decisions]).toEqual([0, []]);
    expect(summary).toMatchObject({
      calls: 0,
      decisions: 0,
      firstAction: null,
      firstCall: null,
      halted: false,
    });
  });

  it('gives the same output to the byte', async () => {
    const trace = toLines([...sameCall('xxyyyy'), ...failures(9)]);
    const first = await replayed(trace, '--preset', 'zagens');
    const second = await replayed(trace, '--preset', 'zagens');
    expect(first.out).toBe(second.out);
    expect(first.out).not.toBe('');
  });

  it('stops after a halt, in shadow mode, too', async () => {
    for (const flags of [[], ['--shadow']]) {
      const { decisions, summary } = await replayed(toLines(failures(9)), '--preset', 'zagens', ...flags);
      expect(numbers(decisions, 'action')).toEqual(['nudge', 'halt']);
      expect(numbers(decisions, 'call')).toEqual([3, 8]);
      expect(summary).toMatchObject({ calls: 8, halted: true });
    }
  });

  it('goes on after a halt with --through', async () => {
    for (const flags of [['--through'], ['--through', '--shadow']]) {
      const { decisions, summary } = await replayed(toLines(failures(9)), '--preset', 'zagens', ...flags);
      expect(numbers(decisions, 'call')).toEqual([3, 8, 9]);
      expect(summary).toMatchObject({ calls: 9, halted: true });
    }
  });

  it('counts a nudge as delivered', async () => {
    const rounds = Array.from({ length: 12 }, (_, index) => [
      { type: 'turn' },
      ...done(`c${index}`, 'read', { path: 'a' }, 'x'),
    ]).flat();
    const { decisions, summary } = await replayed(toLines(rounds), '--preset', 'koda');
    expect(numbers(decisions, 'action')).toEqual(['nudge', 'halt']);
    expect(numbers(decisions, 'call')).toEqual([5, 10]);
    expect(numbers(decisions, 'event')).toEqual([16, 31]);
    expect(summary).toMatchObject({ calls: 10 });
  });

  it('ends the last round with the trace, on its last line', async () => {
    const rounds = Array.from({ length: 5 }, (_, index) => [
      { type: 'turn' },
      ...done(`c${index}`, 'read', { path: 'a' }, 'x'),
    ]).flat();
    const { decisions } = await replayed(toLines(rounds), '--preset', 'koda');
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ event: 15, call: 5, action: 'nudge' });
  });

  it('ends the open rounds of sub-agents, too', async () => {
    const rounds = Array.from({ length: 5 }, (_, index) => [
      { type: 'turn', agent: 'scout' },
      { type: 'tool-call', id: `c${index}`, tool: 'read', args: {}, agent: 'scout' },
      { type: 'tool-result', id: `c${index}`, output: '' },
    ]).flat();
    const { decisions } = await replayed(toLines([...rounds, { type: 'turn' }]), '--preset', 'koda');
    expect(numbers(decisions, 'event')).toEqual([16]);
  });

  it('pairs results without ids by tool and arguments, and skips those of blocked calls', async () => {
    const call = (path: string) => ({ type: 'tool-call', tool: 'read', args: { path } });
    const result = (path: string, output: string) => ({
      type: 'tool-result',
      tool: 'read',
      args: { path },
      output,
    });
    const trace = [
      ...[call('a'), result('a', 'x'), call('a'), result('a', 'x')],
      // The third call of a is blocked while b is open: a's recorded result must not end up with b.
      ...[call('b'), call('a'), { type: 'tool-result', tool: 'read', args: { path: 'a' }, output: 'x' }],
      ...[result('b', 'y'), call('b'), result('b', 'y'), call('b')],
    ];
    const { decisions } = await replayed(toLines(trace), '--preset', 'atomcode');
    expect(numbers(decisions, 'call')).toEqual([4, 6]);
  });

  it('skips results of blocked calls first in, first out, where there is nothing else to go by', async () => {
    const call = (path: string) => ({ type: 'tool-call', tool: 'read', args: { path } });
    const result = (output: string) => ({ type: 'tool-result', output });
    const trace = [
      ...[call('a'), result('x'), call('a'), result('x')],
      ...[call('a'), call('b'), result('x'), result('y')],
      ...[call('b'), result('y'), call('b')],
    ];
    const { decisions } = await replayed(toLines(trace), '--preset', 'atomcode');
    expect(numbers(decisions, 'call')).toEqual([3, 6]);
  });

  it('numbers calls as the recording does, even those that the guard never looks at', async () => {
    const cwd = newFolder({
      'deloop.config.json': JSON.stringify({ preset: 'atomcode', tools: { think: { exempt: true } } }),
      't.jsonl': toLines([...done('t', 'think', {}, ''), ...sameCall('xxx')]),
    });
    const { out } = await deloop(['replay', 't.jsonl', '--json'], { cwd });
    expect(jsonLines(out)[0]).toMatchObject({ event: 7, call: 4, evidence: [2, 3, 4] });
    expect(jsonLines(out)[1]).toMatchObject({ calls: 4 });
  });

  it('gives a result to the agent of its call', async () => {
    const trace = Array.from({ length: 3 }, (_, index) => [
      { type: 'tool-call', id: `c${index}`, tool: 'fetch', args: { index }, agent: 'scout' },
      {
        type: 'tool-result',
        id: `c${index}`,
        output: 'no',
        ok: false,
        agent: index === 1 ? 'boss' : undefined,
      },
    ]).flat();
    const { decisions } = await replayed(toLines(trace), '--preset', 'zagens');
    expect(numbers(decisions, 'call')).toEqual([3]);
  });
});

describe('what deloop replay reads', () => {
  const trace = sameCall('xxx').map((event) => JSON.stringify(event));

  it('takes a byte order mark, CRLF, empty lines, a session line, unknown types and no last line feed', async () => {
    const session = JSON.stringify({ type: 'session', source: 's', agent: { name: 'a' }, outcome: 'x' });
    const unknown = JSON.stringify({ type: 'weather', sun: true, agent: 5, text: [] });
    const text = `\uFEFF${[session, '', unknown, '  ', ...trace].join('\r\n')}`;
    const { status, err, decisions } = await replayed(text, '--preset', 'atomcode');
    expect([status, err]).toEqual([0, '']);
    expect(decisions).toMatchObject([{ event: 9, call: 3 }]);
  });

  it('does not take a line separator inside a text for the end of a line', async () => {
    const events = sameCall('xxx').map((event) => JSON.stringify({ ...event, note: 'a\u2028b\rc' }));
    const { status, decisions } = await replayed(`${events.join('\n')}\n`, '--preset', 'atomcode');
    expect([status, decisions.length]).toEqual([0, 1]);
  });

  it('reports a broken line with its number, skips it and exits with 3', async () => {
    const text = `${[...trace.slice(0, 2), '{"type":', '[]', '{"type":"tool-call"}', ...trace.slice(2)].join('\n')}\n`;
    const { status, err, decisions, summary } = await replayed(text, '--preset', 'atomcode');
    expect(status).toBe(3);
    expect(err.split('\n').map((line) => line.split(': ')[1])).toEqual([
      't.jsonl:3',
      't.jsonl:4',
      't.jsonl:5',
      undefined,
    ]);
    expect(decisions).toMatchObject([{ event: 8, call: 3 }]);
    expect(summary).toMatchObject({ type: 'summary', calls: 3 });
  });

  it('reports a file that cannot be read on one line, goes on with the others and exits with 3', async () => {
    const cwd = newFolder({ 'good.jsonl': toLines(sameCall('xxx')) });
    mkdirSync(join(cwd, 'folder'));
    const { status, out, err } = await deloop(['replay', 'none.jsonl', 'folder', 'good.jsonl', '--json'], {
      cwd,
    });
    expect(status).toBe(3);
    expect(err.trim().split('\n')).toHaveLength(2);
    expect(err).toContain('none.jsonl: there is no such file');
    expect(jsonLines(out).map((line) => line['file'])).toContain('good.jsonl');
  });

  it('starts every file with a guard of its own', async () => {
    const cwd = newFolder({ 'a.jsonl': toLines(sameCall('xx')), 'b.jsonl': toLines(sameCall('xx')) });
    const { out } = await deloop(['replay', 'a.jsonl', 'b.jsonl', '--json', '--preset', 'atomcode'], { cwd });
    expect(jsonLines(out).map((line) => [line['file'], line['type'], line['decisions']])).toEqual([
      ['a.jsonl', 'summary', 0],
      ['b.jsonl', 'summary', 0],
    ]);
  });

  it('reads the standard input', async () => {
    const { status, out } = await deloop(['replay', '-', '--json', '--preset', 'atomcode'], {
      stdin: toLines(sameCall('xxx')),
    });
    expect(status).toBe(0);
    expect(jsonLines(out)).toMatchObject([
      { file: '-', call: 3 },
      { file: '-', calls: 3 },
    ]);
  });

  it('follows links', async () => {
    const cwd = newFolder({ 'a.jsonl': toLines(sameCall('xxx')) });
    symlinkSync(join(cwd, 'a.jsonl'), join(cwd, 'link.jsonl'));
    const { status } = await deloop(['replay', 'link.jsonl', '--json'], { cwd });
    expect(status).toBe(0);
  });

  it('reads lines of 50 MB', async () => {
    const cwd = newFolder();
    const long = 'y'.repeat(50_000_000);
    writeFileSync(
      join(cwd, 'long.jsonl'),
      toLines([...done('1', 'read', {}, long), ...done('2', 'read', {}, long)]),
    );
    const { status, out } = await deloop(['replay', 'long.jsonl', '--json'], { cwd });
    expect([status, jsonLines(out).at(-1)?.['calls']]).toEqual([0, 2]);
  }, 60_000);
});

describe('deloop replay for people', () => {
  it('shows a table and a sentence on stdout, without colours where nobody sees them', async () => {
    const cwd = newFolder({ 't.jsonl': toLines(sameCall('xxx')) });
    const { out, err } = await deloop(['replay', 't.jsonl', '--preset', 'atomcode'], { cwd });
    const [title, head, row, sentence] = out.split('\n');
    expect(title).toBe('t.jsonl');
    expect(head).toMatch(/^ +call +action +level +detector +subject +count +message$/);
    expect(row).toMatch(/^ +3 +block +warning +outcome-repeat +read#\w+ +3 +Not run: .*…$/);
    expect(sentence).toBe('3 calls: the guard stepped in once, first at call 3 (block).');
    expect([err, out.includes('\u001B')]).toEqual(['', false]);
  });

  it('lets no recorded name act on the terminal', async () => {
    const evil = 'x\u001B[2J\u202Ey';
    const trace = [1, 2, 3].flatMap((n) => done(`c${n}`, evil, {}, 'x'));
    const cwd = newFolder({ 't.jsonl': toLines(trace) });
    const { out } = await deloop(['replay', 't.jsonl', '--preset', 'atomcode'], { cwd });
    expect(out).toContain('x [2J y');
    expect(out.includes('\u001B') || out.includes('\u202E')).toBe(false);
  });

  it('shows what guards do in ten seconds', async () => {
    const { status, out, err } = await deloop(['replay', '--demo']);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^atomcode +\.{12}B{20} +20 {2}block at 13$/m);
    expect(out).toMatch(/^koda +\.{22}n\.{4}H +4 {2}nudge at 23, halt at 28$/m);
    expect(out).toContain('stays silent');
    expect(out).toContain('deloop replay your-trace.jsonl');
    for (const line of out.split('\n')) expect(line.length).toBeLessThan(121);
  });

  it('gives the demo as JSON, too', async () => {
    const { out } = await deloop(['replay', '--demo', '--json']);
    const lines = jsonLines(out);
    expect(lines).toContainEqual(
      expect.objectContaining({ preset: 'atomcode', file: 'stuck.jsonl', spared: 20 }),
    );
    for (const line of lines.filter(({ file }) => file === 'healthy.jsonl'))
      expect(line['firstAction']).toBeNull();
  });
});
