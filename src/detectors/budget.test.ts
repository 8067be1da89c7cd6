import { describe, expect, it } from 'vitest';
import {
  call,
  findings,
  only,
  repeat,
  roundDone,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { type AgentEvent, compilePlan, createGuard, type Json, type Usage } from '../core/index.ts';
import { budget, MAX_PERCENT } from './budget.ts';

const calls = (n: number, from = 0) => repeat(n, (index) => [call('t', { index: from + index })]);
const used = (usage: Partial<Usage>): AgentEvent => ({ type: 'turn', usage: usage as Usage });
const at = (time: number, event: AgentEvent = turn): AgentEvent => ({ ...event, at: time });
const grant = (n?: number): AgentEvent => ({ type: 'control', do: 'grant', ...(n !== undefined && { n }) });
const run = (options: { [name: string]: Json }, events: AgentEvent[], from = 1) =>
  findings(budget, { options, events }, from);
const countsOf = (options: { [name: string]: Json }, events: AgentEvent[], from = 1) =>
  run(options, events, from).map(({ count }) => count);

/** Three dollars a million in, fifteen out, thirty cents from the cache. */
const prices = { inputPrice: 3_000_000, cachedPrice: 300_000, outputPrice: 15_000_000 };

testDetector(budget, {
  loops: [
    { name: 'calls', options: { calls: 4 }, events: calls(7), counts: [25, 50, 75, 100, 125, 150] },
    {
      name: 'tokens',
      options: { tokens: 1000 },
      events: repeat(4, () => [used({ input: 200, output: 50, cachedInput: 150 })]),
      counts: [40, 80, 120, 160],
    },
    {
      name: 'money',
      options: { money: 10_000, ...prices },
      events: repeat(3, () => [used({ input: 1000, output: 100, cachedInput: 2000 })]),
      counts: [51, 102, 153],
    },
    {
      name: 'time',
      options: { timeMs: 60_000 },
      events: [at(1_000_000), at(1_030_000), at(1_060_000, call('t')), at(1_090_000)],
      counts: [50, 100, 150],
    },
    {
      name: 'the limit that is nearest',
      options: { calls: 10, tokens: 100 },
      events: [...calls(3), used({ input: 60, output: 0 }), ...calls(5, 3)],
      counts: [10, 20, 60, 70],
    },
  ],
  healthy: [
    {
      name: 'no limit',
      events: [...calls(99), used({ input: 1e9, output: 1e9 }), at(1), at(1e12)],
      counts: [],
    },
    { name: 'a limit of another kind', options: { tokens: 10 }, events: calls(99), counts: [] },
    {
      name: 'a person who takes time',
      options: { timeMs: 1000 },
      events: [at(1), at(1e9, user), at(1e9 + 5)],
      counts: [],
    },
    {
      name: 'a task after the other',
      options: { calls: 4, per: 'task' },
      events: repeat(5, (n) => [...calls(2, n * 2), user]),
      counts: [25, 25, 25, 25, 25],
    },
    {
      name: 'events without a time',
      options: { timeMs: 1000 },
      events: [at(5), ...calls(9), turn, at(9)],
      counts: [],
    },
  ],
});

describe('budget', () => {
  it('names the limit, what was used of it and how much it is', () => {
    expect(run({ calls: 10, tokens: 100 }, [call('t'), used({ input: 30, output: 20 })]).at(-1)).toEqual({
      detector: 'it',
      subject: 'tokens',
      count: 50,
      evidence: [1],
      facts: { limit: 'tokens', used: 50, of: 100 },
      call: 1,
    });
    expect(run({ tokens: 100 }, [used({ input: 30, output: 20 })])[0]).toMatchObject({ evidence: [] });
  });

  it('lets as many calls run as the limit says, and no more', () => {
    const stops = run({ calls: 5 }, calls(7), 100);
    expect(stops.map((finding) => finding.call)).toEqual([6, 7]);
    expect(run({ calls: 5 }, [...calls(4), turn], 100)).toEqual([]);
    expect(run({ calls: 5 }, [...calls(5), turn], 100)).toHaveLength(1);
    expect(run({ calls: 5 }, calls(5), 100)).toEqual([]);
  });

  it('tells each percentage once below the limit, and every time from there on', () => {
    expect(countsOf({ calls: 200 }, calls(8))).toEqual([1, 2, 3]);
    expect(countsOf({ calls: 2 }, [...calls(2), turn, turn, turn])).toEqual([50, 100, 100, 100]);
    expect(countsOf({ tokens: 100 }, [used({ input: 99, output: 0 }), turn, turn])).toEqual([99]);
  });

  it('takes a granted percentage off, for every limit', () => {
    const more = [...calls(5), grant(50), ...calls(3, 5)];
    expect(countsOf({ calls: 4 }, more)).toEqual([25, 50, 75, 100, 75, 100, 125]);
    expect(countsOf({ calls: 4 }, [...calls(4), grant(50), grant(50), ...calls(1, 4)])).toEqual([25, 50, 75]);
    expect(countsOf({ tokens: 100 }, [grant(50), used({ input: 70, output: 0 })])).toEqual([20]);
    expect(countsOf({ calls: 4 }, [...calls(4), grant(), turn])).toEqual([25, 50, 75, 100]);
  });

  it('never tells more than its greatest percentage', () => {
    expect(
      countsOf({ tokens: 1 }, [
        used({ input: 9, output: 0 }),
        used({ input: 1, output: 0 }),
        used({ input: 1, output: 0 }),
      ]),
    ).toEqual([900, MAX_PERCENT, MAX_PERCENT]);
  });

  it('keeps what was spent when a person speaks, unless the budget is for a task', () => {
    const events = [...calls(2), user, ...calls(2, 2)];
    expect(countsOf({ calls: 4 }, events)).toEqual([25, 50, 75]);
    expect(countsOf({ calls: 4, per: 'task' }, events)).toEqual([25, 25]);
    expect(countsOf({ tokens: 10, per: 'task' }, [grant(50), user, used({ input: 6, output: 0 })])).toEqual([
      60,
    ]);
  });

  it('measures time from event to event, also within a stream, and never backwards', () => {
    const delta: AgentEvent = { type: 'text-delta', channel: 'content', text: 'x' };
    expect(countsOf({ timeMs: 100 }, [at(1000), at(1050, delta), at(1090, delta)])).toEqual([50, 90]);
    expect(countsOf({ timeMs: 100 }, [at(1000), at(500), at(550)])).toEqual([50]);
    expect(countsOf({ timeMs: 100, per: 'task' }, [at(1000), at(9000, user), at(9050)])).toEqual([50]);
    expect(countsOf({ timeMs: 100 }, [at(1000), turn, at(1050), at(Number.NaN), at(1060)])).toEqual([50, 60]);
  });

  it('rounds what a response costs up, so that many small ones are not free', () => {
    expect(
      countsOf(
        { money: 10, inputPrice: 1 },
        repeat(3, () => [used({ input: 1, output: 0 })]),
      ),
    ).toEqual([10, 20, 30]);
  });

  it('counts nothing for usage that is none', () => {
    const odd = ['7', -5, Number.NaN, Number.POSITIVE_INFINITY, null].map((input) =>
      used({ input } as never),
    );
    expect(countsOf({ tokens: 10 }, [...odd, turn, used({ output: 1 })])).toEqual([10]);
  });

  it('counts the calls of all agents of a run, and for a task only those of one', () => {
    const by = (agent: string) => (event: AgentEvent) => ({ ...event, agent }) as AgentEvent;
    const events = [...calls(1), ...calls(2, 1).map(by('other')), ...calls(1, 3)];
    expect(run({ calls: 4 }, events).map(({ count, call: at }) => [at, count])).toEqual([
      [3, 25],
      [4, 75],
    ]);
    expect(run({ calls: 4, per: 'task' }, events).map(({ count, call: at }) => [at, count])).toEqual([
      [3, 25],
      [4, 25],
    ]);
    // Those before the first call of an agent are not its own.
    expect(countsOf({ calls: 4 }, [...calls(3).map(by('other')), ...calls(2, 3)])).toEqual([25, 50, 25]);
    // Only a call tells that others have called.
    const said = [...calls(1), ...calls(2, 1).map(by('other')), turn];
    expect(countsOf({ calls: 4 }, said)).toEqual([25, 25]);
    // A person's message forgets what was spent for a task, not which call was the last.
    const spoken = [...calls(1), user, ...calls(2, 1).map(by('other')), ...calls(1, 3)];
    expect(countsOf({ calls: 4 }, spoken)).toEqual([25, 75]);
    expect(countsOf({ calls: 4, per: 'task' }, spoken)).toEqual([25]);
  });

  it('keeps eight numbers', () => {
    const guard = createGuard({ preset: only(budget, { calls: 4 }), detectors: [budget] });
    for (const event of [at(5), ...calls(2), grant(10), used({ input: 3, output: 4 })]) guard.accept(event);
    expect(guard.state.agents[0]?.detectors).toEqual([
      { calls: 2, tokens: 7, money: 0, timeMs: 0, at: 5, granted: 10, told: 40, last: 2 },
    ]);
  });

  it('hears of pieces of text only for the clock, may block, and keeps what a run has spent', () => {
    const made = (options: { [name: string]: Json }) =>
      compilePlan(only(budget, options), { kinds: [budget] }).detectors.at(-1);
    const heard = ['tool-call', 'tool-result', 'turn', 'user', 'control'];
    expect(made({ calls: 4 })).toMatchObject({ events: heard, needs: [], blocks: true, failures: true });
    expect(made({ timeMs: 4 })?.events).toEqual([...heard, 'text-delta']);
    expect(made({ calls: 4, per: 'task' })?.failures).toBe(false);
  });

  it('tells nothing below what is asked for, and the first of two limits that are as near', () => {
    expect(told(budget, calls(5), 75, { calls: 4 }).counts).toEqual([75, 100]);
    const both = run({ calls: 10, tokens: 10 }, [...calls(1), used({ input: 1, output: 0 })]);
    expect(both.map(({ subject }) => subject)).toEqual(['calls']);
  });

  it('does not count rounds', () => {
    expect(countsOf({ calls: 2 }, [turn, roundDone, turn, roundDone])).toEqual([]);
  });
});
