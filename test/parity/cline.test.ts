import { afterEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../src/config/apply-config.ts';
import { type Preset, presets } from '../../src/index.ts';
import { DONE, FAILED, type Result, read, Session, times } from './session.ts';

/** Cline with other thresholds of its loop detection. */
function thresholds(soft: number, hard: number): Preset {
  const { cline } = presets;
  return {
    ...cline,
    ladder: cline.ladder.map((rung) =>
      rung.on === 'call-streak' ? { ...rung, at: rung.action === 'nudge' ? soft : hard } : rung,
    ),
  };
}

/** Parity table 3.10: soft = nudge, hard = ask, or halt where nobody answers. */
describe('cline', () => {
  let session = new Session({ preset: 'cline' });
  const start = (preset: Preset | 'cline' = 'cline', attended = true) => {
    session = new Session({ preset, attended });
  };
  afterEach(() => session.replays());

  const same = (n: number) => times(n, () => session.call(read('a')));
  /** Turns of two calls each, with these results. */
  const turns = (n: number, first: Result, second: Result) =>
    times(n, (index) => {
      session.accept({ type: 'turn' });
      session.call(read(`a ${index}`), first);
      session.call(read(`b ${index}`), second);
      return session.accept({ type: 'round-done' }).action;
    });

  it('C01 soft 2, hard 3: stops at the third', () => {
    start(thresholds(2, 3), false);
    same(3);
    expect(session.answers).toEqual(['nudge@2', 'halt@3']);
  });

  it('C02 starts anew with each run', () => {
    start(thresholds(2, 3), false);
    same(2);
    session.accept({ type: 'user', text: 'two' });
    same(2);
    expect(session.answers).toEqual(['nudge@2', 'nudge@4']);
  });

  it('C03 can be switched off', () => {
    start(applyConfig({ preset: 'cline', detectors: { 'call-streak': 'off' } }, 'test').preset);
    same(5);
    expect(session.answers).toEqual([]);
  });

  it('C04 speaks once at the third, asks from the fifth on', () => {
    start();
    same(6);
    expect(session.facts).toEqual([
      { call: 3, action: 'nudge', level: 'warning', detector: 'call-streak', tool: 'read_file', count: 3 },
      { call: 5, action: 'ask', level: 'critical', detector: 'call-streak', tool: 'read_file', count: 5 },
      { call: 6, action: 'ask', level: 'critical', detector: 'call-streak', tool: 'read_file', count: 6 },
    ]);
  });

  it('C05 sees through the order of keys', () => {
    start();
    times(3, (index) =>
      session.before({ tool: 'read_file', args: index % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 } }),
    );
    expect(session.answers).toEqual(['nudge@3']);
  });

  it('C06 asks after six turns of nothing but failures', () => {
    start();
    expect(turns(7, FAILED, FAILED)).toEqual([...times(5, () => 'allow'), 'ask', 'ask']);
    expect(session.facts[0]).toMatchObject({ call: 12, detector: 'mistakes', level: 'critical', count: 6 });
  });

  it.each([
    ['first', DONE, FAILED],
    ['last', FAILED, DONE],
  ])('C06 one success in a turn, the %s, starts the count anew', (_place, first, second) => {
    start();
    turns(5, FAILED, FAILED);
    turns(1, first, second);
    turns(5, FAILED, FAILED);
    expect(session.answers).toEqual([]);
    expect(turns(1, FAILED, FAILED)).toEqual(['ask']);
  });

  it('C06 stops where nobody answers', () => {
    start('cline', false);
    turns(6, FAILED, FAILED);
    expect(session.answers).toEqual(['halt@12']);
  });

  it('C06 starts anew when the answer is to go on', () => {
    start();
    turns(6, FAILED, FAILED);
    session.accept({ type: 'control', do: 'approve' });
    expect(turns(6, FAILED, FAILED)).toEqual([...times(5, () => 'allow'), 'ask']);
  });
});
