import { afterEach, describe, expect, it } from 'vitest';
import { read, Session, times } from './session.ts';

/** Parity table 3.13: a call answered in place of the tool = block with a stub. */
describe('crewai', () => {
  let session = new Session({ preset: 'crewai' });
  const start = () => {
    session = new Session({ preset: 'crewai' });
    return session;
  };
  afterEach(() => session.replays());

  it('CW01 answers the second identical call itself', () => {
    start();
    expect(session.call(read('a')).action).toBe('allow');
    const answer = session.call(read('a'));
    expect(answer).toMatchObject({ action: 'block', hint: 'stub' });
    expect(session.facts).toEqual([
      { call: 2, action: 'block', level: 'warning', detector: 'call-streak', tool: 'read_file', count: 2 },
    ]);
  });

  it('CW01 goes on refusing it until another call has run', () => {
    start();
    const actions = [...'aaabab'].map((path) => session.call(read(path)).action);
    expect(actions).toEqual(['allow', 'block', 'block', 'allow', 'allow', 'allow']);
  });

  it('CW01 compares arguments by what they mean', () => {
    start();
    session.call({ tool: 't', args: { a: 1, b: 2 } });
    expect(session.call({ tool: 't', args: { b: 2, a: 1 } }).action).toBe('block');
  });

  it('CW01 begins each task anew', () => {
    start();
    session.call(read('a'));
    session.accept({ type: 'user' });
    expect(session.call(read('a')).action).toBe('allow');
  });

  it('asks for the final answer after 25 iterations', () => {
    start();
    for (const index of times(25, String)) {
      session.accept({ type: 'turn' });
      session.call(read(index));
    }
    expect(session.answers).toEqual([]);
    expect(session.accept({ type: 'round-done' })).toMatchObject({ action: 'halt', hint: 'last-turn' });
    expect(session.facts).toMatchObject([{ call: 25, detector: 'iteration-cap', count: 25 }]);
  });
});
