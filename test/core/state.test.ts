import { describe, expect, expectTypeOf, it } from 'vitest';
import { compilePlan, type GuardState, initialState, parseState, step } from '../../src/core/index.ts';
import type { Migrations } from '../../src/core/snapshot.ts';
import { createGuard, type Json, type Preset, presets } from '../../src/index.ts';

const plan = compilePlan(presets.zagens);
const call = { tool: 'read_file', args: { path: 'a' } };
const running = (preset: 'zagens' | 'attocode' | 'koda' = 'zagens') => {
  const guard = createGuard({ preset });
  guard.before({ id: '1', ...call });
  guard.before({ id: '2', ...call });
  return guard;
};

describe('state', () => {
  it('is JSON by type', () => {
    expectTypeOf<GuardState>().toExtend<Json>();
  });

  it('goes on where it was saved', () => {
    const state = JSON.parse(JSON.stringify(running().state)) as unknown;
    expect(createGuard({ preset: 'zagens', state }).before(call).action).toBe('block');
  });

  it.each([null, 7, 'x', [], {}, { version: '1' }])('%j is no state', (state) => {
    expect(() => parseState(plan, state)).toThrow(/it must be what guard.state gave/);
    expect(() => createGuard({ preset: 'zagens', state })).toThrow();
  });

  it.each([2, 99, 0, -1, 1.5])('of version %d is refused', (version) => {
    expect(() => parseState(plan, { ...running().state, version })).toThrow(
      `state has version ${version}; this deloop reads version 1`,
    );
  });

  it('of an older version is migrated, step by step', () => {
    const { calls: made, ...rest } = running().state;
    const old = { ...rest, version: 0, made };
    const migrations: Migrations = [({ made: calls, ...others }) => ({ ...others, calls, version: 1 })];
    expect(parseState(plan, old, migrations)).toEqual(running().state);
    expect(() => parseState(plan, old)).toThrow('state has version 0');
  });

  it.each([
    ['calls', 'many'],
    ['calls', Number.NaN],
    ['disabled', 1],
    ['detectors', [7]],
    ['agents', {}],
    ['agents', [{ agent: 'x' }]],
    ['agents', [null]],
    ['open', [{}]],
    ['undo', null],
  ])('with damaged %s = %j is refused', (field, value) => {
    expect(() => parseState(plan, { ...running().state, [field]: value })).toThrow('state is damaged');
  });

  it('with a field missing is refused', () => {
    const { open: _, ...rest } = running().state;
    expect(() => parseState(plan, rest)).toThrow('state is damaged');
  });

  it('larger than any guard makes it is refused', () => {
    const { state } = running();
    expect(() => parseState(plan, { ...state, agents: Array(32).fill(state.agents[0]) })).not.toThrow();
    expect(() => parseState(plan, { ...state, agents: Array(33).fill(state.agents[0]) })).toThrow(
      'larger than',
    );
    expect(() => parseState(plan, { ...state, open: Array(144).fill(state.open[0]) })).not.toThrow();
    expect(() => parseState(plan, { ...state, undo: Array(3).fill(state.agents[0]) })).toThrow('larger than');
    const many = state.agents.map((agent) => ({ ...agent, finished: Array(9).fill(['x', 1]) }));
    expect(() => parseState(plan, { ...state, agents: many })).toThrow('larger than');
    const struck = state.agents.map((agent) => ({ ...agent, strikes: Array(9).fill(['x', 1]) }));
    expect(() => parseState(plan, { ...state, undo: struck })).toThrow('larger than');
    expect(() => parseState(plan, { ...state, open: Array(145).fill(state.open[0]) })).toThrow('larger than');
  });

  it('of a detector that does not fit starts anew, the others go on', () => {
    const { state } = running();
    const agents = state.agents.map((agent) => ({
      ...agent,
      detectors: [[['not', 'a', 'row', 0]], agent.detectors[1]],
    }));
    expect(createGuard({ preset: 'zagens', state: { ...state, agents } }).before(call).action).toBe('allow');
    const short = state.agents.map((agent) => ({ ...agent, detectors: [[[1, 2, 3]], agent.detectors[1]] }));
    expect(createGuard({ preset: 'zagens', state: { ...state, agents: short } }).before(call).action).toBe(
      'allow',
    );
  });

  it('of another preset keeps what both have', () => {
    const preset: Preset = {
      ...presets.zagens,
      detectors: { 'failure-streak': { kind: 'failure-streak' }, 'call-count': { kind: 'call-count' } },
    };
    const { state } = running();
    expect(createGuard({ preset, state }).before(call).action).toBe('block');
    const other = createGuard({ preset: 'koda', state });
    expect(other.state.detectors).toEqual(['call-streak', 'iteration-cap']);
    expect(other.state.calls).toBe(2);
    expect(other.state.agents[0]?.detectors).toEqual(compilePlan(presets.koda).initial);
  });

  it('with answers of a ladder that is gone forgets them', () => {
    const guard = running();
    expect(guard.before({ id: '3', ...call }).action).toBe('block');
    const shorter: Preset = {
      ...presets.zagens,
      detectors: { 'call-count': { kind: 'call-count' } },
      ladder: presets.zagens.ladder.slice(1, 2),
    };
    const restored = createGuard({ preset: shorter, state: guard.state });
    expect(restored.state.agents[0]?.last).toBeNull();
    expect(restored.before({ id: '3', ...call }).action).toBe('allow');
    const same = createGuard({ preset: 'zagens', state: guard.state });
    expect(same.before({ id: '3', ...call }).action).toBe('block');
  });

  it('with damaged answers, findings or notes forgets them', () => {
    const guard = running();
    guard.before({ id: '3', ...call });
    const { state } = guard;
    const open = state.open.map((one) => ({
      ...one,
      answer: { rung: 1, finding: { count: 'x' } },
      noted: 7,
    }));
    const agents = state.agents.map((agent) => ({
      ...agent,
      held: [7, { detector: 'gone' }],
      last: { rung: 'x' },
    }));
    const restored = parseState(plan, { ...state, open, agents });
    expect(restored.open.every(({ answer, noted }) => answer === null && noted === null)).toBe(true);
    expect(restored.agents[0]).toMatchObject({ held: [], last: null });
  });

  it('keeps held findings', () => {
    const guard = createGuard({ preset: 'koda' });
    guard.accept({ type: 'turn' });
    for (let i = 0; i < 5; i++) guard.before({ ...call, id: `${i}` });
    const state = JSON.parse(JSON.stringify(guard.state)) as unknown;
    expect(createGuard({ preset: 'koda', state }).accept({ type: 'round-done' }).action).toBe('nudge');
  });

  it('is what step gives: the guard adds nothing', () => {
    const { zagens } = presets;
    const guard = createGuard({ preset: zagens });
    guard.before(call);
    const [state] = step(compilePlan(zagens), initialState(compilePlan(zagens)), {
      type: 'tool-call',
      ...call,
    });
    expect(guard.state).toEqual(state);
  });
});
