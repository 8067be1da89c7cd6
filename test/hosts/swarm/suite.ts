import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { generateText, jsonSchema, streamText, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/ai-sdk/index.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import { createRedisStore } from '../../../src/stores/redis.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { AdapterHost } from '../../../src/testing/adapter-host.ts';
import { type Act, actionsOf, callOf, play, wasSent } from '../../../src/testing/adapter-stage.ts';
import { ROOT } from '../../docs/pages.ts';
import { type AiSdk, aiSdkHost, scriptedModel } from '../ai-sdk.ts';
import { langchainHost } from '../langchain/host.ts';
import { findRedis, startRedis } from '../redis-server.ts';

const run = promisify(execFile);
const program = findRedis();
/** No test here is about time. */
const PATIENT_MS = 30_000;

const sdk: AiSdk = {
  name: 'AI SDK 7',
  generateText: (settings) => generateText(settings as never) as never,
  streamText: (settings) => streamText(settings as never) as never,
  ToolLoopAgent: ToolLoopAgent as never,
  jsonSchema,
  mockModel: (functions) => new MockLanguageModelV4(functions as never),
};
const aiSdk: AdapterHost = aiSdkHost(sdk, 'generateText');
const langGraph: AdapterHost = langchainHost('invoke');

/** One search that leads nowhere. */
function deadEnd(store: Store, worker: string): Act {
  return {
    turn: (n) => (n === 1 ? { calls: [callOf(n, 'search', { query: 'x' })] } : { text: 'Done.' }),
    tools: {
      search() {
        throw new Error('404: there is no such page');
      },
    },
    options: { store, session: worker, swarm: { name: 'night', worker, waitMs: PATIENT_MS } },
  };
}

if (program === undefined) it('Redis (not here)', (context) => context.skip('there is no redis-server'));
else {
  const server = await startRedis(program);
  const url = `redis://127.0.0.1:${server.port}`;
  const client = await createClient({ url })
    .on('error', () => {})
    .connect();
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });
  let tenants = 0;
  const open = () => createRedisStore({ client, tenant: `tenant ${++tenants}`, waitMs: PATIENT_MS });

  describe('workers of two frameworks over one Redis', () => {
    it('find a dead end together: the seventh is told, the twelfth is kept from it', async () => {
      const store = open();
      for (let n = 1; n <= 12; n++) {
        const host = n % 2 === 0 ? langGraph : aiSdk;
        const told = await play(host, deadEnd(store, `worker-${n}`));
        expect(actionsOf(told).slice(0, 1)).toEqual(n < 7 ? [] : n < 12 ? ['nudge 1'] : ['block 1']);
        expect(told.ran).toHaveLength(n < 12 ? 1 : 0);
        const [decision] = told.heard;
        if (decision === undefined) continue;
        expect(decision.message).toContain('worker-1 first');
        expect(wasSent(told, 2, decision.message)).toBe(true);
      }
    });

    it('share one budget to the call, all at once', async () => {
      const store = open();
      const ran = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          const worker = `worker-${n}`;
          const swarm = { name: 'night', worker, waitMs: PATIENT_MS, budget: { calls: 40 } };
          const told = await play(n % 2 === 0 ? langGraph : aiSdk, {
            turn: (turn) => ({ calls: [callOf(turn, 'look', { query: `${n} ${turn}` })] }),
            tools: { look: (args) => JSON.stringify(args) },
            options: { store, session: worker, swarm } as WatchOptions,
          });
          expect(told.ending).toMatchObject({ ended: 'stopped', reason: { detector: 'swarm-budget' } });
          return told.ran.length;
        }),
      );
      // The call that reaches the budget is the first that does not run.
      expect(ran.reduce((sum, each) => sum + each, 0)).toBe(39);
      expect((await store.board?.read('night'))?.totals[0]).toBe(49);
    });

    it('go on alone when it is gone', async () => {
      const other = await startRedis(program);
      const gone = createClient({ url: `redis://127.0.0.1:${other.port}` }).on('error', () => {});
      await gone.connect();
      const store = createRedisStore({ client: gone, tenant: 'acme', waitMs: 50 });
      await other.stop();
      for (const host of [aiSdk, langGraph]) {
        const told = await play(host, {
          turn: (n) => (n <= 4 ? { calls: [callOf(n, 'look', { query: 'x' })] } : { text: 'Done.' }),
          tools: { look: () => 'Nothing was found.' },
          options: { store, session: host.name, swarm: { name: 'night', worker: 'ann' } },
        });
        expect(told.ending.ended).toBe('done');
        expect(actionsOf(told)).toEqual(['nudge 3']);
        expect(told.errors.length).toBeGreaterThan(0);
      }
      gone.destroy();
    });
  });

  describe('sessions of one guard', () => {
    it('are workers of their own, and what they are called stays here', async () => {
      const store = open();
      const guard = deloop({ store, swarm: { name: 'night', worker: 'web', waitMs: PATIENT_MS } });
      const heard: string[] = [];
      for (let n = 1; n <= 7; n++) {
        const { turn } = deadEnd(store, 'web');
        let turns = 0;
        const model = scriptedModel(sdk, (request) => {
          heard.push(...(/\d workers of this swarm[^"]*/.exec(request.sent) ?? []));
          turns += 1;
          return turn(turns, request);
        });
        const execute = async () => {
          throw new Error('404: there is no such page');
        };
        const search = { inputSchema: jsonSchema({ type: 'object' }), execute };
        const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length === 3;
        await sdk.generateText(
          guard({ model, tools: { search }, prompt: 'x', stopWhen }, { session: `person-${n}@example.org` }),
        );
      }
      const saved = JSON.stringify(await store.board?.read('night'));
      expect(heard.some((text) => /web#\w{1,6} first/.test(text))).toBe(true);
      expect(saved).not.toContain('example.org');
      expect(new Set(saved.match(/web#\w+/g)).size).toBe(7);
      expect(guard.run('person-1@example.org').swarm?.metrics).toMatchObject({ up: true, dropped: 0 });
    });
  });

  it('examples/swarm runs to its end', async () => {
    const files = ['--import', './examples/hosts.mjs', 'examples/swarm/index.mjs'];
    const { stdout } = await run(process.execPath, files, {
      cwd: ROOT,
      env: { ...process.env, REDIS_URL: url },
    });
    expect(stdout).toContain('All three went as told.');
  });
}
