import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { healthy, piSession, stuck } from '../cli/pi-session.ts';
import { MAIN } from '../cli/run-cli.ts';

// Needs `dist/`: run `npm run build` first. Everything is made in TMPDIR and removed at the end.

const GB = 1_000_000_000;
const MB = 1_000_000;
const MAX_MEMORY: number = 400 * MB;
const PEAK = new URL('../../bench/scan/peak.mjs', import.meta.url).href;

const folder = mkdtempSync(join(tmpdir(), 'deloop-soak-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Report = {
  readonly sessions: number;
  readonly skipped: readonly { readonly why: string }[];
  readonly loops: readonly { readonly firstCall: number; readonly lastCall: number }[];
  readonly totals: { readonly calls: number };
};

/** Scans with the real command; `memory` = the most that its process ever had, in bytes. */
async function scan(...args: readonly string[]) {
  const peak = join(folder, 'peak.json');
  const env = { PATH: process.env['PATH'], HOME: folder, PEAK_FILE: peak };
  const child = spawn(process.execPath, ['--import', PEAK, MAIN, 'scan', ...args, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const status = await new Promise<number | null>((done) => {
    child.on('close', done);
  });
  const { maxRSS } = JSON.parse(readFileSync(peak, 'utf8')) as { readonly maxRSS: number };
  return { status, out, report: JSON.parse(out) as Report, memory: maxRSS * 1024 };
}

/** The records of one call, of about so many bytes. */
function callOf(number: number, bytes: number): string {
  const filler = `${number} ${'some words of a long output, '.repeat(40)}\n`;
  const step = { command: `cat file-${number}`, output: filler.repeat(Math.ceil(bytes / filler.length)) };
  const lines = piSession([step]).split('\n');
  return `${lines.slice(-3).join('\n').replaceAll('"c0"', `"c${number}"`).replaceAll('0"', `0-${number}"`)}`;
}

describe('a session of 2.2 GB', () => {
  const file = join(folder, 'huge.jsonl');
  const [calls, each] = [11_000, 200_000];

  it('is scanned in bounded memory', async () => {
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, piSession([...healthy(2), ...stuck(8)]));
    let bytes = 0;
    for (let number = 1; number <= calls; number++) bytes += writeSync(descriptor, callOf(number, each));
    closeSync(descriptor);
    expect(bytes).toBeGreaterThan(2.2 * GB);
    const { status, report, memory } = await scan(file);
    console.log(`a session of ${(bytes / GB).toFixed(2)} GB: at most ${(memory / MB).toFixed(0)} MB`);
    expect({ status, skipped: report.skipped, sessions: report.sessions }).toEqual({
      status: 0,
      skipped: [],
      sessions: 1,
    });
    expect(report.totals.calls).toBe(calls + 10);
    expect(report.loops).toMatchObject([{ firstCall: 3, lastCall: 10 }]);
    expect(memory).toBeLessThan(MAX_MEMORY);
    rmSync(file);
  });
});

describe('a session of 200,000 calls', () => {
  it('is scanned in bounded memory, though it loops to its end', async () => {
    const file = join(folder, 'long.jsonl');
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, piSession(healthy(2)));
    const [, , call = '', result = ''] = piSession(stuck(1)).split('\n');
    for (let number = 0; number < 200_000; number++)
      writeSync(
        descriptor,
        `${call}\n${result}\n`.replaceAll('"c0"', `"n${number}"`).replaceAll('"a0"', `"a-${number}"`),
      );
    closeSync(descriptor);
    const { status, report, memory } = await scan(file);
    console.log(`a session of 200,000 calls: at most ${(memory / MB).toFixed(0)} MB`);
    expect({ status, calls: report.totals.calls }).toEqual({ status: 0, calls: 200_002 });
    expect(report.loops).toMatchObject([{ firstCall: 3, lastCall: 200_002 }]);
    expect(memory).toBeLessThan(MAX_MEMORY);
    rmSync(file);
  });
});

describe('a line of 300 MB', () => {
  it('is passed over, and all else is read', async () => {
    const file = join(folder, 'line.jsonl');
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, piSession(healthy(5)));
    writeSync(descriptor, '{"type":"message","text":"');
    for (let written = 0; written < 300 * MB; written += 10 * MB) writeSync(descriptor, 'x'.repeat(10 * MB));
    writeSync(descriptor, '"}\n');
    for (let number = 1; number <= 5; number++) writeSync(descriptor, callOf(number, 1000));
    closeSync(descriptor);
    const { status, report, memory } = await scan(file);
    console.log(`a line of 300 MB: at most ${(memory / MB).toFixed(0)} MB`);
    expect({ status, calls: report.totals.calls }).toEqual({ status: 3, calls: 10 });
    expect(report.skipped[0]?.why).toContain('the line is too long to read');
    rmSync(file);
  });
});

describe('50,000 small sessions', () => {
  it('are scanned in bounded memory, the same on any number of threads', async () => {
    const many = join(folder, 'many');
    const count = 50_000;
    for (let number = 0; number < count; number++) {
      const inside = join(many, `${Math.floor(number / 500)}`);
      if (number % 500 === 0) mkdirSync(inside, { recursive: true });
      const steps = number % 100 === 0 ? stuck(6) : healthy(3);
      writeFileSync(join(inside, `${number}.jsonl`), piSession(steps, { id: `s${number}` }));
    }
    const outputs: string[] = [];
    for (const threads of ['1', '4']) {
      const { status, report, memory, out } = await scan(many, '--threads', threads);
      console.log(`50,000 sessions on ${threads} threads: at most ${(memory / MB).toFixed(0)} MB`);
      expect({
        status,
        sessions: report.sessions,
        loops: report.loops.length,
        skipped: report.skipped,
      }).toEqual({
        status: 0,
        sessions: count,
        loops: count / 100,
        skipped: [],
      });
      expect(memory).toBeLessThan(MAX_MEMORY);
      outputs.push(out);
    }
    expect(new Set(outputs).size).toBe(1);
  });
});
