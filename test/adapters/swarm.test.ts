import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/adapters/run.ts';
import { createWatch, type HostTraits, type WatchOptions } from '../../src/adapters/watch.ts';
import {
  type AgentEvent,
  createGuard,
  createTally,
  type Intervention,
  presets,
  type SwarmOptions,
} from '../../src/index.ts';
import { withSwarm } from '../../src/presets/swarm-rules.ts';
import { boardOf } from '../../src/stores/board-of.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';

const FAILED = { output: '404: there is no such page', status: 'error' } as const;
const search = (id: string, agent?: string) => ({ id, tool: 'search', args: { query: 'x' }, agent });

function watchIn(
  store: Store,
  swarm: Partial<SwarmOptions> = {},
  options: WatchOptions = {},
  traits?: HostTraits,
) {
  return createWatch(
    { store, swarm: { name: 'night', worker: 'web', waitMs: 60_000, ...swarm }, ...options },
    traits,
  );
}

/** A call that fails, unless it is not run; what the host was told to do with it. */
async function fail(run: Run, id: string, agent?: string): Promise<string> {
  await run.ready();
  run.turn({ agent });
  const call = search(id, agent);
  const verdict = await run.check(call);
  if (verdict.do === 'run') run.after(call, FAILED);
  await run.settle(agent);
  return verdict.do;
}

describe('the swarm option', () => {
  it('needs a store, and says so', () => {
    expect(() => createWatch({ swarm: { name: 'night', worker: 'web' } })).toThrow(
      /store is undefined; it must be a store, for the tallies/,
    );
  });

  it('refuses what it does not know', () => {
    const store = createMemoryStore();
    expect(() => watchIn(store, { size: 3 } as never)).toThrow(/size/);
    expect(() => createWatch({ store, swarm: 'night' as never })).toThrow(/swarm/);
    expect(() => watchIn(store, { worker: '' })).toThrow(/worker/);
  });

  it('may still be a tally of this process', () => {
    const tally = createTally();
    const run = createWatch({ preset: 'attocode', swarm: { tally, worker: 'ann' } }).start();
    run.before(search('1'));
    expect(tally.get('search', { query: 'x' })).toEqual({ calls: 1, workers: 1 });
    expect(run.swarm).toBeNull();
    expect(run.isReady).toBe(true);
  });

  it('counts nothing where the guard is off', async () => {
    const store = createMemoryStore();
    const run = watchIn(store, {}, { mode: 'off' }).start();
    expect(await fail(run, '1')).toBe('run');
    expect(await boardOf(store).read('night')).toBeNull();
  });

  it('looks on in shadow mode: all is counted, and nothing is stopped', async () => {
    const store = createMemoryStore();
    await boardOf(store).steer('night', { halt: true, why: 'enough', by: 'ops' });
    const heard: Intervention[] = [];
    const options = { mode: 'shadow', onDecision: (decision: Intervention) => heard.push(decision) } as const;
    const run = watchIn(store, {}, options).start();
    expect(await fail(run, '1')).toBe('run');
    expect(heard[0]).toMatchObject({ action: 'halt', finding: { detector: 'swarm-halt' } });
    expect((await boardOf(store).read('night'))?.totals[0]).toBe(1);
  });
});

describe('runs of one watch', () => {
  it('are workers of their own: the named one, other sessions, and those without a name', async () => {
    const store = createMemoryStore();
    const watch = watchIn(store, {}, { session: 'mine' });
    const runs = [watch.run(), watch.run('another'), watch.start(), watch.start()];
    for (const [n, run] of runs.entries()) await fail(run, `${n}`);
    const saved = await boardOf(store).read('night');
    const names = saved?.agents.map(([name]) => name);
    expect(names).toHaveLength(4);
    expect(names?.[0]).toBe('web');
    expect(names?.[1]).toMatch(/^web#[a-z0-9]{1,6}$/);
    expect(names?.slice(2)).toEqual(['web#1', 'web#2']);
    expect(saved?.members).toHaveLength(1);
  });

  it('leave room for agents in long names', async () => {
    const store = createMemoryStore();
    const run = watchIn(store, { worker: 'w'.repeat(64) }).start();
    await fail(run, '1', 'coder');
    const [name] = (await boardOf(store).read('night'))?.agents[0] ?? [];
    expect(name).toBe(`${'w'.repeat(40)}#1/coder`);
  });

  it('find a dead end together, and each hears of it once', async () => {
    const store = createMemoryStore();
    const watch = watchIn(store);
    const done: string[] = [];
    const nudges: (string | undefined)[] = [];
    for (let n = 1; n <= 12; n++) {
      const run = watch.run(`session ${n}`);
      done.push(await fail(run, `${n}`));
      nudges.push(run.takeNudge()?.text);
      expect(run.takeNudge()).toBeNull();
    }
    expect(done).toEqual([...Array<string>(11).fill('run'), 'answer']);
    expect(nudges.slice(0, 6)).toEqual(Array(6).fill(undefined));
    expect(nudges[6]).toMatch(/5 workers of this swarm have tried this very call/);
    // The eighth failure is also the eighth of its kind.
    expect(nudges[7]).toMatch(/have run into the same error with search/);
  });

  it('give the guard a result for a call that the swarm has kept from running', async () => {
    const store = createMemoryStore();
    const watch = watchIn(store);
    for (let n = 1; n <= 11; n++) await fail(watch.run(`session ${n}`), `${n}`);
    const run = watch.run('last');
    await fail(run, 'x');
    expect(run.state.guard.open.map(({ done }) => done)).toEqual([true]);
  });
});

describe('calls that nobody asks about', () => {
  it('count, too', async () => {
    const store = createMemoryStore();
    const run = watchIn(store).start();
    run.before({ id: '1', tool: 'no_such_tool', args: {} });
    run.after({ id: '1', tool: 'no_such_tool', args: {} }, { output: 'unknown', status: 'unknown-tool' });
    await run.saved();
    await run.swarm?.flush();
    expect((await boardOf(store).read('night'))?.totals[0]).toBe(1);
  });

  it('make a stop known before the next step', async () => {
    const store = createMemoryStore();
    await boardOf(store).steer('night', { halt: true, why: 'enough', by: 'ops' });
    const run = watchIn(store).start();
    expect(run.before(search('1')).do).toBe('run');
    await run.saved();
    expect(run.stopped?.detector).toBe('swarm-halt');
    expect(run.isOver()).toBe(true);
  });
});

describe('tokens and money', () => {
  it('of a turn are told with the next call', async () => {
    const store = createMemoryStore();
    const prices = { input: 3_000_000, output: 15_000_000 };
    const run = watchIn(store, { prices }).start();
    run.turn({ usage: { input: 1000, output: 100 } });
    await run.check(search('1'));
    expect((await boardOf(store).read('night'))?.totals.slice(0, 3)).toEqual([1, 1100, 4500]);
  });
});

describe('handoffs', () => {
  const handOver = async (run: Run, n: number) => {
    const [from, to] = n % 2 === 1 ? ['planner', 'coder'] : ['coder', 'planner'];
    const call = { id: `${n}`, tool: `transfer_to_${to}`, args: { task: `part ${n}` }, agent: from };
    const verdict = await run.check(call);
    if (verdict.do === 'run') run.after(call, { output: `${to} has it, part ${n}` });
    await run.settle(from);
    return verdict.do;
  };

  it('back and forth are told at the sixth, and stopped at the twelfth', async () => {
    const heard: string[] = [];
    const run = watchIn(
      createMemoryStore(),
      {},
      { onDecision: ({ action, finding }) => heard.push(`${action} ${finding.detector} ${finding.count}`) },
    ).start();
    const done: string[] = [];
    for (let n = 1; n <= 12; n++) done.push(await handOver(run, n));
    const about = heard.filter((each) => each.includes('handoff-repeat'));
    expect(about[0]).toBe('nudge handoff-repeat 6');
    expect(about.at(-1)).toBe('halt handoff-repeat 12');
    expect(done).toEqual([...Array<string>(11).fill('run'), 'stop']);
    expect(run.stoppedFor('coder')?.detector).toBe('handoff-repeat');
    expect(run.stopped).toBeNull();
  });

  it('of different sessions are not added up', async () => {
    const store = createMemoryStore();
    const heard: string[] = [];
    const watch = watchIn(store, {}, { onDecision: ({ finding }) => heard.push(finding.detector) });
    for (let n = 1; n <= 20; n++) await handOver(watch.run(`ticket ${n}`), n);
    expect(heard).not.toContain('handoff-repeat');
  });

  it('of hosts that tell them as events are counted once', async () => {
    for (const tellsHandoffs of [false, true]) {
      const store = createMemoryStore();
      const run = watchIn(store, {}, {}, { tellsHandoffs }).start();
      await run.check({ id: '1', tool: 'transfer_to_coder', args: {} });
      run.tell({ type: 'handoff', to: 'coder' });
      await run.settle();
      const records = (await boardOf(store).read('night'))?.records ?? [];
      const [handoff] = records.filter(({ key }) => key.startsWith('h:'));
      expect(handoff?.tally[1]).toBe(tellsHandoffs ? 1 : 2);
    }
  });

  it('to the agent that the arguments name', async () => {
    const store = createMemoryStore();
    const run = watchIn(store).start();
    for (const [n, args] of [
      { agent_name: 'coder' },
      { agentName: 'coder' },
      { agent: 'coder' },
      {},
      null,
    ].entries())
      await run.check({ id: `${n}`, tool: 'handoff_to_agent', args });
    const saved = await boardOf(store).read('night');
    const pairs = saved?.records.filter(({ key }) => key.startsWith('h:')).map(({ key }) => key);
    expect(pairs).toEqual(['h:web#1 web#1/coder', 'h:web#1 web#1/agent']);
  });
});

describe('a question about the swarm', () => {
  it('is asked once, and a yes lets the call run', async () => {
    const asked: string[] = [];
    const run = watchIn(
      createMemoryStore(),
      { budget: { calls: 2 } },
      {
        onAsk({ detector }) {
          asked.push(detector);
          return true;
        },
      },
    ).start();
    for (const n of [1, 2])
      expect((await run.check({ id: `${n}`, tool: 'look', args: { n } })).do).toBe('run');
    expect(asked).toEqual(['swarm-budget']);
  });

  it('holds the call where the host asks in its own way', async () => {
    const watch = watchIn(createMemoryStore(), { budget: { calls: 1 } }, { attended: true });
    const run = watch.start();
    expect(await run.check({ id: '1', tool: 'look', args: {} })).toMatchObject({
      do: 'hold',
      question: { detector: 'swarm-budget', held: ['1'] },
    });
  });
});

describe('what was written down', () => {
  it('gives the same decisions when it is replayed', async () => {
    const store = createMemoryStore();
    const live = new Map<string | undefined, string[]>();
    const logs = new Map<string | undefined, AgentEvent[]>();
    const entry = <Item>(map: Map<string | undefined, Item[]>, session: string | undefined): Item[] => {
      const known = map.get(session) ?? [];
      map.set(session, known);
      return known;
    };
    const shown = ({ action, finding, call, agent }: Intervention) =>
      `${action} ${finding.detector} ${finding.count} at ${call} of ${agent ?? 'main'}`;
    const watch = watchIn(
      store,
      { onEvent: (event, session) => entry(logs, session).push(structuredClone(event)) },
      { onDecision: (decision, _event, session) => entry(live, session).push(shown(decision)), now: () => 7 },
    );
    for (let round = 0; round < 5; round++) {
      for (const session of ['a', 'b', 'c', 'd']) {
        const run = watch.run(session);
        run.user(`Go on, ${round}.`);
        for (const agent of [undefined, 'coder']) {
          await fail(run, `${session}${round}${agent}`, agent);
          run.takeNudge(agent);
          run.tell({ type: 'handoff', to: agent === undefined ? 'coder' : '', agent });
          await run.settle(agent);
        }
      }
    }
    const all = [...live.values()].flat();
    expect(all.some((each) => each.includes('dead-end'))).toBe(true);
    expect(all.some((each) => each.includes('handoff-repeat'))).toBe(true);
    for (const [session, events] of logs) {
      const replayed: string[] = [];
      const guard = createGuard({
        preset: withSwarm(presets.recommended),
        attended: false,
        onDecision: (decision) => replayed.push(shown(decision)),
      });
      for (const event of JSON.parse(JSON.stringify(events)) as AgentEvent[]) guard.accept(event);
      expect(replayed).toEqual(live.get(session));
    }
  });
});
