import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRedis, type RedisServer, startRedis } from '../hosts/redis-server.ts';

const redis = findRedis();
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const STAND_IN = fileURLToPath(new URL('./stand-in-agent.mjs', import.meta.url));

/** The commands of a section, block by block. */
function commandsOf(page: string, section: string): readonly string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const start = text.indexOf(`\n## ${section}\n`);
  const part = text.slice(start, text.indexOf('\n## ', start + 1));
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

describe.skipIf(redis === undefined)('the fleet of docs/swarms.md', () => {
  const home = mkdtempSync(join(tmpdir(), 'deloop-fleet-'));
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis(redis as string);
    const bin = join(home, 'bin');
    mkdirSync(join(home, '.config', 'deloop'), { recursive: true });
    mkdirSync(bin);
    for (const [name, file] of [
      ['deloop', MAIN],
      ['gemini', STAND_IN],
    ] as const)
      writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, {
        mode: 0o755,
      });
    for (const n of [1, 2, 3, 4]) writeFileSync(join(home, `task-${n}.md`), 'Install the packages.\n');
    // Patience, so that a busy machine changes no answer.
    const config = JSON.stringify({ swarm: { waitMs: 5000 } });
    writeFileSync(join(home, '.config', 'deloop', 'config.json'), config);
  });
  afterAll(() => server.stop());

  /** What a shell prints that is given these commands. */
  function run(commands: string): Promise<string> {
    const PATH = `${join(home, 'bin')}:${process.env['PATH']}`;
    const env = { PATH, HOME: home, NO_COLOR: '1' };
    const child = spawn('/bin/sh', ['-c', commands], { cwd: home, env });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        out += text.toString();
      });
    return new Promise((done) => child.once('close', () => done(out)));
  }

  it('shares a dead end, is stopped by one command, and goes on after another', async () => {
    const blocks = commandsOf('swarms.md', 'A fleet of headless coding agents');
    expect(blocks).toHaveLength(2);
    const [together = '', steered = ''] = blocks.map((text) =>
      text.replaceAll('redis://cache:6379', `redis://127.0.0.1:${server.port}`),
    );
    const environment = together.split('\n', 1)[0] ?? '';

    const first = await run(together);
    expect(first).toMatch(/4 workers of this swarm have tried this very call to run_shell_command/);
    expect(first).toMatch(/flaky tests {2}4 active of 4 workers, \d+ calls/);
    expect(first).toMatch(/dead ends\n +\d+ +\S+ +4 workers; first agent-\d, lately agent-/);

    const second = await run(`${environment}\n${steered}`);
    const said = second.split('\n').filter((line) => line.startsWith('gemini: '));
    expect(said).toEqual([
      expect.stringMatching(/^gemini: stopped: \[deloop\] The whole swarm was stopped by \S+: wrong branch$/),
      'gemini: done',
    ]);
  });
});
