import { describe, expect, it } from 'vitest';
import {
  createGuard,
  createTally,
  type Options,
  type Preset,
  presets,
  type SwarmTally,
} from '../../src/index.ts';
import { read, times } from './session.ts';

const call = read('/shared/config.json');

/** attocode with another global threshold, and with another number of workers that make a swarm. */
function swarm(at: number, minWorkers = 2): Preset {
  const { attocode } = presets;
  return {
    ...attocode,
    detectors: { ...attocode.detectors, 'swarm-repeat': { kind: 'swarm-repeat', minWorkers } },
    ladder: attocode.ladder.map((rung) => (rung.on === 'swarm-repeat' ? { ...rung, at } : rung)),
  };
}

function worker(tally: SwarmTally, name: string, preset: Options['preset'] = 'attocode') {
  return createGuard({ preset, swarm: { tally, worker: name } });
}

describe('attocode swarms', () => {
  it('AS01 nudges the worker whose call is the fifth of the swarm, with tool and workers', () => {
    const tally = createTally();
    for (const name of ['a', 'b', 'c', 'd'])
      expect(worker(tally, name, swarm(5)).before(call).action).toBe('allow');
    const decision = worker(tally, 'e', swarm(5)).before(call);
    expect(decision).toMatchObject({
      action: 'nudge',
      level: 'critical',
      finding: { detector: 'swarm-repeat', count: 5, facts: { tool: 'read_file', workers: 5 } },
    });
    expect(decision).toMatchObject({ message: expect.stringMatching(/5 workers.*read_file/) });
  });

  it('AS02 says nothing at three calls of five', () => {
    const tally = createTally();
    for (const name of ['a', 'b', 'c'])
      expect(worker(tally, name, swarm(5)).before(call).action).toBe('allow');
  });

  it("AS03 lets the worker's own loop speak first", () => {
    const tally = createTally();
    for (const name of ['a', 'b', 'c', 'd']) worker(tally, name, swarm(5)).before(call);
    const guard = worker(tally, 'e', swarm(7));
    guard.before(call);
    guard.before(call);
    expect(guard.before(call)).toMatchObject({ finding: { detector: 'call-streak', count: 3 } });
  });

  it('AS04 knows nothing of a swarm without a tally', () => {
    const decisions = times(12, () => createGuard({ preset: 'attocode' }).before(call));
    expect(decisions.every(({ action }) => action === 'allow')).toBe(true);
  });

  it('AS05 nudges at ten calls by default, not at nine', () => {
    const tally = createTally();
    const actions = times(10, (index) => worker(tally, `worker ${index}`).before(call).action);
    expect(actions).toEqual([...times(9, () => 'allow'), 'nudge']);
  });

  it('AS06 counts one worker as one, and takes it for a swarm only when told to', () => {
    const tally = createTally();
    for (const _ of times(3, () => tally.record('a', call.tool, call.args)));
    expect(tally.get(call.tool, call.args)).toEqual({ calls: 3, workers: 1 });
    const alone = createTally();
    alone.record('a', call.tool, call.args);
    expect(worker(alone, 'a', swarm(2)).before(call).action).toBe('allow');
    expect(worker(alone, 'a', swarm(3, 1)).before(call)).toMatchObject({
      finding: { detector: 'swarm-repeat', count: 3 },
    });
  });

  it('AS07 counts three workers with two calls each', () => {
    const tally = createTally();
    const guards = ['a', 'b', 'c'].map((name) => worker(tally, name, swarm(6)));
    const decisions = [...guards, ...guards].map((guard) => guard.before(call));
    expect(decisions.map(({ action }) => action)).toEqual([...times(5, () => 'allow'), 'nudge']);
    expect(decisions[5]).toMatchObject({ finding: { count: 6, facts: { workers: 3 } } });
  });

  it('AS08 keeps counts and workers when saved and restored', () => {
    const tally = createTally();
    for (const name of ['a', 'b', 'c', 'd']) tally.record(name, call.tool, call.args);
    const restored = createTally();
    restored.restoreFrom(JSON.parse(JSON.stringify(tally)));
    expect(restored.get(call.tool, call.args)).toEqual({ calls: 4, workers: 4 });
    expect(worker(restored, 'e', swarm(5)).before(call)).toMatchObject({
      finding: { count: 5, facts: { workers: 5 } },
    });
    for (const nothing of [
      {},
      null,
      'x',
      { version: 1, counts: [['a', 'b', 'c']] },
      { version: 1, counts: 7 },
    ]) {
      restored.restoreFrom(nothing);
    }
    expect(restored.get(call.tool, call.args).calls).toBe(5);
    restored.clear();
    expect(restored.get(call.tool, call.args)).toEqual({ calls: 0, workers: 0 });
  });

  it('counts similar calls as one, and forgets the least recent of very many', () => {
    const tally = createTally();
    tally.record('a', 'read_file', { path: '/a', encoding: 'utf8' });
    tally.record('b', 'read_file', '{"path":"/a"}');
    expect(tally.get('read_file', { path: '/a' })).toEqual({ calls: 2, workers: 2 });
    for (const index of times(4096, (i) => i)) tally.record('a', 'read_file', { path: `/other/${index}` });
    expect(tally.get('read_file', { path: '/a' }).calls).toBe(0);
    expect(tally.get('read_file', { path: '/other/0' }).calls).toBe(1);
  });
});
