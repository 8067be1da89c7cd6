import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { deloop, newFolder } from '../../cli/run-cli.ts';
import { type Command, EVERYTHING, FILES, hasHosts, INSPECTOR, load } from './hosts.ts';
import { recorder } from './http-recorder.ts';
import { everythingOverHttp, everythingOverSse } from './http-servers.ts';
import { type Connection, type Legacy, loop } from './looping.ts';

const run = promisify(execFile);

type Config = { readonly mcpServers: { readonly [name: string]: { command: string; args: string[] } } };

function configIn(folder: string): string {
  const [node, server] = EVERYTHING as [string, string];
  const [, files] = FILES as [string, string];
  const mcpServers = {
    everything: { command: node, args: [server] },
    files: { command: node, args: [files, folder], env: { NAME: 'value' } },
  };
  const path = join(folder, 'config.json');
  writeFileSync(path, `${JSON.stringify({ mcpServers }, null, 2)}\n`);
  return path;
}

/** The commands of a config, as a client starts them. */
function commandsIn(path: string): { readonly [name: string]: Command } {
  const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as Config;
  return Object.fromEntries(
    Object.entries(mcpServers).map(([name, { command, args }]) => [name, [command, ...args]]),
  );
}

describe.runIf(hasHosts)('the config of a client, wrapped', { timeout: 60_000 }, () => {
  it('gives the inspector the same as before, and is restored to the byte', async () => {
    const folder = newFolder();
    const path = configIn(folder);
    const before = readFileSync(path, 'utf8');
    const inspect = async (server: string, ...words: string[]) => {
      const args = [...INSPECTOR.slice(1), '--config', path, '--server', server, '--method', ...words];
      return JSON.parse((await run(INSPECTOR[0] as string, args)).stdout) as unknown;
    };
    const tour = async () => [
      await inspect('everything', 'tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=2', 'b=3'),
      await inspect('files', 'tools/list'),
    ];
    const plain = await tour();
    expect(plain).toMatchObject([
      { content: [{ text: 'The sum of 2 and 3 is 5.' }] },
      { tools: expect.any(Array) },
    ]);
    expect((await deloop(['mcp', 'wrap', path, '--yes', '--store', join(folder, 'store')])).status).toBe(0);
    expect(readFileSync(path, 'utf8')).not.toBe(before);
    expect(await tour()).toEqual(plain);
    expect((await deloop(['mcp', 'unwrap', path, '--yes'])).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('reaches servers somewhere else, with their headers, and is restored to the byte', async () => {
    const [everything, old] = await Promise.all([everythingOverHttp(), everythingOverSse()]);
    const far = await recorder(everything.url);
    const folder = newFolder();
    const path = join(folder, '.mcp.json');
    const headers = { Authorization: 'Bearer very-secret', CONTEXT7_API_KEY: 'k' };
    const mcpServers = {
      here: { type: 'http', url: String(far.url), headers },
      there: { type: 'sse', url: String(old.url) },
    };
    const before = `${JSON.stringify({ mcpServers }, null, 2)}\n`;
    writeFileSync(path, before);
    try {
      const wrapped = await deloop(['mcp', 'wrap', path, '--yes', '--store', join(folder, 'store')]);
      expect(wrapped.status).toBe(0);
      expect(wrapped.out).toContain('deloop mcp login');
      expect(commandsIn(path)['here']?.join(' ')).not.toMatch(/secret|127\.0\.0\.1/);
      for (const server of ['here', 'there']) {
        const words = ['--method', 'tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=2', 'b=3'];
        const args = [...INSPECTOR.slice(1), '--config', path, '--server', server, ...words];
        const { stdout } = await run(INSPECTOR[0] as string, args);
        expect(JSON.parse(stdout)).toEqual({ content: [{ type: 'text', text: 'The sum of 2 and 3 is 5.' }] });
      }
      for (const { headers: sent } of far.records)
        expect(sent).toMatchObject({ authorization: 'Bearer very-secret', context7_api_key: 'k' });
      expect(far.records.length).toBeGreaterThan(2);
      expect((await deloop(['mcp', 'unwrap', path, '--yes'])).status).toBe(0);
      expect(readFileSync(path, 'utf8')).toBe(before);
    } finally {
      far.close();
      everything.child.kill('SIGKILL');
      old.child.kill('SIGKILL');
    }
  });

  it('shows a loop over both of its servers', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    const seenWith = async (...flags: string[]) => {
      const folder = newFolder();
      const path = configIn(folder);
      await deloop(['mcp', 'wrap', path, '--yes', '--preset', 'openhands-sdk', ...flags]);
      const { everything, files } = commandsIn(path) as { everything: Command; files: Command };
      const options = { capabilities: {} };
      const [first, second] = [await connect(everything, options), await connect(files, options)];
      const seen: (readonly string[])[] = [];
      for (let n = 1; n <= 3; n++)
        seen.push(await loop(first, 1, 'echo', { message: 'again' }), await looking(second, folder));
      await Promise.all([first.client.close(), second.client.close()]);
      return seen.flat();
    };
    const looking = (files: Connection, path: string) => loop(files, 1, 'get_file_info', { path });
    const store = join(newFolder(), 'store');
    expect(await seenWith('--store', store)).toEqual(['plain', 'plain', 'plain', 'plain', 'plain', 'nudged']);
    expect(await seenWith('--no-share')).toEqual(Array.from({ length: 6 }, () => 'plain'));
  });
});
