import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, pageOf, ROOT } from './pages.ts';

const page = pageOf('docs/cli.md');
const folder = mkdtempSync(join(tmpdir(), 'deloop-cli-docs-'));
const [trace] = blocksOf(page, 'jsonl');
const [labels] = blocksOf(page, 'labels');

beforeAll(() => {
  writeFileSync(join(folder, 'run.jsonl'), `${trace?.text}\n`);
  writeFileSync(join(folder, 'labels.jsonl'), `${labels?.text}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sessions = blocksOf(page, 'console').flatMap(({ text }) =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((session) => {
      const [command = '', ...output] = session.trimEnd().split('\n');
      return { command, output };
    }),
);

/** Needs `dist/`: run `npm run build` first. */
it.each(sessions)('$command prints what the page says', { timeout: 30_000 }, ({ command, output }) => {
  const [program, ...parts] = command.split(' ');
  expect(program).toBe('deloop');
  const printed = execFileSync(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...parts], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder },
  });
  expect(shortened(printed).trimEnd().split('\n')).toEqual(output);
});

function shortened(text: string): string {
  return text.replaceAll(/"message":"[^"]*"/g, '"message":"..."').replaceAll(/#[0-9a-z]+"/g, '#..."');
}
