import { afterEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../src/config/apply-config.ts';
import { type AgentEvent, type Preset, presets } from '../../src/index.ts';
import { type Call, read, Session, times } from './session.ts';

/** Roo Code with another `consecutiveMistakeLimit`, which allows so many repetitions. */
function limited(limit: number): Preset {
  const preset = presets['roo-code'];
  const at = (on: string) => (on === 'call-streak' ? limit + 1 : limit);
  return { ...preset, ladder: preset.ladder.map((rung) => ({ ...rung, at: at(rung.on) })) };
}

/** Parity table 3.9: the question that holds the call = ask. */
describe('roo-code', () => {
  let session = new Session({ preset: 'roo-code' });
  const start = (preset: Preset | 'roo-code' = 'roo-code', attended = true) => {
    session = new Session({ preset, attended });
  };
  const tried = (...calls: readonly Call[]) => calls.map((call) => session.before(call).action);
  afterEach(() => session.replays());

  it('R01 asks at the fourth identical call', () => {
    start();
    expect(tried(...times(4, () => read('a')))).toEqual(['allow', 'allow', 'allow', 'ask']);
    expect(session.facts).toEqual([
      { call: 4, action: 'ask', level: 'warning', detector: 'call-streak', tool: 'read_file', count: 4 },
    ]);
  });

  it('R01 names the tool', () => {
    start();
    const decisions = times(4, () => session.before(read('a')));
    expect(decisions[3]).toMatchObject({ message: expect.stringContaining('read_file') });
  });

  it('R01 halts where nobody can answer', () => {
    start('roo-code', false);
    expect(tried(...times(4, () => read('a'))).at(-1)).toBe('halt');
  });

  it.each([
    [1, 2],
    [2, 3],
    [5, 6],
  ])('R02 limit %i: the first question at call %i', (limit, call) => {
    start(limited(limit));
    tried(...times(call, () => read('a')));
    expect(session.answers).toEqual([`ask@${call}`]);
  });

  it('R02 limit 0 or less is "off": never', () => {
    const off = { preset: 'roo-code', detectors: { 'call-streak': 'off' } } as const;
    start(applyConfig(off, 'test').preset);
    tried(...times(50, () => read('a')));
    expect(session.answers).toEqual([]);
  });

  it('R03 lets the same call pass after another one', () => {
    start(limited(2));
    expect(tried(read('a'), read('b'), read('a'))).toEqual(['allow', 'allow', 'allow']);
  });

  it('R04 starts anew once it has asked', () => {
    start(limited(2));
    expect(tried(...times(6, () => read('a')))).toEqual(['allow', 'allow', 'ask', 'allow', 'allow', 'ask']);
  });

  it('R05 sees through the order of keys', () => {
    start(limited(2));
    tried(read('a', { x: 1, y: 2 }), read('a', { y: 2, x: 1 }), {
      tool: 'read_file',
      args: { x: 1, y: 2, path: 'a' },
    });
    expect(session.answers).toEqual(['ask@3']);
  });

  it('R06 counts calls without parameters', () => {
    start(limited(2));
    tried(...times(3, () => ({ tool: 'list_tasks', args: {} })));
    expect(session.answers).toEqual(['ask@3']);
  });

  it.each([
    ['path', { path: 'a' }, { path: 'b' }],
    ['offset', { path: 'a', offset: 1 }, { path: 'a', offset: 2 }],
    ['cwd', { command: 'ls', cwd: '/a' }, { command: 'ls', cwd: '/b' }],
  ])('R07 tells calls apart by %s, and knows the same one', (_field, one, two) => {
    start(limited(2));
    const call = (args: typeof one | typeof two): Call => ({ tool: 'tool', args });
    tried(call(one), call(two), call(one), call(two), call(one));
    expect(session.answers).toEqual([]);
    tried(call(one), call(one));
    expect(session.answers).toEqual(['ask@7']);
  });

  it('asks when calls that cannot be run and answers without a call come to three', () => {
    start();
    const turn = (...events: readonly AgentEvent[]) => {
      session.accept({ type: 'turn' });
      for (const event of events) session.accept(event);
      return session.accept({ type: 'round-done' }).action;
    };
    const wrong = (tool: string, status: 'invalid' | 'unknown-tool' | 'error'): AgentEvent[] => [
      { type: 'tool-call', id: tool, tool, args: {} },
      { type: 'tool-result', id: tool, output: '', status },
    ];
    expect(turn(...wrong('a', 'invalid'))).toBe('allow');
    expect(turn(...wrong('b', 'unknown-tool'))).toBe('allow');
    expect(turn(...wrong('c', 'error'))).toBe('allow');
    expect([turn(), turn()]).toEqual(['allow', 'ask']);
    expect([turn(), turn(), turn()]).toEqual(['allow', 'allow', 'allow']);
    expect(turn()).toBe('ask');
  });
});
