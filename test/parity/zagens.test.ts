import { afterEach, describe, expect, it } from 'vitest';
import { type Call, DONE, FAILED, read, Session, shell, times } from './session.ts';

const grep = (pattern: string): Call => ({ tool: 'grep_files', args: { pattern } });
const failing = (n: number) => times(n, (index) => grep(`pattern ${index}`));

/** Parity table 3.5: block = block, warn = nudge, halt = halt. */
describe('zagens', () => {
  let session = new Session({ preset: 'zagens' });
  const start = (preset: 'zagens' | 'deepseek-tui' = 'zagens') => {
    session = new Session({ preset });
    return session;
  };
  afterEach(() => session.replays());

  it('Z01 blocks the third identical attempt', () => {
    start();
    const decisions = times(3, () => session.before(read('src/main.rs')));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'block']);
    expect(session.facts).toEqual([
      { call: 3, action: 'block', level: 'warning', detector: 'call-count', tool: 'read_file', count: 3 },
    ]);
  });

  it('Z02 lets paging pass', () => {
    start();
    for (const offset of [0, 100, 200]) session.before(read('src/main.rs', { offset }));
    expect(session.answers).toEqual([]);
  });

  it('Z03 warns at the third failure in a row and halts at the eighth', () => {
    start();
    for (const call of failing(8)) session.call(call, FAILED);
    expect(session.facts).toEqual([
      {
        call: 3,
        action: 'nudge',
        level: 'warning',
        detector: 'failure-streak',
        tool: 'grep_files',
        count: 3,
      },
      {
        call: 8,
        action: 'halt',
        level: 'critical',
        detector: 'failure-streak',
        tool: 'grep_files',
        count: 8,
      },
    ]);
  });

  it('Z04 starts again after a success', () => {
    start();
    const results = [FAILED, FAILED, DONE, FAILED];
    failing(4).forEach((call, index) => {
      session.call(call, results[index]);
    });
    expect(session.answers).toEqual([]);
  });

  it('Z05 forgives failures when a continuation is granted', () => {
    start();
    for (const call of failing(8)) session.call(call, FAILED);
    session.accept({ type: 'control', do: 'grant', n: 1 });
    session.call(grep('one more'), FAILED);
    expect(session.answers).toEqual(['nudge@3', 'halt@8']);
  });

  it('Z06 keeps identical counts when a continuation is granted', () => {
    start();
    for (const _ of times(2, () => session.before(read('a'))));
    session.accept({ type: 'control', do: 'grant', n: 1 });
    expect(session.before(read('a')).action).toBe('block');
  });

  it('Z07 starts identical counts anew when the world changed', () => {
    start();
    const test = shell('go test ./config/...', 'exec_shell');
    for (const _ of times(2, () => session.before(test)));
    session.accept({ type: 'state-change' });
    for (const _ of times(2, () => session.before(test)));
    expect(session.answers).toEqual([]);
    expect(session.before(test).action).toBe('block');
  });

  it('Z08 sees through the order of keys', () => {
    start();
    session.before({ tool: 'read_file', args: { path: 'a', offset: 0 } });
    session.before({ tool: 'read_file', args: { offset: 0, path: 'a' } });
    expect(session.before({ tool: 'read_file', args: { path: 'a', offset: 0 } }).action).toBe('block');
  });

  it.each([
    ['write_file', 'allow'],
    ['edit_file', 'allow'],
    ['apply_patch', 'allow'],
    ['create_dirs', 'allow'],
    ['exec_shell', 'allow'],
    ['exec_shell_wait', 'allow'],
    ['read_file', 'block'],
    ['grep_files', 'block'],
    ['exec_shell_cancel', 'block'],
  ])('Z09 a success of %s: the third identical call is answered %s', (tool, action) => {
    start();
    for (const _ of times(2, () => session.call(read('same'))));
    session.call({ tool, args: { something: 'else' } });
    expect(session.before(read('same')).action).toBe(action);
  });

  it('Z09 a failure changes nothing', () => {
    start();
    for (const _ of times(2, () => session.call(read('same'))));
    session.call({ tool: 'write_file', args: {} }, FAILED);
    expect(session.before(read('same')).action).toBe('block');
  });

  it('Z09 quirk: a successful shell run clears its own count', () => {
    start();
    for (const _ of times(10, () => session.call(shell('ls', 'exec_shell'))));
    expect(session.answers).toEqual([]);
  });

  it('Z10 counts blocked attempts', () => {
    start();
    for (const _ of times(4, () => session.call(read('a'))));
    expect(session.facts.map(({ action, call, count }) => [action, call, count])).toEqual([
      ['block', 3, 3],
      ['block', 4, 4],
    ]);
  });

  it('Z11 halts again at the ninth failure, warns only at the third', () => {
    start();
    for (const call of failing(9)) session.call(call, FAILED);
    expect(session.answers).toEqual(['nudge@3', 'halt@8', 'halt@9']);
  });

  it('Z12 counts failures per tool', () => {
    start();
    const calls = [grep('1'), grep('2'), shell('1'), shell('2'), grep('3')];
    for (const call of calls) session.call(call, FAILED);
    expect(session.facts).toMatchObject([{ action: 'nudge', call: 5, tool: 'grep_files', count: 3 }]);
  });

  it('starts anew at a user message', () => {
    start();
    for (const _ of times(2, () => session.call(read('a'), FAILED)));
    session.accept({ type: 'user' });
    for (const _ of times(2, () => session.call(read('a'), FAILED)));
    expect(session.answers).toEqual([]);
  });

  it('does not take its own block for a failure', () => {
    start();
    for (const _ of times(12, () => session.call(read('a'))));
    expect(new Set(session.facts.map(({ action }) => action))).toEqual(new Set(['block']));
  });

  it('D01 DeepSeek-TUI takes a blocked call for a failure, so that blocks lead to the halt', () => {
    start('deepseek-tui');
    for (const _ of times(10, () => session.call(read('a'))));
    expect(session.answers).toEqual([
      'block@3',
      'block@4',
      'block@5',
      'nudge@5',
      'block@6',
      'block@7',
      'block@8',
      'block@9',
      'block@10',
      'halt@10',
    ]);
  });

  it('D01 DeepSeek-TUI has neither of the two resets', () => {
    start('deepseek-tui');
    for (const _ of times(2, () => session.call(shell('ls', 'exec_shell'))));
    session.accept({ type: 'state-change' });
    expect(session.before(shell('ls', 'exec_shell')).action).toBe('block');
    start('deepseek-tui');
    for (const call of failing(2)) session.call(call, FAILED);
    session.accept({ type: 'control', do: 'grant', n: 50 });
    session.call(grep('last'), FAILED);
    expect(session.answers).toEqual(['nudge@3']);
  });
});
