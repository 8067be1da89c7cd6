import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, type Decision, type Preset, presets } from '../../src/index.ts';
import { type Call, DONE, FAILED, type Result, read, Session, shell, times } from './session.ts';

const COMPACTION: AgentEvent = { type: 'compaction' };

/** Parity table 3.14: stuck = ask (halt where nobody answers). */
describe('openhands', () => {
  let session = new Session({ preset: 'openhands' });
  const start = (preset: Preset | 'openhands' = 'openhands') => {
    session = new Session({ preset });
  };
  /** Nobody is there, and the whole history counts. */
  const startHeadless = () => {
    session = new Session({ preset: { ...presets.openhands, userBoundary: 'keep' }, attended: false });
  };
  afterEach(() => session.replays());

  const ls = (n: number, result: Result = DONE) => times(n, () => session.call(shell('ls'), result).action);

  it('H01 is stuck at the fourth equal step, and shows where it began', () => {
    start();
    session.call(read('before'));
    const decisions = times(4, () => session.call(shell('ls')));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'allow', 'ask']);
    expect(session.facts).toEqual([
      { call: 5, action: 'ask', level: 'critical', detector: 'same-steps', tool: 'bash', count: 4 },
    ]);
    expect(decisions[3]).toMatchObject({ finding: { evidence: [2, 3, 4, 5], facts: { period: 1 } } });
  });

  it('H02 starts anew at a user message', () => {
    start();
    expect(ls(4).at(-1)).toBe('ask');
    session.accept({ type: 'user' });
    expect(ls(4)).toEqual(['allow', 'allow', 'allow', 'ask']);
  });

  it('H02 headless stays stuck across user messages', () => {
    startHeadless();
    expect(ls(4).at(-1)).toBe('halt');
    session.accept({ type: 'user' });
    expect(ls(2)).toEqual(['halt', 'halt']);
  });

  it('H03 is stuck at the third failure of one call, whatever the errors say', () => {
    start();
    times(3, (index) => session.call(read('gone'), { output: `error ${index}`, ok: false }));
    expect(session.facts).toEqual([
      { call: 3, action: 'ask', level: 'critical', detector: 'same-failures', tool: 'read_file', count: 3 },
    ]);
    start();
    times(3, (index) => session.call(read(`gone ${index}`), FAILED));
    times(2, () => session.call(read('gone'), FAILED));
    expect(session.answers).toEqual([]);
  });

  it('H03 headless, a user message in between does not matter', () => {
    startHeadless();
    session.call(read('gone'), FAILED);
    session.accept({ type: 'user' });
    times(2, () => session.call(read('gone'), FAILED));
    expect(session.answers).toEqual(['halt@3']);
  });

  /** A cell that ran, and printed that it could not be parsed. */
  const cell = (line: number): Decision =>
    session.call(
      { tool: 'execute_ipython_cell', args: { code: 'print("hello' } },
      { output: `Cell In[1], line ${line}\nSyntaxError: unterminated string literal`, ok: true },
    );

  it.each([
    ['the same line, four times', [1, 1, 1, 1], ['ask@4']],
    ['other lines', [1, 2, 3, 4], []],
    ['the same line, twice', [1, 1], []],
  ])('H04 syntax errors in %s', (_name, lines, answers) => {
    start();
    lines.map(cell);
    expect(session.answers).toEqual(answers);
  });

  const inTurn = (n: number, output: (index: number) => string = () => 'x') =>
    times(
      n,
      (index) => session.call(read(index % 2 ? 'b' : 'a'), { output: output(index), ok: true }).action,
    );

  it('H05 is stuck when the last six steps go to and fro', () => {
    start();
    expect(inTurn(6)).toEqual([...times(5, () => 'allow'), 'ask']);
    expect(session.facts).toMatchObject([{ call: 6, detector: 'same-steps', count: 3 }]);
  });

  it('H05 is not when one of them ended another way', () => {
    start();
    inTurn(6, (index) => (index === 3 ? 'y' : 'x'));
    expect(session.answers).toEqual([]);
  });

  const say = (...texts: readonly string[]) => {
    for (const text of texts) session.accept({ type: 'turn', text });
    return session.accept({ type: 'round-done' }).action;
  };

  it('H06 is stuck at the third equal message with nothing in between', () => {
    start();
    expect(say('I am working on it.', 'I am working on it.')).toBe('allow');
    expect(say('I am working on it.')).toBe('ask');
    expect(session.facts).toMatchObject([{ detector: 'monologue', count: 3 }]);
  });

  it('H06 is not with other messages, or with an observation in between', () => {
    start();
    expect(say('one', 'two', 'three')).toBe('allow');
    start();
    say('one', 'one');
    session.call(read('a'));
    say('one', 'one');
    expect(session.answers).toEqual([]);
  });

  it.each([
    [9, []],
    [10, ['ask@0']],
    [11, ['ask@0', 'ask@0']],
  ])('H07 %i compactions with nothing in between', (n, answers) => {
    start();
    times(n, () => session.accept(COMPACTION));
    expect(session.answers).toEqual(answers);
  });

  it('H07 is not stuck when there was work between all of them, and is when there was none between two', () => {
    start();
    times(10, (index) => {
      session.call(read(`${index}`));
      return session.accept(COMPACTION);
    });
    expect(session.answers).toEqual([]);
    session.accept(COMPACTION);
    expect(session.facts).toMatchObject([{ detector: 'compactions', count: 11 }]);
  });

  it('H07 starts anew at a user message, and does not headless', () => {
    const run = () => {
      times(9, () => session.accept(COMPACTION));
      session.accept({ type: 'user' });
      return session.accept(COMPACTION).action;
    };
    start();
    expect(run()).toBe('allow');
    startHeadless();
    expect(run()).toBe('halt');
  });

  it('H08 tells when a delegate is stuck, with its name, whatever the parent does in between', () => {
    start();
    const delegate: Call = { ...shell('ls'), agent: 'delegate' };
    const decisions = times(4, (index) => {
      session.call(read(`${index}`));
      return session.call(delegate);
    });
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'allow', 'ask']);
    expect(decisions[3]).toMatchObject({ agent: 'delegate' });
  });

  it('H09 quirk: a command that prints something new each time is stuck, too', () => {
    start();
    times(4, (index) => session.call(shell('date'), { output: `${index}`, ok: true }));
    expect(session.answers).toEqual(['ask@4']);
  });

  it('H09 takes a command that fails for a step like any other', () => {
    start();
    expect(ls(4, FAILED)).toEqual(['allow', 'allow', 'allow', 'ask']);
    expect(session.facts).toMatchObject([{ detector: 'same-steps', count: 4 }]);
  });

  it('H09 tells exit codes apart, as far as success and failure go', () => {
    start();
    for (const result of [DONE, DONE, FAILED, DONE, DONE, FAILED]) session.call(shell('flaky'), result);
    expect(session.answers).toEqual([]);
  });
});

/** Parity table 3.14: stuck = halt, nudge = nudge. */
describe('openhands-sdk', () => {
  let session = new Session({ preset: 'openhands-sdk' });
  const start = (preset: Preset | 'openhands-sdk' = 'openhands-sdk') => {
    session = new Session({ preset });
  };
  afterEach(() => session.replays());

  const ls = (n: number) => times(n, () => session.call(shell('ls')).action);
  const failing = (n: number) => times(n, () => session.call(read('gone'), FAILED));
  /** The SDK with other thresholds; a pattern of n steps is n / 2 laps. */
  const custom = (observations: number, errors: number, messages: number, pattern: number): Preset => {
    const preset = presets['openhands-sdk'];
    const at = ([observations, errors + 1, errors, messages, pattern / 2] as const).map(Number);
    return { ...preset, ladder: preset.ladder.map((rung, index) => ({ ...rung, at: at[index] as number })) };
  };

  it('S01 is stuck at the fourth equal step, without any user message', () => {
    start();
    expect(ls(4)).toEqual(['allow', 'allow', 'allow', 'halt']);
    expect(session.facts).toEqual([
      { call: 4, action: 'halt', level: 'critical', detector: 'same-steps', tool: 'bash', count: 4 },
    ]);
  });

  it('S01 sees only what is recent', () => {
    start();
    ls(3);
    times(10, (index) => session.call(read(`${index}`)));
    ls(3);
    expect(session.answers).toEqual([]);
  });

  it('S02 nudges once at the third failure of one call, and is stuck at the fourth', () => {
    start();
    times(4, (index) => session.call(read('gone'), { output: `error ${index}`, ok: false }));
    expect(session.facts).toEqual([
      { call: 3, action: 'nudge', level: 'warning', detector: 'same-failures', tool: 'read_file', count: 3 },
      { call: 4, action: 'halt', level: 'critical', detector: 'same-failures', tool: 'read_file', count: 4 },
    ]);
  });

  it('S02 names the tool', () => {
    start();
    const decisions = times(3, () => session.call(read('gone'), FAILED));
    expect(decisions[2]).toMatchObject({ message: expect.stringContaining('read_file') });
  });

  it.each([2, 3])('S03 %i messages in a row, whatever they say', (n) => {
    start();
    times(n, (index) => session.accept({ type: 'turn', text: `message ${index}` }));
    session.accept({ type: 'round-done' });
    expect(session.answers).toEqual(n < 3 ? [] : ['halt@0']);
  });

  it('S04 lets different commands pass', () => {
    start();
    times(4, (index) => session.call(shell(`ls ${index}`)));
    expect(session.answers).toEqual([]);
  });

  it('S04 starts anew at a user message', () => {
    start();
    ls(3);
    session.accept({ type: 'user' });
    expect(ls(4)).toEqual(['allow', 'allow', 'allow', 'halt']);
  });

  it('S04 takes other thresholds', () => {
    const preset = custom(8, 6, 10, 6);
    start(preset);
    ls(8);
    expect(session.answers).toEqual(['halt@8']);
    start(preset);
    failing(7);
    expect(session.answers).toEqual(['nudge@6', 'halt@7']);
    start(preset);
    times(11, () => session.accept({ type: 'turn' }));
    expect(session.facts).toMatchObject([{ detector: 'monologue', count: 10 }]);
    start(preset);
    times(6, (index) => session.call(read(index % 2 ? 'b' : 'a')));
    expect(session.facts).toMatchObject([{ call: 6, count: 3 }]);
  });

  it('S05 does not take a message of the framework for one of the user', () => {
    start();
    failing(3);
    session.delivered();
    session.accept({ type: 'user', by: 'host', text: 'The call has failed three times.' });
    failing(1);
    expect(session.answers).toEqual(['nudge@3', 'halt@4']);
  });

  it('S06 quirk: another thought makes another action', () => {
    const run = (text: (index: number) => string) =>
      times(4, (index) => {
        session.accept({ type: 'turn', text: text(index) });
        return session.call(shell('ls'));
      });
    start();
    run((index) => `Let me look, for time number ${index}.`);
    expect(session.answers).toEqual([]);
    start();
    run(() => 'Let me look.');
    expect(session.answers).toEqual(['halt@4']);
  });
});
