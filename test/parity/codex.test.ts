import { afterEach, describe, expect, it } from 'vitest';
import { type Options, presets, type Status } from '../../src/index.ts';
import { Session, shell, times } from './session.ts';

/** Parity table 3.17: an interrupted turn = halt. */
describe('codex', () => {
  let session = new Session({ preset: 'codex' });
  let made = 0;
  const start = (options: Options = { preset: 'codex' }) => {
    session = new Session(options);
    made = 0;
    return session;
  };
  /** A call whose review ended so; every one is another command. */
  const reviewed = (status: Status) => {
    made += 1;
    const call = shell(`command ${made}`);
    session.before(call);
    return session.accept({ type: 'tool-result', ...call, status, output: '' });
  };
  const denied = (n: number) => times(n, () => reviewed('denied'));
  afterEach(() => session.replays());

  it('CX01 interrupts at the third denial in a row, once a turn', () => {
    start();
    expect(denied(3).map(({ action }) => action)).toEqual(['allow', 'allow', 'halt']);
    denied(1);
    expect(session.facts).toEqual([
      { call: 3, action: 'halt', level: 'critical', detector: 'denials', tool: 'bash', count: 3 },
    ]);
  });

  it('CX01 counts anew in the next turn', () => {
    start();
    denied(3);
    session.accept({ type: 'user' });
    denied(2);
    expect(session.answers).toEqual(['halt@3']);
    denied(1);
    expect(session.answers).toEqual(['halt@3', 'halt@6']);
  });

  it('CX01 does not interrupt the turn again for many denials', () => {
    start();
    denied(12);
    expect(session.answers).toEqual(['halt@3']);
  });

  it('CX02 starts again when something was let through', () => {
    start();
    denied(1);
    reviewed('ok');
    denied(2);
    expect(session.answers).toEqual([]);
    denied(1);
    expect(session.answers).toEqual(['halt@5']);
  });

  it('CX02 takes a call that ran and failed for one that was let through', () => {
    start();
    denied(2);
    reviewed('error');
    denied(1);
    expect(session.answers).toEqual([]);
  });

  it('CX03 interrupts at the tenth denial among others', () => {
    start();
    for (const _ of times(9, () => [reviewed('denied'), reviewed('ok')]));
    expect(session.answers).toEqual([]);
    denied(1);
    expect(session.facts).toMatchObject([{ call: 19, action: 'halt', detector: 'denials', count: 10 }]);
  });

  it('CX03 forgets denials beyond the last fifty reviews', () => {
    const run = (between: number) => {
      start();
      for (const _ of times(9, () => [reviewed('denied'), reviewed('ok')]));
      for (const _ of times(between, () => reviewed('ok')));
      denied(1);
      return session.answers;
    };
    expect(run(31)).toEqual(['halt@50']);
    expect(run(32)).toEqual([]);
  });

  it('CX04 interrupts at the first denial under a stricter policy', () => {
    const ladder = presets.codex.ladder.slice(1).map((rung) => ({ ...rung, at: 1 }));
    start({ preset: { ...presets.codex, ladder } });
    denied(2);
    expect(session.answers).toEqual(['halt@1']);
  });

  it('has nothing to say about repeated calls', () => {
    start();
    for (const _ of times(30, () => session.call(shell('ls'))));
    expect(session.answers).toEqual([]);
  });
});
