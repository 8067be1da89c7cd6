import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MAIN, newFolder } from '../../cli/run-cli.ts';
import { httpProxied } from '../../mcp/http-proxied.ts';
import { hasHosts } from './hosts.ts';
import { conformanceServer } from './http-servers.ts';

type Check = { readonly id: string; readonly status: string };

const run = promisify(execFile);
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const SUITE = ['--import', path('conformance-needs.mjs'), path('node_modules/.bin/conformance')];
/** How long a client waited before it came back: not our business, and a busy machine's. */
const TIMED = ['client-sse-retry-timing'];

/** What the suite says, check by check; a part of it may fail, and then it exits so. */
async function checked(words: readonly string[]): Promise<readonly string[]> {
  const folder = newFolder();
  await run(process.execPath, [...SUITE, ...words, '--output-dir', folder], { maxBuffer: 2 ** 26 }).catch(
    () => {},
  );
  return readdirSync(folder)
    .flatMap((scenario) => {
      const name = scenario.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
      const checks = JSON.parse(readFileSync(join(folder, scenario, 'checks.json'), 'utf8')) as Check[];
      return checks
        .filter(({ id, status }) => status !== 'INFO' && !TIMED.includes(id))
        .map(({ id, status }) => `${name}: ${id} ${status}`);
    })
    .sort();
}

const passed = (checks: readonly string[]) => checks.filter((check) => check.endsWith(' SUCCESS')).length;

describe.runIf(hasHosts)(
  'the official conformance suite says the same with and without the guard',
  { timeout: 120_000 },
  () => {
    it.each([
      ['legacy', '2025-11-25', [78, 77]],
      ['modern', '2026-07-28', [141, 125]],
    ])('of a server, %s', async (era, version, counts) => {
      const { url, child } = await conformanceServer(era);
      const proxy = await httpProxied(url);
      const of = (address: URL) =>
        checked(['server', '--url', String(address), '--suite', 'all', '--spec-version', version]);
      const [direct, behind] = [await of(url), await of(proxy.url)];
      await proxy.stop();
      child.kill('SIGKILL');
      expect(behind).toEqual(direct);
      // As docs/mcp.md says.
      expect([direct.length, passed(direct)]).toEqual(counts);
    });

    it.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
      'of a client, %s',
      async (scenario) => {
        const client = [process.execPath, path('conformance-client.mjs')].join(' ');
        const of = (command: string) => checked(['client', '--command', command, '--scenario', scenario]);
        const [direct, behind, front] = await Promise.all([
          of(client),
          of(`${client} ${MAIN}`),
          of(`${client} ${MAIN} front`),
        ]);
        expect(behind).toEqual(direct);
        expect(front).toEqual(direct);
        expect(passed(direct)).toBeGreaterThan(0);
        expect(direct.filter((check) => check.endsWith(' FAILURE'))).toEqual([]);
      },
    );
  },
);
