import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from './pages.ts';

const run = promisify(execFile);

it('runs examples/plain-loop to its end', { timeout: 30_000 }, async () => {
  expect(existsSync(join(ROOT, 'dist/index.js')), 'dist/ is there: run `npm run build` first').toBe(true);
  const { stdout } = await run(process.execPath, ['examples/plain-loop/index.mjs'], { cwd: ROOT });
  for (const action of ['allow', 'nudge', 'block', 'ask', 'halt']) expect(stdout).toContain(action);
});

it('runs examples/claude-agent-sdk to its end', { timeout: 30_000 }, async () => {
  expect(existsSync(join(ROOT, 'dist/index.js')), 'dist/ is there: run `npm run build` first').toBe(true);
  const { stdout } = await run(process.execPath, ['examples/claude-agent-sdk/index.mjs'], { cwd: ROOT });
  expect(stdout).toContain('All went as told.');
});

it('runs examples/own-adapter to its end', { timeout: 30_000 }, async () => {
  expect(existsSync(join(ROOT, 'dist/index.js')), 'dist/ is there: run `npm run build` first').toBe(true);
  const { stdout } = await run(process.execPath, ['examples/own-adapter/index.mjs'], { cwd: ROOT });
  expect(stdout).toMatch(/\bpass 45\n/);
  expect(stdout).toMatch(/\bfail 0\n/);
});

it('runs examples/generic to its end', { timeout: 30_000 }, async () => {
  expect(existsSync(join(ROOT, 'dist/index.js')), 'dist/ is there: run `npm run build` first').toBe(true);
  const { stdout } = await run(process.execPath, ['examples/generic/index.mjs'], { cwd: ROOT });
  expect(stdout).toContain('All three went as told.');
});
