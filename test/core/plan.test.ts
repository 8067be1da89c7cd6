import { describe, expect, it } from 'vitest';
import {
  checkedPlan,
  createGuard as createCoreGuard,
  definePreset,
  toolRules,
} from '../../src/core/index.ts';
import { callStreak, failureStreak, failureStreakDescribed } from '../../src/detectors/index.ts';
import { createGuard, type Options, type Preset, presets } from '../../src/index.ts';
import { koda } from '../../src/presets/koda.ts';
import { zagens as zagensPreset } from '../../src/presets/zagens.ts';

const { zagens, attocode } = presets;
const problem = (options: unknown): string => {
  try {
    createGuard(options as Options);
  } catch (error) {
    expect(error).toMatchObject({ name: 'DeloopError', code: 'option' });
    return (error as Error).message;
  }
  return 'no error';
};
const withLadder = (...ladder: object[]) => problem({ preset: { ...zagens, ladder } });
const rung = { on: 'call-count', at: 3, action: 'block', message: 'no' };
const failures = { on: 'failure-streak', at: 3, action: 'nudge', message: 'no' };

describe('options that can never work', () => {
  it.each([
    [
      { preset: 'kodda' },
      'preset is "kodda"; it must be one of koda, attocode, attocode-py, atomcode, zagens,',
    ],
    [{ preset: '__proto__' }, 'preset is "__proto__"; it must be one of'],
    [{ preset: null }, 'preset is null; it must be a preset object'],
    [{ mode: 'loud' }, 'mode is "loud"; it must be one of enforce, shadow, off'],
    [
      { preset: { ...zagens, rounds: 'never' } },
      'preset "zagens": rounds is "never"; it must be one of "call", "round"',
    ],
    [
      { preset: { ...zagens, agent: 'apart' } },
      'preset "zagens" has no option "agent"; known are name, about',
    ],
    [
      { preset: { ...zagens, detectors: null } },
      'detectors is null; it must be an object of detectors by name',
    ],
    [
      { preset: { ...zagens, detectors: { 'call-count': null } } },
      'detectors.call-count is null; it must be an object',
    ],
    [
      { preset: { ...zagens, detectors: { __PROTO__: {} } } },
      'the name of a detector is "__PROTO__"; it must be lower-case',
    ],
    [
      { preset: { ...zagens, detectors: { x: { kind: 'psychic' } } } },
      'detectors.x.kind is "psychic"; it must be one of ',
    ],
    [{ preset: { ...zagens, ladder: 'high' } }, 'ladder is "high"; it must be a list of rungs'],
    [
      { preset: 'atomcode', messages: { 'no-such': 'x' } },
      'messages has no option "no-such"; known are outcome-repeat, outcome-repeat:block',
    ],
    [{ tools: { t: { poll: 'yes' } } }, 'tools["t"].poll is "yes"; it must be true or false'],
    [{ tools: { t: { noop: 1 } } }, 'tools["t"].noop is 1; it must be true or false'],
    [{ tools: { t: { exempt: 1 } } }, 'tools["t"].exempt is 1; it must be true or false'],
    [
      { tools: { t: { identity: true } } },
      'tools["t"].identity is true; it must be a list of argument names, or false',
    ],
    [{ tools: { t: { identity: [''] } } }, 'tools["t"].identity is [""]; it must be a list'],
    [{ tools: { t: { volatile: 'id' } } }, 'tools["t"].volatile is "id"; it must be a list of names'],
    [
      { tools: { t: { effect: 'boom' } } },
      'tools["t"].effect is "boom"; it must be "none", "write" or "shell"',
    ],
    [{ tools: { t: { at: 3 } } }, 'tools["t"].at is 3; it must be an object with nudge, block, halt'],
    [{ tools: { t: { at: { ask: 3 } } } }, 'tools["t"].at has no option "ask"; known are nudge, block, halt'],
    [
      { tools: { t: { at: { block: 0 } } } },
      'tools["t"].at.block is 0; it must be a whole number from 1 to 1000000',
    ],
    [{ tools: { t: { pol: true } } }, 'tools["t"] has no option "pol"; known are identity, volatile'],
    [{ tools: { t: null } }, 'tools["t"] is null; it must be an object'],
    [{ tools: null }, 'tools is null; it must be an object of tool names'],
    [{ tools: [] }, 'tools is []; it must be an object of tool names'],
    [{ presets: 'koda' }, 'createGuard has no option "presets"; known are preset, mode'],
    [{ messages: null }, 'messages is null; it must be an object of texts'],
    [{ messages: 'x' }, 'messages is "x"; it must be an object of texts'],
    [
      { preset: 'atomcode', messages: { 'outcome-repeat': 5 } },
      'ladder[0].message is 5; it must be a text of 1 to 4000 characters',
    ],
    [{ detectors: 5 }, 'detectors is 5; it must be a list of kinds of detectors'],
    [{ onDecision: 'nope' }, 'onDecision is "nope"; it must be a function'],
    [{ onError: 7 }, 'onError is 7; it must be a function'],
    [{ attended: 'no' }, 'attended is "no"; it must be true or false'],
    [{ swarm: {} }, 'swarm is {}; it must be an object with a tally and the name of this worker'],
    [{ swarm: { tally: { record: () => 1 } } }, 'swarm is {"tally":{}}; it must be an object with a tally'],
  ])('%j', (options, message) => {
    expect(problem(options)).toContain(message);
  });

  it.each([
    [{ window: 1 }, 'detectors.call-streak.window is 1; it must be a whole number from 2 to 1000000'],
    [{ window: 2.5 }, 'window is 2.5; it must be a whole number'],
    [{ window: '10' }, 'window is "10"; it must be a whole number'],
    [{ match: 'vague' }, 'match is "vague"; it must be one of "exact", "raw"'],
    [{ prefixBytes: 0 }, 'prefixBytes is 0; it must be a whole number from 1 to 1000000, or "off"'],
    [{ windows: 10 }, 'detectors.call-streak has no option "windows"; known are match, prefixBytes, window'],
  ])('detector option %j', (options, message) => {
    const detectors = { ...attocode.detectors, 'call-streak': { kind: 'call-streak', ...options } };
    expect(problem({ preset: { ...attocode, detectors } })).toContain(message);
  });

  it.each([
    [{ clearedBy: 'edit' }, 'clearedBy is "edit"; it must be a list of names'],
    [{ clearedBy: [7] }, 'clearedBy is [7]; it must be a list of names'],
  ])('detector option %j', (options, message) => {
    const detectors = { ...zagens.detectors, 'call-count': { kind: 'call-count', ...options } };
    expect(problem({ preset: { ...zagens, detectors } })).toContain(message);
  });

  it.each([
    [{ at: 0 }, 'ladder[0].at is 0; it must be a whole number from 1 to 1000000'],
    [{ at: 1_000_001 }, 'ladder[0].at is 1000001'],
    [{ every: 0 }, 'ladder[0].every is 0; it must be a whole number'],
    [{ strikes: 0 }, 'ladder[0].strikes is 0; it must be a whole number'],
    [{ exactly: 1 }, 'ladder[0].exactly is 1; it must be true or false'],
    [{ forget: 'yes' }, 'ladder[0].forget is "yes"; it must be true or false'],
    [{ where: 'here' }, 'ladder[0].where is "here"; it must be an object of facts'],
    [{ where: null }, 'ladder[0].where is null; it must be an object of facts'],
    [{ action: 'shout' }, 'ladder[0].action is "shout"; it must be one of observe, nudge, block, ask, halt'],
    [{ level: 'high' }, 'ladder[0].level is "high"; it must be one of info, warning, critical'],
    [{ message: '' }, 'ladder[0].message is ""; it must be a text of 1 to 4000 characters'],
    [{ message: 'x'.repeat(4001) }, 'ladder[0].message is "xxx'],
    [{ message: 7 }, 'ladder[0].message is 7'],
    [{ prompt: 7, action: 'ask' }, 'ladder[0].prompt is 7; it must be a text of 1 to 4000 characters'],
    [{ prompt: '', action: 'ask' }, 'ladder[0].prompt is ""; it must be a text of 1 to 4000 characters'],
    [
      { prompt: 'Go on?' },
      `ladder[0].prompt is "Go on?"; it must be left out: only 'ask' is put to a person`,
    ],
    [{ on: 'nothing' }, 'ladder[0].on is "nothing"; it must be one of call-count, failure-streak'],
    [{ sparkle: true }, 'ladder[0] has no option "sparkle"; known are on, at'],
  ])('rung %j', (part, message) => {
    expect(withLadder({ ...rung, ...part }, failures)).toContain(message);
  });

  it('a rung that is no object', () => {
    expect(withLadder(rung, null as never)).toContain('ladder[1] is null; it must be an object with on, at');
  });
});

describe('rules that can never fire', () => {
  it('a rung above every count', () => {
    const detectors = { 'call-streak': { kind: 'call-streak', window: 4 } };
    const at = (n: number) =>
      problem({ preset: { ...zagens, detectors, ladder: [{ ...rung, on: 'call-streak', at: n }] } });
    expect(at(4)).toBe('no error');
    expect(at(5)).toContain('ladder[0] can never fire: call-streak never counts above 4, and at is 5');
  });

  it('a window smaller than the threshold', () => {
    const { atomcode } = presets;
    const preset = (window: number) => ({
      ...atomcode,
      detectors: { 'outcome-repeat': { kind: 'outcome-repeat', window } },
    });
    expect(problem({ preset: preset(5) })).toBe('no error');
    expect(problem({ preset: preset(4) })).toContain('never counts above 5, and at is 6');
  });

  it("a tool's own threshold that no detector reaches", () => {
    const at = (block: number) => problem({ preset: 'atomcode', tools: { t: { at: { block } } } });
    expect(at(33)).toBe('no error');
    expect(at(34)).toContain(
      'tools["t"].at.block can never fire: no rung with that action counts as far as 34',
    );
    expect(problem({ preset: 'atomcode', tools: { t: { at: { halt: 2 } } } })).toBe('no error');
  });

  it('a rung behind one that always comes first', () => {
    const strict = { ...rung, at: 5, action: 'halt' };
    expect(withLadder(strict, rung, failures)).toBe('no error');
    expect(withLadder(rung, strict, failures)).toContain(
      'ladder[1] can never fire: ladder[0] always comes first',
    );
    expect(withLadder({ ...rung, exactly: true }, strict, failures)).toBe('no error');
    expect(withLadder({ ...rung, every: 2 }, strict, failures)).toBe('no error');
    expect(withLadder({ ...rung, every: 1 }, strict, failures)).toContain('can never fire');
    expect(withLadder({ ...rung, where: { tool: 'a' } }, strict, failures)).toBe('no error');
    expect(
      withLadder({ ...rung, where: { tool: 'a' } }, { ...strict, where: { tool: 'a' } }, failures),
    ).toContain('can never fire');
    expect(withLadder({ ...rung, at: 5 }, { ...strict, at: 4 }, failures)).toBe('no error');
    expect(withLadder({ ...rung, at: 5 }, strict, failures)).toContain('can never fire');
  });

  it('a rung that waits for strikes nobody gives', () => {
    const waiting = { ...rung, strikes: 1, action: 'halt' };
    expect(withLadder(waiting, failures)).toContain(
      'no rung on call-count gives the 1 strike(s) it waits for',
    );
    expect(withLadder(waiting, { ...rung, action: 'observe' }, failures)).toContain('strike(s)');
    expect(withLadder(waiting, { ...rung, action: 'nudge' }, failures)).toBe('no error');
    expect(withLadder({ ...waiting, strikes: 2 }, waiting, failures)).toContain('strike(s)');
  });

  it('a block after the call has run', () => {
    expect(withLadder(rung, { ...failures, action: 'block' })).toContain('is checked after the call has run');
    expect(problem({ preset: { ...zagens, rounds: 'round' } })).toContain(
      'is checked after the call has run',
    );
  });

  it('a detector without a rung', () => {
    expect(withLadder(rung)).toContain(
      'detectors.failure-streak can never fire: no rung of the ladder is on it',
    );
  });
});

describe('a preset object', () => {
  it('is plain JSON, and works by name, as it is and read from JSON', () => {
    for (const [name, preset] of Object.entries(presets)) {
      const copy = JSON.parse(JSON.stringify(preset)) as Preset;
      expect(copy).toEqual(preset);
      expect(preset.name).toBe(name);
      expect(() => createGuard({ preset: copy })).not.toThrow();
    }
  });

  it('carries what deloop/core needs, and says so when it does not', () => {
    expect(createCoreGuard({ preset: koda }).before({ tool: 't' })).toEqual({ action: 'allow' });
    const copy = JSON.parse(JSON.stringify(koda)) as Preset;
    expect(() => createCoreGuard({ preset: copy })).toThrow(
      /no detector call-streak: pass it in `detectors`/,
    );
    expect(() => createCoreGuard({ preset: copy, detectors: [callStreak] })).toThrow(
      /no detector iteration-cap/,
    );
  });

  it('takes declarations of tools in deloop/core, too', () => {
    const guard = createCoreGuard({ preset: zagensPreset, rulesFor: toolRules({ t: { at: { block: 2 } } }) });
    expect([1, 2].map(() => guard.before({ tool: 't', args: {} }).action)).toEqual(['allow', 'block']);
    expect([1, 2].map(() => guard.before({ tool: 'u', args: {} }).action)).toEqual(['allow', 'allow']);
  });

  it('reports in deloop/core what it cannot take, and trusts the rest', () => {
    const errors: unknown[] = [];
    const guard = createCoreGuard({ preset: koda, onError: (error) => errors.push(error) });
    expect(guard.accept({ type: 'tool-call', tool: 7 } as never).action).toBe('allow');
    expect(guard.accept(null as never).action).toBe('allow');
    expect(errors).toHaveLength(1);
  });

  it('may be defined anew, checked by the compiler', () => {
    const preset = definePreset([callStreak, failureStreak], {
      name: 'mine',
      about: 'my own',
      detectors: {
        repeats: { kind: 'call-streak', match: 'raw' },
        // @ts-expect-error an option that the kind does not have
        wrong: { kind: 'failure-streak', windows: 3 },
      },
      ladder: [
        { on: 'repeats', at: 2, action: 'observe', message: 'seen' },
        // @ts-expect-error a detector that is not there
        { on: 'repeat', at: 2, action: 'observe', message: 'seen' },
      ],
    });
    expect(() => checkedPlan(preset, { described: [failureStreakDescribed] })).toThrow(/windows/);
    expect(() => checkedPlan(preset)).toThrow(/ladder\[1\].on is "repeat"/);
  });

  it('observes without acting', () => {
    const preset: Preset = {
      name: 'watch',
      about: '',
      detectors: { repeats: { kind: 'call-streak' } },
      ladder: [
        { on: 'repeats', at: 2, every: 2, action: 'observe', message: '{tool} {count} {subject} {unknown}' },
      ],
    };
    const heard: string[] = [];
    const guard = createGuard({ preset, onDecision: ({ message }) => heard.push(message) });
    const actions = [1, 2, 3, 4, 5, 6].map(() => guard.before({ tool: 't', args: {} }).action);
    expect(actions).toEqual(['allow', 'observe', 'allow', 'observe', 'allow', 'observe']);
    expect(heard[1]).toMatch(/^t 4 t#[0-9a-z]+ \{unknown\}$/);
  });

  it('acts only where all facts are as the rung wants them', () => {
    const preset = (where: { [fact: string]: string | boolean }): Preset => ({
      name: 'facts',
      about: '',
      detectors: { it: { kind: 'outcome-repeat' } },
      ladder: [{ on: 'it', at: 1, where, action: 'observe', message: 'seen' }],
    });
    const seen = (where: { [fact: string]: string | boolean }) =>
      createGuard({ preset: preset(where) }).before({ tool: 't' }).action;
    expect(seen({ tool: 't', same: true })).toBe('observe');
    expect(seen({ tool: 't', same: false })).toBe('allow');
    expect(seen({ tool: 'u', same: true })).toBe('allow');
  });

  it('takes other words', () => {
    const say = (messages: { [key: string]: string }) => {
      const guard = createGuard({ preset: 'zagens', messages });
      for (let i = 0; i < 2; i++) guard.before({ tool: 't', args: {} });
      return guard.before({ tool: 't', args: {} });
    };
    expect(say({ 'call-count': 'Enough of {tool}.' })).toMatchObject({ message: 'Enough of t.' });
    expect(say({ 'call-count:block': 'More than enough.', 'call-count': 'x' })).toMatchObject({
      message: 'More than enough.',
    });
  });
});
