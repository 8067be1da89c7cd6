import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { type Call, DONE, FAILED, read, Session, times } from './session.ts';

/** Parity table 3.16: reminder 1 to 3 = nudge of level info, warning, critical; force stop = halt; telemetry = observe. */
describe('kimi', () => {
  let session = new Session({ preset: 'kimi' });
  const start = () => {
    session = new Session({ preset: 'kimi' });
  };
  afterEach(() => session.replays());

  /** One step of the model. */
  const step = (...calls: readonly Call[]) => {
    session.accept({ type: 'turn' });
    const decisions = calls.map((call) => session.before(call));
    for (const call of calls) session.after(call, DONE);
    return decisions.map((decision) =>
      decision.action === 'nudge' ? `nudge ${decision.level}` : decision.action,
    );
  };
  const REMINDERS = [
    ...times(2, () => 'nudge info'),
    ...times(3, () => 'nudge warning'),
    ...times(4, () => 'nudge critical'),
  ];

  it('KM01 counts a call that stands twice in one step once', () => {
    start();
    expect(step(read('a'), read('a'))).toEqual(['allow', 'allow']);
    expect(step(read('a'))).toEqual(['observe']);
    expect(session.facts).toMatchObject([{ call: 3, count: 2 }]);
  });

  it('KM02 reminds with growing weight, and stops at the twelfth', () => {
    start();
    const actions = times(13, () => step(read('a'))).flat();
    expect(actions).toEqual(['allow', 'observe', ...REMINDERS, 'halt', 'halt']);
    expect(session.facts[3]).toEqual({
      call: 5,
      action: 'nudge',
      level: 'warning',
      detector: 'call-streak',
      tool: 'read_file',
      count: 5,
    });
  });

  it('KM03 sees through the order of keys', () => {
    start();
    step(read('a', { offset: 1 }));
    step({ tool: 'read_file', args: { offset: 1, path: 'a' } });
    expect(step({ tool: 'read_file', args: '{"offset": 1, "path": "a"}' })).toEqual(['nudge info']);
  });

  it('KM04 is reset by another call, and reports the one repetition', () => {
    start();
    for (const path of ['a', 'a', 'b', 'a']) step(read(path));
    expect(session.facts).toMatchObject([{ call: 2, action: 'observe', count: 2 }]);
  });

  it('KM05 finds nothing in eight identical calls of one step', () => {
    start();
    step(...times(8, () => read('a')));
    expect(session.answers).toEqual([]);
  });

  it('KM05 starts anew with a new turn of the user', () => {
    start();
    times(2, () => step(read('a')));
    session.accept({ type: 'user' });
    times(2, () => step(read('a')));
    expect(session.answers).toEqual(['observe@2', 'observe@4']);
  });

  it('KM06 gives a call that stands twice in a step the same reminder', () => {
    start();
    times(2, () => step(read('a')));
    expect(step(read('a'), read('a'))).toEqual(['nudge info', 'nudge info']);
    expect(session.facts.slice(1)).toMatchObject([
      { call: 3, count: 3 },
      { call: 4, count: 3 },
    ]);
    expect(step(read('a'))).toEqual(['nudge info']);
    expect(session.facts.at(-1)).toMatchObject({ count: 4 });
  });

  /** Calls whose arguments are refused. */
  const rejected = (texts: readonly Json[]) =>
    texts.map((args, index) => {
      session.accept({ type: 'turn' });
      const decision = session.before({ id: `${index}`, tool: 'write', args });
      session.accept({ type: 'tool-result', id: `${index}`, status: 'invalid', output: 'not valid' });
      return decision.action === 'nudge' ? `nudge ${decision.level}` : decision.action;
    });

  it('KM07 counts calls that were refused, by their text where it is no JSON', () => {
    start();
    expect(rejected(times(12, () => '{"path": '))).toEqual(['allow', 'observe', ...REMINDERS, 'halt']);
    start();
    expect(rejected(times(12, () => ({ wrong: true }))).at(-1)).toBe('halt');
  });

  it('KM07 takes every other malformed text for another call', () => {
    start();
    rejected(times(20, (index) => `{"path": ${index}`));
    expect(session.answers).toEqual([]);
  });

  it('KM08 says nothing about results, good or bad', () => {
    start();
    for (const result of [...times(11, () => DONE), DONE, FAILED]) {
      session.before(read('a'));
      expect(session.after(read('a'), result).action).toBe('allow');
    }
    expect(session.answers.slice(-2)).toEqual(['halt@12', 'halt@13']);
  });

  it('KM09 knows nothing of a context that was taken back', () => {
    start();
    times(2, () => step(read('a')));
    session.accept({ type: 'control', do: 'reset' });
    expect(step(read('a'))).toEqual(['allow']);
    expect(step(read('a'))).toEqual(['observe']);
  });

  it('KM09 counts no step that the provider repeats', () => {
    start();
    times(2, () => step(read('a')));
    session.accept({ type: 'turn' });
    session.before(read('a'));
    session.accept({ type: 'rewind' });
    step(read('a'));
    expect(session.facts.map(({ count }) => count)).toEqual([2, 3, 3]);
  });
});
