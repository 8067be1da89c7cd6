import { afterEach, describe, expect, it } from 'vitest';
import { createGuard, type Options, type Preset, presets } from '../../src/index.ts';
import { read, Session, times } from './session.ts';

/** Parity table 3.13: deny = block. */
describe('goose', () => {
  let session = new Session({ preset: 'goose' });
  const start = (options: Options = { preset: 'goose' }) => {
    session = new Session(options);
    return session;
  };
  afterEach(() => session.replays());

  it('GO01 denies the third identical call in a row, and the third of the next one', () => {
    start();
    const actions = [...'aaabbb'].map((path) => session.call(read(path)).action);
    expect(actions).toEqual(['allow', 'allow', 'block', 'allow', 'allow', 'block']);
    expect(session.facts[0]).toEqual({
      call: 3,
      action: 'block',
      level: 'warning',
      detector: 'call-streak',
      tool: 'read_file',
      count: 3,
    });
  });

  it('GO01 goes on denying, and compares arguments by what they mean', () => {
    start();
    const sent = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ];
    for (const args of sent) session.call({ tool: 't', args });
    expect(session.facts.map(({ call, count }) => [call, count])).toEqual([
      [3, 3],
      [4, 4],
    ]);
  });

  it('GO01 is not told of user messages', () => {
    start();
    for (const _ of times(2, () => session.call(read('a'))));
    session.accept({ type: 'user' });
    expect(session.call(read('a')).action).toBe('block');
  });

  it('GO02 never denies without a maximum', () => {
    const { ladder, detectors } = presets.goose;
    const unlimited: Preset = {
      ...presets.goose,
      detectors: { 'iteration-cap': detectors['iteration-cap'] as { kind: string } },
      ladder: ladder.filter(({ on }) => on !== 'call-streak'),
    };
    start({ preset: unlimited });
    for (const _ of times(50, () => session.call(read('a'))));
    expect(session.answers).toEqual([]);
  });

  it('asks the user after a thousand turns', () => {
    const guard = createGuard({ preset: 'goose' });
    const answers: string[] = [];
    for (const index of times(1001, String)) {
      guard.accept({ type: 'turn' });
      guard.before(read(index));
      answers.push(guard.accept({ type: 'round-done' }).action);
    }
    expect(answers.indexOf('ask')).toBe(999);
  });
});
