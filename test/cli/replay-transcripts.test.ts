import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { deloop, jsonLines, MAIN, newFolder, toLines } from './run-cli.ts';
import { sameCall } from './traces.ts';

const RECORDED = fileURLToPath(new URL('../transcripts/fixtures/recorded/', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../examples/sessions/', import.meta.url));

const recorded = (agent: string, file: string) => join(RECORDED, agent, file);
const expectedOf = (agent: string) =>
  JSON.parse(readFileSync(recorded(agent, 'expected.json'), 'utf8')) as {
    readonly [file: string]: { readonly calls: number };
  };

describe('deloop replay', () => {
  it.each([
    ['codex', 'identical.jsonl'],
    ['gemini-cli', 'identical.jsonl'],
    ['qwen-code', 'varied.jsonl'],
    ['openclaw', 'identical.jsonl'],
    ['pi', 'identical.jsonl'],
    ['opencode', 'identical.json'],
    ['continue-cli', 'identical.json'],
    ['cline', 'varied.messages.json'],
  ])('reads what %s has recorded: %s', async (agent, file) => {
    const { status, out, err } = await deloop([
      'replay',
      recorded(agent, file),
      '--json',
      '--shadow',
      '--through',
    ]);
    expect([status, err]).toEqual([0, '']);
    const lines = jsonLines(out);
    expect(lines.at(-1)).toMatchObject({ type: 'summary', calls: expectedOf(agent)[file]?.calls });
    const loops = file.startsWith('identical');
    expect(lines.length > 1).toBe(loops);
    if (loops) expect(lines[0]).toMatchObject({ action: 'nudge', call: 3, detector: 'no-progress' });
  });

  it('tells the line of the record that an event comes from', async () => {
    const file = recorded('pi', 'identical.jsonl');
    const { out } = await deloop(['replay', file, '--json', '--through']);
    const text = readFileSync(file, 'utf8').split('\n');
    const decisions = jsonLines(out).slice(0, -1);
    expect(decisions.length).toBeGreaterThan(0);
    for (const { event } of decisions) expect(text[Number(event) - 1]).toContain('"role"');
  });

  it('reads the same from the standard input', async () => {
    const file = join(EXAMPLES, 'codex', 'stuck.jsonl');
    const named = await deloop(['replay', file, '--json']);
    const piped = await deloop(['replay', '-', '--json'], { stdin: readFileSync(file, 'utf8') });
    expect(piped.status).toBe(0);
    expect(piped.out).toBe(named.out.replaceAll(JSON.stringify(file), '"-"'));
    expect(named.out).not.toBe('');
  });

  it('reports a broken line with its number, leaves it out and exits with 3', async () => {
    const lines = readFileSync(recorded('codex', 'identical.jsonl'), 'utf8').split('\n');
    const cwd = newFolder({ 'a.jsonl': lines.with(4, '{"type":').join('\n') });
    const { status, err, out } = await deloop(['replay', 'a.jsonl', '--json'], { cwd });
    expect([status, err]).toEqual([3, 'deloop: a.jsonl:5: not JSON; it is left out\n']);
    expect(jsonLines(out).at(-1)).toMatchObject({ type: 'summary' });
  });

  it('reports a document that ends too early', async () => {
    const text = readFileSync(recorded('opencode', 'identical.json'), 'utf8');
    const cwd = newFolder({ 'a.json': text.slice(0, -200) });
    const { status, err } = await deloop(['replay', 'a.json', '--json'], { cwd });
    expect(status).toBe(3);
    expect(err).toContain('the document is not finished; it is left out');
  });

  it('decides while a trace is still being written', async () => {
    const child = spawn(process.execPath, [MAIN, 'replay', '-', '--json', '--preset', 'atomcode']);
    child.stdin.write(toLines(sameCall('xxx')));
    const first = await new Promise((done) => child.stdout.once('data', done));
    expect(jsonLines(String(first))[0]).toMatchObject({ action: 'block', call: 3 });
    child.stdin.end();
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
  });
});

describe('deloop compare', () => {
  it('finds transcripts of every ending in a folder, and passes over what is none', async () => {
    const cwd = newFolder({
      'a.jsonl': toLines(sameCall('xxx')),
      'package.json': '{ "name": "none" }',
      'notes.txt': 'none',
    });
    copyFileSync(recorded('opencode', 'identical.json'), join(cwd, 'b.json'));
    for (const folder of ['node_modules', 'deep']) {
      mkdirSync(join(cwd, folder));
      copyFileSync(recorded('continue-cli', 'identical.json'), join(cwd, folder, 'c.json'));
    }
    const { status, out, err } = await deloop(['compare', '.', '--presets', 'recommended', '--json'], {
      cwd,
    });
    expect([status, err]).toEqual([0, '']);
    const { runs } = JSON.parse(out) as {
      readonly runs: readonly { readonly file: string; readonly calls: number }[];
    };
    expect(runs.map(({ file, calls }) => [file, calls])).toEqual([
      ['a.jsonl', 3],
      ['b.json', 12],
      [join('deep', 'c.json'), 12],
    ]);
  });
});

describe('deloop eval', () => {
  it('measures on transcripts of other endings', async () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, 'runs'));
    copyFileSync(recorded('opencode', 'identical.json'), join(cwd, 'runs', 'stuck.json'));
    copyFileSync(recorded('codex', 'varied.jsonl'), join(cwd, 'runs', 'fine.jsonl'));
    const labels = [
      { trace: 'stuck', source: 'runs', verdict: 'stuck', severity: 'serious', onset: 2, end: 12 },
      { trace: 'fine', source: 'runs', verdict: 'legit' },
    ];
    writeFileSync(join(cwd, 'labels.jsonl'), toLines(labels));
    const flags = ['--labels', 'labels.jsonl', '--presets', 'recommended', '--json'];
    const { status, out, err } = await deloop(['eval', '.', ...flags], { cwd });
    expect([status, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      presets: [{ precision: 1, recall: 1, medianDelay: 1, falsePositives: 0, traces: 2 }],
    });
  });
});
