import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { CLIENTS } from '../../src/cli/mcp/wrap/clients.ts';
import { newFolder } from '../cli/run-cli.ts';
import { MODERN_ELICITING, talk } from '../mcp/talk.ts';
import { blocksOf, pageOf, ROOT, tableOf } from './pages.ts';

const run = promisify(execFile);
const page = pageOf('docs/mcp.md');

/** Every message of the example, as `--wire` prints it, and of a run in the wire of 2026-07-28. */
async function messages(): Promise<readonly string[]> {
  const home = newFolder();
  const { stdout } = await run(process.execPath, [join(ROOT, 'examples/mcp/index.mjs'), '--wire'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home },
  });
  expect(stdout).toContain('All four went as told.');
  return [...stdout.split('\n'), ...modernQuestion()];
}

function modernQuestion(): readonly string[] {
  const talking = talk();
  const args = { path: 'a.txt' };
  const params = { _meta: MODERN_ELICITING };
  for (let n = 1; n <= 6; n++) talking.call('read_file', args, undefined, params);
  const asked = talking.call('read_file', args, undefined, params) as {
    result: { inputRequests: { [key: string]: object } };
  };
  const [key = ''] = Object.keys(asked.result.inputRequests);
  const again = {
    jsonrpc: '2.0',
    id: 8,
    method: 'tools/call',
    params: {
      name: 'read_file',
      arguments: args,
      ...params,
      inputResponses: { [key]: { action: 'accept' } },
    },
  };
  const passed = talking.client(again);
  expect(passed).not.toBeNull();
  expect(passed).not.toContain('inputResponses');
  return [`< ${JSON.stringify(asked)}`, `> ${JSON.stringify(again)}`];
}

/** Whether a line says the same, but for what the page leaves out. */
function isShown(line: string, shown: string): boolean {
  const pieces = shown.split('…');
  let at = 0;
  for (const [n, piece] of pieces.entries()) {
    const found = line.indexOf(piece, at);
    if (found < 0 || (n === 0 && found > 0)) return false;
    at = found + piece.length;
  }
  return at === line.length;
}

it('shows messages as they are', { timeout: 60_000 }, async () => {
  const all = await messages();
  const shown = blocksOf(page, 'wire').flatMap(({ text }) => text.split('\n'));
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter((line) => !all.some((message) => isShown(message, line)))).toEqual([]);
});

it('names every client that wrap knows', () => {
  const rows = tableOf(page, 'All servers of a client').map(([first]) => first);
  expect(rows).toEqual(expect.arrayContaining(CLIENTS.map(({ client }) => `\`${client}\``)));
});
