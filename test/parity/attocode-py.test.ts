import { afterEach, describe, expect, it } from 'vitest';
import { type Options, type Preset, presets } from '../../src/index.ts';
import { type Call, read, Session, shell, times } from './session.ts';

const preset = presets['attocode-py'];
/** Its detector alone, with a window and a threshold of its own. */
const detectorAlone = (window: number, at: number): Preset => ({
  ...preset,
  detectors: { 'call-window': { kind: 'call-window', window } },
  ladder: preset.ladder
    .filter(({ action }) => action === 'nudge')
    .slice(0, 1)
    .map((rung) => ({ ...rung, at })),
});
const edit: Call = { tool: 'edit_file', args: { path: 'a', old: '1', new: '2' } };

/** Parity table 3.3: a loop that is recorded = nudge; block = block. */
describe('attocode-py', () => {
  let session = new Session({ preset });
  const start = (options: Options = { preset: 'attocode-py' }) => {
    session = new Session(options);
    return session;
  };
  afterEach(() => session.replays());

  it('AP01 nudges at the third identical call', () => {
    start();
    for (const _ of times(3, () => session.call(read('a'))));
    expect(session.facts).toEqual([
      { call: 3, action: 'nudge', level: 'warning', detector: 'call-window', tool: 'read_file', count: 3 },
    ]);
  });

  it('AP02 sees it with other calls in between', () => {
    start();
    for (const path of 'ababa') session.call(read(path));
    expect(session.facts).toMatchObject([{ call: 5, action: 'nudge', count: 3 }]);
  });

  it('AP02 does not look further back than twenty calls', () => {
    const run = (between: number) => {
      start();
      for (const path of ['a', 'a', ...times(between, (index) => `other ${index}`), 'a'])
        session.call(shell(path));
      return session.answers;
    };
    expect(run(17)).toEqual(['nudge@20']);
    expect(run(18)).toEqual([]);
  });

  it('AP03 forgets what has left the window', () => {
    start({ preset: detectorAlone(5, 3) });
    for (const path of ['a', 'a', ...times(5, (index) => `other ${index}`), 'a']) session.call(read(path));
    expect(session.answers).toEqual([]);
  });

  it('AP04 starts anew after a reset', () => {
    start({ preset: detectorAlone(20, 2) });
    session.call(read('a'));
    session.accept({ type: 'control', do: 'reset' });
    session.call(read('a'));
    expect(session.answers).toEqual([]);
    session.call(read('a'));
    expect(session.answers).toEqual(['nudge@3']);
  });

  it('AP05 blocks the fourth identical shell command before it runs', () => {
    start();
    for (const _ of times(4, () => session.call(shell('make'))));
    expect(session.answers).toEqual(['nudge@3', 'block@4']);
    expect(session.facts[1]).toMatchObject({ tool: 'bash', count: 4 });
  });

  it('AP06 blocks the sixth identical call of any other tool, and warns before', () => {
    start();
    for (const _ of times(6, () => session.call(read('a'))));
    expect(session.answers).toEqual(['nudge@3', 'nudge@4', 'nudge@5', 'block@6']);
    expect(session.facts[3]).toMatchObject({ tool: 'read_file', count: 6 });
  });

  it('AP06 counts blocked attempts', () => {
    start();
    for (const _ of times(8, () => session.call(read('a'))));
    expect(session.facts.slice(-3).map(({ action, count }) => [action, count])).toEqual([
      ['block', 6],
      ['block', 7],
      ['block', 8],
    ]);
  });

  it('AP07 nudges at three files without an edit, with that threshold', () => {
    const ladder = preset.ladder.map((rung) => (rung.on === 'exploration' ? { ...rung, at: 3 } : rung));
    start({ preset: { ...preset, ladder } });
    for (const path of 'abc') session.call(read(path));
    expect(session.facts).toMatchObject([{ call: 3, action: 'nudge', detector: 'exploration', count: 3 }]);
    start({ preset: { ...preset, ladder } });
    for (const call of [read('a'), edit, read('b'), read('c'), read('d')]) session.call(call);
    expect(session.answers).toEqual([]);
  });

  it('AP07 nudges at ten files on its own', () => {
    start();
    for (const index of times(10, String)) session.call(read(index));
    expect(session.facts).toMatchObject([{ call: 10, detector: 'exploration', count: 10 }]);
  });

  it('AP07 has nothing to say about iterations without new files', () => {
    start();
    for (const index of times(40, String)) session.call(shell(`step ${index}`));
    expect(session.answers).toEqual([]);
  });

  it('keeps its counts over user messages', () => {
    start();
    for (const _ of times(2, () => session.call(read('a'))));
    session.accept({ type: 'user' });
    session.call(read('a'));
    expect(session.answers).toEqual(['nudge@3']);
  });

  it('nudges at the tenth identical call of a swarm', () => {
    start();
    const tally = { type: 'swarm-tally', key: 'k', tool: 'bash', workers: 2 } as const;
    session.accept({ ...tally, calls: 9 });
    session.accept({ ...tally, calls: 10 });
    expect(session.facts).toMatchObject([{ detector: 'swarm-repeat', count: 10 }]);
  });
});
