import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAIN, newFolder } from '../cli/run-cli.ts';
import { garbled, garbledLine } from '../mcp/garbled.ts';
import { httpProxied } from '../mcp/http-proxied.ts';
import { gone, proxied, SCRIPTED, scripted } from '../mcp/proxied.ts';
import { residentBytes } from '../mcp/resident-bytes.ts';
import { answersJson, scriptedHttp } from '../mcp/servers/http.ts';
import { talk } from '../mcp/talk.ts';

const CLIENT = fileURLToPath(new URL('../mcp/servers/client.mjs', import.meta.url));
const MESSAGES = 1_000_000;
const IN_FLIGHT = 64;
const KILLS = 100;
const SESSIONS = 10_000;
const MEGABYTE = 1024 * 1024;

/** Needs `dist/`. */
describe('deloop mcp', () => {
  it(`passes ${MESSAGES} messages, none lost, none out of its order, and does not grow`, async () => {
    const { child, folder } = proxied([process.execPath, SCRIPTED, 'counts', 'pid']);
    const ended = once(child, 'exit');
    const resident: number[] = [];
    let sent = 0;
    let answered = 0;
    let notified = 0;
    let wrong = 0;
    let rest = '';
    // A call and its answer are two messages, and one of ten brings a third.
    const calls = Math.floor(MESSAGES / 2.1);
    const send = () => {
      sent += 1;
      const params = { name: 'look', arguments: { number: sent, file: `src/${sent}.ts` } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: sent, method: 'tools/call', params })}\n`);
    };
    await new Promise<void>((resolve) => {
      child.stdout.removeAllListeners('data');
      child.stdout.on('data', (chunk: Buffer) => {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() as string;
        for (const line of lines) {
          const { id, method, params } = JSON.parse(line) as {
            id?: number;
            method?: string;
            params?: number;
          };
          if (method !== undefined) {
            notified += 1;
            if (params !== notified * 10) wrong += 1;
            continue;
          }
          answered += 1;
          if (id !== answered || !line.includes(`look ${answered}"`)) wrong += 1;
          if (sent < calls) send();
          if (answered % Math.floor(calls / 20) === 0) resident.push(residentBytes(child.pid as number));
          if (answered === calls) resolve();
        }
      });
      for (let n = 0; n < IN_FLIGHT; n++) send();
    });
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
    expect({ sent, answered, notified, wrong }).toEqual({
      sent: calls,
      answered: calls,
      notified: Math.floor(calls / 10),
      wrong: 0,
    });
    const [early = 0, late = 0] = [Math.max(...resident.slice(0, 10)), Math.max(...resident.slice(10))];
    console.log(
      `${sent + answered + notified} messages; memory ${mega(early)} MB in the first half, ${mega(late)} MB in the second (${folder})`,
    );
    expect(late).toBeLessThan(early + 32 * MEGABYTE);
  });

  it('takes 300,000 garbled messages in one process, and 50,000 lines over the wire', async () => {
    const { session } = talk();
    const way = { toClient: () => {}, toServer: () => {} };
    fc.assert(
      fc.property(garbled, fc.boolean(), (bytes, isClient) => {
        if (isClient) session.fromClient(bytes, way);
        else session.fromServer(bytes);
      }),
      { numRuns: 300_000 },
    );
    const { child, ended, until } = scripted('mirrors');
    for (const line of fc.sample(garbledLine, 50_000))
      if (!child.stdin.write(line)) await once(child.stdin, 'drain');
    child.stdin.write('{"jsonrpc":"2.0","id":"the last","method":"ping"}\n');
    await until('the last');
    child.stdin.end();
    expect((await ended).status).toBe(0);
  });

  it(`leaves nobody behind in ${KILLS} kills of either side, at random instants`, async () => {
    for (let n = 0; n < KILLS; n++) {
      const folder = newFolder();
      const [proxy, server] = ['proxy', 'server'].map((name) => join(folder, name)) as [string, string];
      const command = [process.execPath, MAIN, 'mcp', '--', process.execPath, SCRIPTED, 'stays', server];
      const client = spawn(process.execPath, [CLIENT, proxy, ...command], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'], HOME: folder },
      });
      await once(client.stdout, 'data');
      const pids = [proxy, server].map((file) => Number(readFileSync(file, 'utf8'))) as [number, number];
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      if (n % 2 === 0) client.kill('SIGKILL');
      else process.kill(pids[1], 'SIGKILL');
      for (const pid of pids) await gone(pid);
      client.kill('SIGKILL');
    }
  });

  it(`keeps to its memory with ${SESSIONS} sessions over HTTP`, async () => {
    const server = await scriptedHttp(answersJson);
    const { url, child, stop } = await httpProxied(server.url);
    const resident: number[] = [];
    for (let n = 0; n < SESSIONS; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, k) => {
          const params = { name: 'look', arguments: { file: `src/${n + k}.ts` } };
          const answer = await fetch(url, {
            method: 'POST',
            headers: { 'Mcp-Session-Id': `session ${n + k}`, Accept: 'application/json, text/event-stream' },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
          });
          expect(answer.status).toBe(200);
          await answer.text();
        }),
      );
      resident.push(residentBytes(child.pid as number));
    }
    await stop();
    server.close();
    const half = resident.length / 2;
    const [early, late] = [Math.max(...resident.slice(0, half)), Math.max(...resident.slice(half))];
    console.log(
      `${SESSIONS} sessions; memory ${mega(early)} MB in the first half, ${mega(late)} MB in the second`,
    );
    expect(late).toBeLessThan(early + 64 * MEGABYTE);
  });
});

const mega = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);
