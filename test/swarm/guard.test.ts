import { describe, expect, it, vi } from 'vitest';
import {
  type AgentEvent,
  createGuard,
  createStoredGuard,
  createSwarmGuard,
  type Decision,
  type Options,
  presets,
  type SwarmGuard,
  type SwarmOptions,
} from '../../src/index.ts';
import { withSwarm } from '../../src/presets/swarm-rules.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';

vi.setConfig({ testTimeout: 60_000 });

const README = { tool: 'read_file', args: { path: 'README.md' } };
const DEAD_END = { tool: 'web_search', args: { query: 'the changelog of 2019' } };

/** Nobody here waits for anything but the processor. */
const PATIENT = { waitMs: 60_000 };

function worker(
  store: Store,
  name: string,
  more: Partial<SwarmOptions> = {},
  options: Options = {},
): SwarmGuard {
  return createSwarmGuard({
    ...options,
    store,
    swarm: { name: 'night', worker: name, ...PATIENT, ...more },
  } as never);
}

type Call = { readonly tool: string; readonly args: { readonly [key: string]: string } };

/** One call with its result, unless it is not run; what was said to it. */
async function once(guard: SwarmGuard, call: Call, output: string, ok: boolean): Promise<Decision> {
  const before = await guard.before(call);
  if (before.action === 'block' || before.action === 'halt') return before;
  const after = await guard.after(call, { output, ok });
  for (const { action } of [before, after]) if (action === 'nudge') await guard.delivered();
  await guard.swarm.flush();
  return before.action === 'allow' ? after : before;
}

describe('a dead end of a whole swarm', () => {
  it('is told to the worker whose call is the seventh, and not run from the twelfth on', async () => {
    const store = createMemoryStore();
    const workers = ['ann', 'ben', 'cleo', 'dan', 'eve', 'fay'].map((name) => worker(store, name));
    const heard: string[] = [];
    let told: Decision | undefined;
    for (let n = 0; n < 13; n++) {
      const guard = workers[n % workers.length] as SwarmGuard;
      const decision = await once(guard, DEAD_END, '404 not found', false);
      told ??= decision.action === 'nudge' ? decision : undefined;
      heard.push(decision.action);
      // Work of its own in between, so that no worker is in a loop by itself.
      await once(guard, { tool: 'read_file', args: { path: `${n}.txt` } }, `text ${n}`, true);
    }
    expect(heard.slice(0, 6)).toEqual(Array(6).fill('allow'));
    expect(heard[6]).toBe('nudge');
    expect(heard.indexOf('block')).toBe(11);
    expect(told).toMatchObject({
      finding: {
        detector: 'dead-end',
        count: 5,
        facts: { tool: 'web_search', workers: 5, first: 'ann', found: 'it failed 6 times' },
      },
    });
    expect(told).toMatchObject({
      message: expect.stringMatching(/5 workers .* web_search .* ann first, lately fay, eve/),
    });
  });

  it.each(Object.keys(presets) as (keyof typeof presets)[])('is seen with the preset %s', async (preset) => {
    const store = createMemoryStore();
    const heard: string[] = [];
    for (let n = 0; n < 13; n++)
      heard.push(
        (await once(worker(store, `w${n}`, {}, { preset }), DEAD_END, '404 not found', false)).action,
      );
    expect(heard[6]).toBe('nudge');
    // attocode has a rule of its own that comes first: ten calls of a swarm.
    expect(heard[11]).toBe(preset.startsWith('attocode') ? 'nudge' : 'block');
  });

  it('is no dead end while the answers differ', async () => {
    const store = createMemoryStore();
    for (let n = 0; n < 20; n++) {
      const decision = await once(
        worker(store, `w${n}`),
        DEAD_END,
        `error ${'abcdefghijklmnopqrstuvwxyz'[n]}`,
        false,
      );
      expect(decision.action).toBe('allow');
    }
  });

  it('needs three workers: one or two are a matter for their own guards', async () => {
    const store = createMemoryStore();
    const guards = ['ann', 'ben'].map((name) => worker(store, name, {}, { preset: 'codex' }));
    for (let n = 0; n < 24; n++)
      expect((await once(guards[n % 2] as SwarmGuard, DEAD_END, 'no', false)).action).toBe('allow');
  });

  it('names the words of an error only where workers may read them', async () => {
    for (const shareErrors of [false, true]) {
      const store = createMemoryStore();
      let last: Decision = { action: 'allow' };
      for (let n = 0; n < 7; n++)
        last = await once(worker(store, `w${n}`, { shareErrors }), DEAD_END, 'HTTP error 404: gone', false);
      expect(last).toMatchObject({ action: 'nudge' });
      const saved = JSON.stringify(
        await store.list().then(() => store.update('swarm 7 default night', (s) => [s as never, s])),
      );
      expect(JSON.stringify(last).includes('HTTP error 404: gone')).toBe(shareErrors);
      expect(saved.includes('gone')).toBe(shareErrors);
      expect(saved.includes('changelog')).toBe(false);
    }
  });
});

describe('a healthy fan-out', () => {
  it('of fifty workers that read the same README is left alone', async () => {
    const store = createMemoryStore();
    for (let n = 0; n < 50; n++) {
      const decision = await once(worker(store, `worker ${n}`), README, '# deloop\n\nNotices loops.', true);
      expect(decision.action).toBe('allow');
    }
  });

  it('of fifty workers whose own tests fail in their own ways is left alone', async () => {
    const store = createMemoryStore();
    const guards = Array.from({ length: 50 }, (_, n) => worker(store, `worker ${n}`));
    for (const round of ['one', 'two', 'three']) {
      for (const [n, guard] of guards.entries()) {
        const file = 'abcdefghijklmnopqrstuvwxyz'.slice(n % 26) + (n > 25 ? 'x' : '');
        const output = `FAIL src/${file}.test.ts\nAssertionError: ${round} of ${file}`;
        const decision = await once(guard, { tool: 'bash', args: { command: 'npm test' } }, output, false);
        expect(decision.action === 'allow' ? 'none' : decision.finding.detector).not.toBe('dead-end');
        await once(guard, { tool: 'edit_file', args: { file_path: `${file}.ts`, new: round } }, 'done', true);
      }
    }
  });
});

describe('one kind of error', () => {
  it('is told from the eighth on, when three workers have it', async () => {
    const store = createMemoryStore();
    const guards = ['ann', 'ben', 'cleo'].map((name) => worker(store, name));
    const heard: string[] = [];
    for (let n = 0; n < 9; n++) {
      const call = { tool: 'db_query', args: { sql: `select ${'abcdefghi'[n]}` } };
      const decision = await once(
        guards[n % 3] as SwarmGuard,
        call,
        `ConnectionError: cannot reach "db${n}"`,
        false,
      );
      heard.push(decision.action === 'allow' ? '' : decision.finding.detector);
    }
    expect(heard.indexOf('swarm-failure')).toBe(7);
  });
});

describe('handoffs', () => {
  async function handoffs(
    store: Store,
    count: number,
    between?: (n: number, guard: SwarmGuard) => Promise<unknown>,
  ) {
    const guard = worker(store, 'graph');
    const heard: string[] = [];
    for (let n = 0; n < count; n++) {
      const [agent, to] = n % 2 === 0 ? ['planner', 'coder'] : ['coder', 'planner'];
      const { action } = await guard.accept({ type: 'handoff', agent, to } as AgentEvent);
      heard.push(action);
      await between?.(n, guard);
    }
    return heard;
  }

  it('to and fro are told at the sixth, and asked about at the twelfth', async () => {
    const heard = await handoffs(createMemoryStore(), 12);
    expect(heard.indexOf('nudge')).toBe(5);
    expect(heard.indexOf('ask')).toBe(11);
  });

  it('are work while one of the two gets anywhere', async () => {
    const heard = await handoffs(createMemoryStore(), 30, async (n, guard) => {
      if (n % 4 !== 0) return;
      const call = { tool: 'read_file', args: { path: `${n}.ts` }, agent: 'coder' };
      await guard.before(call);
      await guard.after(call, { output: `text ${n}`, ok: true });
      await guard.swarm.flush();
    });
    expect(new Set(heard)).toEqual(new Set(['allow']));
  });

  it('by tools count as well', async () => {
    const guard = worker(createMemoryStore(), 'graph');
    const heard: string[] = [];
    for (let n = 0; n < 6; n++) {
      const [agent, other] = n % 2 === 0 ? ['alice', 'bob'] : ['bob', 'alice'];
      const call = { id: `${n}`, tool: `transfer_to_${other}`, args: { n }, agent };
      const decision = await guard.before(call as never);
      heard.push(decision.action === 'allow' ? '' : decision.finding.detector);
      await guard.after(call as never, { output: 'Transferred', ok: true });
    }
    expect(heard).toEqual(['', '', '', '', '', 'handoff-repeat']);
  });
});

describe('a spawn storm', () => {
  it('is stopped before a child too many starts, whoever asks', async () => {
    const store = createMemoryStore();
    const limits = { spawn: { children: 3, depth: 2, perDepth: 5 } };
    const root = worker(store, 'root', limits);
    const granted = await Promise.all(
      Array.from({ length: 10 }, (_, n) => root.accept({ type: 'spawn', to: `/child ${n}` })),
    );
    expect(granted.filter(({ action }) => action === 'allow')).toHaveLength(3);
    expect(granted.filter(({ action }) => action === 'block')).toHaveLength(7);
    expect(granted.at(-1)).toMatchObject({
      finding: { detector: 'spawn-storm', facts: { limit: 'children', children: 3, depth: 1 } },
    });
    const child = worker(store, 'child 0', limits);
    expect((await child.accept({ type: 'spawn', to: '/grandchild' })).action).toBe('allow');
    const grandchild = worker(store, 'grandchild', limits);
    expect(await grandchild.accept({ type: 'spawn', to: '/x' })).toMatchObject({
      action: 'block',
      finding: { facts: { limit: 'depth', depth: 3 } },
    });
  });

  it('counts calls of tools that start agents, and does not run them', async () => {
    const guard = worker(createMemoryStore(), 'root', {
      spawn: { children: 2 },
      spawnTools: ['Task', 'spawn_*'],
    });
    const actions: string[] = [];
    for (const [n, tool] of ['Task', 'spawn_agent', 'Task', 'Read'].entries()) {
      const decision = await guard.before({ id: `${n}`, tool, args: { prompt: `part ${n}` } });
      actions.push(decision.action);
      if (decision.action === 'block') expect(decision.call).toBe(3);
    }
    expect(actions).toEqual(['allow', 'allow', 'block', 'allow']);
    const { open } = await guard.state;
    expect(open.find(({ call }) => call === 3)?.done ?? true).toBe(true);
  });
});

describe('budgets', () => {
  it('of a swarm are told at 80 percent and asked about at 100, over all workers', async () => {
    const store = createMemoryStore();
    const guards = ['ann', 'ben'].map((name) => worker(store, name, { budget: { calls: 10 } }));
    const heard: string[] = [];
    for (let n = 0; n < 11; n++) {
      const guard = guards[n % 2] as SwarmGuard;
      heard.push((await once(guard, { tool: 'read_file', args: { path: `${n}` } }, `${n}`, true)).action);
    }
    expect(heard).toEqual([...Array(7).fill('allow'), 'nudge', 'nudge', 'ask', 'ask']);
  });

  it('of tokens and money are counted with the turns', async () => {
    const store = createMemoryStore();
    const prices = { input: 3_000_000, output: 15_000_000 };
    const [ann, ben] = ['ann', 'ben'].map((name) =>
      worker(store, name, { prices, budget: { money: 40_000 } }),
    ) as [SwarmGuard, SwarmGuard];
    await ann.accept({ type: 'turn', usage: { input: 10_000, output: 200 } });
    expect((await ann.before(README)).action).toBe('nudge');
    await ben.accept({ type: 'turn', usage: { input: 0, cachedInput: 5, output: 500 } });
    expect(await ben.before(README)).toMatchObject({
      action: 'ask',
      finding: { facts: { limit: 'money', used: 40_500, of: 40_000 } },
    });
  });

  it('of a tenant hold for all its swarms, and for no other tenant', async () => {
    const store = createMemoryStore();
    const open = (name: string, tenant: string) =>
      createSwarmGuard({
        store,
        swarm: { name, worker: 'w', tenant, tenantBudget: { calls: 4 }, ...PATIENT },
      });
    const guards = [open('one', 'acme'), open('two', 'acme'), open('one', 'other')];
    const heard: string[] = [];
    for (let n = 0; n < 7; n++)
      heard.push(
        (await (guards[n % 3] as SwarmGuard).before({ tool: 'read_file', args: { path: `${n}` } })).action,
      );
    expect(heard).toEqual(['allow', 'allow', 'allow', 'allow', 'ask', 'allow', 'ask']);
  });
});

describe('the kill switch', () => {
  it('stops every worker at its next call, until it is released', async () => {
    const store = createMemoryStore();
    const [ann, ben] = [worker(store, 'ann'), worker(store, 'ben')];
    expect((await ben.before(README)).action).toBe('allow');
    await ann.swarm.halt('it deletes the wrong files');
    expect(await ben.before({ tool: 'bash', args: { command: 'ls' } })).toMatchObject({
      action: 'halt',
      message: 'The whole swarm was stopped by ann: it deletes the wrong files',
    });
    expect((await worker(store, 'new').before(README)).action).toBe('halt');
    expect((await worker(store, 'elsewhere', { name: 'day' }).before(README)).action).toBe('allow');
    await ann.swarm.release();
    expect((await ben.before({ tool: 'bash', args: { command: 'pwd' } })).action).toBe('allow');
  });
});

describe('a recorded swarm', () => {
  it('replays to the same decisions, from its events alone and from any checkpoint', async () => {
    const store = createMemoryStore();
    const traces = new Map<string, AgentEvent[]>();
    const live = new Map<string, string[]>();
    const guards = ['ann', 'ben', 'cleo', 'dan'].map((name) => {
      const events: AgentEvent[] = [];
      const facts: string[] = [];
      traces.set(name, events);
      live.set(name, facts);
      return worker(
        store,
        name,
        { onEvent: (event) => events.push(event), budget: { calls: 60 } },
        {
          onDecision: (decision) => facts.push(JSON.stringify(decision)),
        },
      );
    });
    for (let n = 0; n < 14; n++) {
      const guard = guards[n % 4] as SwarmGuard;
      await once(guard, DEAD_END, '404 not found', false);
      await once(guard, { tool: 'read_file', args: { path: `${n}.txt` } }, `text ${n}`, true);
      await guard.accept({ type: 'handoff', agent: 'x', to: 'y' });
      await guard.accept({ type: 'handoff', agent: 'y', to: 'x' });
    }
    expect([...live.values()].flat().join(' ')).toMatch(/"block".*handoff-repeat/s);
    const preset = withSwarm(presets.recommended, { calls: 60 });
    for (const [name, events] of traces) {
      const again: string[] = [];
      let state: unknown;
      for (const event of JSON.parse(JSON.stringify(events)) as AgentEvent[]) {
        const guard = createGuard({
          preset,
          state,
          onDecision: (decision) => again.push(JSON.stringify(decision)),
        });
        const decision = guard.accept(event);
        if (event.type === 'swarm-tally' && decision.action === 'block')
          guard.accept({
            type: 'tool-result',
            call: decision.call,
            status: 'blocked',
            output: decision.message,
          });
        state = JSON.parse(JSON.stringify(guard.state));
      }
      expect(again).toEqual(live.get(name));
    }
  });
});

describe('a stored guard in a swarm', () => {
  it('shares its session and its tallies, each process with its own eyes', async () => {
    const store = createMemoryStore();
    const heard: string[] = [];
    for (let n = 0; n < 8; n++) {
      const guard = createStoredGuard({
        store,
        session: `s${n}`,
        swarm: { name: 'night', worker: `w${n}`, ...PATIENT },
      });
      heard.push((await once(guard, DEAD_END, '404 not found', false)).action);
    }
    expect(heard).toEqual([...Array(6).fill('allow'), 'nudge', 'nudge']);
    expect((await store.list()).map(({ session }) => session)).toContain('s7');
  });

  it('counts a call that is presented again once', async () => {
    const store = createMemoryStore();
    const guard = createStoredGuard({
      store,
      session: 's',
      swarm: { name: 'night', worker: 'w', ...PATIENT },
    });
    for (let n = 0; n < 3; n++) await guard.before({ id: '1', ...README });
    expect(guard.swarm.metrics.told).toBe(1);
  });
});

describe('options', () => {
  it('that can never work are refused, with the value and what would be right', () => {
    const store = createMemoryStore();
    const refused = (swarm: object) => () => createSwarmGuard({ store, swarm: swarm as SwarmOptions });
    expect(refused({ name: '', worker: 'w' })).toThrow(
      'swarm.name is ""; it must be a text of 1 to 400 characters',
    );
    expect(refused({ name: 'n' })).toThrow(/swarm.worker is undefined/);
    expect(refused({ name: 'n', worker: 'w', waitMs: 0 })).toThrow(
      'swarm.waitMs is 0; it must be a whole number from 1',
    );
    expect(refused({ name: 'n', worker: 'w', budget: { calls: -1 } })).toThrow(/swarm.budget.calls is -1/);
    expect(refused({ name: 'n', worker: 'w', wait: 5 })).toThrow(/wait/);
    expect(() => createSwarmGuard({ swarm: { name: 'n', worker: 'w' } } as never)).toThrow(
      /store is undefined/,
    );
  });

  it('leave a rule that the preset has of its own', () => {
    const own = {
      ...presets.recommended,
      detectors: { ...presets.recommended.detectors, 'dead-end': { kind: 'swarm-repeat' } },
    };
    expect(withSwarm(own).ladder.some(({ on }) => on === 'dead-end')).toBe(false);
    expect(withSwarm(own).detectors['dead-end']).toEqual({ kind: 'swarm-repeat' });
  });
});
