import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compilePlan, initialState, parseState, step } from '../../src/core/index.ts';
import { advance } from '../../src/core/step.ts';
import { frozen, newWorld } from '../../src/core/world.ts';
import {
  type AgentEvent,
  createGuard,
  type Decision,
  type Intervention,
  type Json,
  type Preset,
  presets,
} from '../../src/index.ts';
import { event, rubbish } from './arbitrary.ts';

const all = Object.entries(presets) as [string, Preset][];
const run = fc.array(event, { maxLength: 120 });
/** Serialised, whatever the run: the bound that the soak run proves over a million events. */
const MAX_STATE = 65_536;
const ACTIONS: readonly string[] = ['allow', 'observe', 'nudge', 'block', 'ask', 'halt'];

/** Vitest's own comparison takes many times as long, so it is asked only where there is a difference to show. */
function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function decisionsOf(preset: Preset, events: readonly AgentEvent[]): Decision[] {
  const guard = createGuard({ preset });
  return events.map((one) => guard.accept(one));
}

describe.each(all)('laws of %s', (_name, preset) => {
  const plan = compilePlan(preset);

  beforeEach(() => {
    const forbidden = () => {
      throw new Error('the core looked at a clock or threw dice');
    };
    vi.spyOn(Date, 'now').mockImplementation(forbidden);
    vi.spyOn(Math, 'random').mockImplementation(forbidden);
    vi.spyOn(performance, 'now').mockImplementation(forbidden);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('gives the same output for the same input, and leaves the state it was given as it was', () => {
    fc.assert(
      fc.property(run, (events) => {
        let state = initialState(plan);
        for (const one of events) {
          const before = JSON.stringify(state);
          const first = step(plan, state, one);
          const second = step(plan, state, one);
          same(second, first);
          same(JSON.stringify(state), before);
          state = first[0];
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is the same in place', () => {
    fc.assert(
      fc.property(run, (events) => {
        let state = initialState(plan);
        const world = newWorld(plan);
        for (const one of events) {
          const [next, decision] = step(plan, state, one);
          same(advance(plan, world, one), decision);
          state = next;
          same(frozen(plan, world), state);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('goes on the same after every save and restore', () => {
    fc.assert(
      fc.property(run, (events) => {
        let live = initialState(plan);
        let restored = live;
        for (const one of events) {
          const [nextLive, decision] = step(plan, live, one);
          const [next, again] = step(plan, restored, one);
          same(again, decision);
          live = nextLive;
          restored = parseState(plan, JSON.parse(JSON.stringify(next)));
          same(restored, JSON.parse(JSON.stringify(live)));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('keeps its state JSON and small', () => {
    fc.assert(
      fc.property(run, (events) => {
        const guard = createGuard({ preset });
        for (const one of events) guard.accept(one);
        const text = JSON.stringify(guard.state);
        expect(JSON.parse(text)).toEqual(guard.state);
        expect(text.length).toBeLessThan(MAX_STATE);
      }),
      { numRuns: 30 },
    );
  });

  it('never throws, whatever it is given, and reports what it does not understand', () => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset, onError: (error) => errors.push(error) });
    fc.assert(
      fc.property(fc.oneof(event, rubbish), (one) => {
        const { action } = guard.accept(one as AgentEvent);
        if (!ACTIONS.includes(action)) expect(ACTIONS).toContain(action);
        // What is thrown here is a failure, too.
        JSON.stringify(guard.state);
      }),
      { numRuns: 2000 },
    );
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(guard.state).length).toBeLessThan(MAX_STATE);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
  });

  it('sees no repetition in different calls with different results', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 5, maxLength: 60 }), (words) => {
        const repetitions: string[] = [];
        const onDecision = ({ finding }: Intervention) => repetitions.push(finding.detector);
        const guard = createGuard({ preset, onDecision });
        for (const [index, word] of words.entries()) {
          const call = { id: `call ${index}`, tool: 'fetch', args: { about: word } };
          guard.before(call);
          guard.after(call, { output: `answer to ${word}`, ok: true });
        }
        // Much of one thing is no repetition: reading without an edit, one tool in a row or very often, a long run.
        const amounts = ['exploration', 'tool-streak', 'tool-frequency', 'iteration-cap'];
        expect(repetitions.filter((detector) => !amounts.includes(detector))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('answers the same id the same way, and counts it once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 }), (words) => {
        const once = createGuard({ preset });
        const twice = createGuard({ preset });
        for (const [index, word] of words.entries()) {
          const call = { id: `call ${index}`, tool: 'read_file', args: { path: word } };
          const decision = once.before(call);
          same(twice.before(call), decision);
          same(twice.before(call), decision);
          if (decision.action === 'block') continue;
          const result = { output: word, ok: false };
          same(twice.after(call, result), once.after(call, result));
          same(twice.after(call, result).action, 'allow');
        }
        expect(twice.state).toEqual(once.state);
      }),
      { numRuns: 30 },
    );
  });

  it('decides in shadow without acting, and off means off', () => {
    fc.assert(
      fc.property(run, (events) => {
        const heard: Decision[] = [];
        const shadow = createGuard({
          preset,
          mode: 'shadow',
          onDecision: (decision) => heard.push(decision),
        });
        expect(events.every((one) => shadow.accept(one).action === 'allow')).toBe(true);
        const off = createGuard({ preset, mode: 'off', onDecision: (decision) => heard.push(decision) });
        const before = heard.length;
        expect(events.every((one) => off.accept(one).action === 'allow')).toBe(true);
        expect(heard).toHaveLength(before);
        expect(off.state.calls).toBe(0);
      }),
      { numRuns: 20 },
    );
  });
});

describe.each([
  ['attocode', presets.attocode],
  ['atomcode', presets.atomcode],
  ['zagens', presets.zagens],
])('arguments of %s', (_name, preset) => {
  const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 6,
  }) as fc.Arbitrary<Json>;

  it('are the same whatever the order of keys and the white space of the JSON', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), fc.constantFrom(0, 1, 4), (values, indent) => {
        const plain = values.map((args): AgentEvent => ({ type: 'tool-call', tool: 'fetch', args }));
        const dressed = values.map(
          (args): AgentEvent => ({
            type: 'tool-call',
            tool: 'fetch',
            args: JSON.stringify(reversed(args), null, indent),
          }),
        );
        const repeated = [...plain, ...plain, ...plain];
        expect(decisionsOf(preset, [...dressed, ...plain, ...dressed])).toEqual(
          decisionsOf(preset, repeated),
        );
      }),
      { numRuns: 50 },
    );
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as { [key: string]: Json });
  return Object.fromEntries(entries.reverse().map(([key, item]) => [key, reversed(item)]));
}
