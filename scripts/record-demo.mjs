// Records the two runs in examples/recordings: `node scripts/record-demo.mjs`.
// The model is a script, everything else is real: a small agent loop, real files, a real `node --test`.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { healthyRun } from './demo-runs/healthy.mjs';
import { stuckRun } from './demo-runs/stuck.mjs';

const RECORDINGS = new URL('../examples/recordings/', import.meta.url);
// A made-up clock, so that recording again gives the same file.
const START = Date.UTC(2025, 0, 15, 9, 0, 0);
const STEP_MS = 1500;

async function record({ task, outcome, onset, files, turns }) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'deloop-demo-')));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const session = { type: 'session', source: 'deloop-demo', model: 'scripted', task, outcome };
    const lines = [onset === undefined ? session : { ...session, onset }];
    let at = START;
    const add = (event) => {
      lines.push({ ...event, at });
      at += STEP_MS;
    };
    add({ type: 'user', text: task });
    let call = 0;
    for (const { text, calls = [] } of turns) {
      add({ type: 'turn', text });
      for (const { tool, args } of calls) {
        call += 1;
        const id = `call_${call}`;
        add({ type: 'tool-call', id, tool, args });
        const { output, ok } = await tools[tool](folder, args);
        add({ type: 'tool-result', id, output: masked(output, folder), ok });
      }
    }
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const tools = {
  async list_files(folder) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
    return { output: paths.sort().join('\n'), ok: true };
  },
  async read_file(folder, { path }) {
    return readFile(join(folder, path), 'utf8').then(
      (output) => ({ output, ok: true }),
      (error) => ({ output: error.message, ok: false }),
    );
  },
  async edit_file(folder, { path, find, replace }) {
    const before = await readFile(join(folder, path), 'utf8');
    if (!before.includes(find)) return { output: `The text to replace is not in ${path}.`, ok: false };
    await writeFile(
      join(folder, path),
      before.replace(find, () => replace),
    );
    return { output: `Edited ${path}.`, ok: true };
  },
  bash(folder, { command }) {
    // Only what the command needs: neither the recorder's own settings nor the machine's.
    const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
    return new Promise((done) => {
      execFile('sh', ['-c', command], { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) =>
        done({ output: `${stdout}${stderr}`.trimEnd(), ok: error === null }),
      );
    });
  },
};

/** What differs from machine to machine and from run to run: the folder and how long things took. */
function masked(output, folder) {
  return output
    .replaceAll(folder, '/project')
    .replace(/duration_ms:? [\d.]+/g, (text) => text.replace(/[\d.]+$/, '0'))
    .replace(/\([\d.]+ms\)/g, '(0ms)');
}

for (const run of [stuckRun, healthyRun]) {
  const lines = await record(run);
  await mkdir(RECORDINGS, { recursive: true });
  await writeFile(
    new URL(`${run.name}.jsonl`, RECORDINGS),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  const calls = lines.filter((line) => line.type === 'tool-call').length;
  process.stdout.write(`${run.name}: ${calls} calls\n`);
}
