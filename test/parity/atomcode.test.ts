import { afterEach, describe, expect, it } from 'vitest';
import { type Call, DONE, Session, shell, times } from './session.ts';

const check: Call = { tool: 'bash', args: '{"command":"cargo check"}' };
const broken = { output: 'error[E0599]: no method named `foo`', ok: false };
const edit = (text: string): Call => ({
  tool: 'edit_file',
  args: { file_path: 'src/lib.rs', old: 'a', new: text },
});

/** Parity table 3.4. */
describe('atomcode', () => {
  let session = new Session({ preset: 'atomcode' });
  const start = () => {
    session = new Session({ preset: 'atomcode' });
    return session;
  };
  afterEach(() => session.replays());

  it('AM01 blocks the third call after two equal outcomes', () => {
    start();
    const decisions = times(3, () => session.call(check, broken));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'block']);
    expect(session.facts).toEqual([
      { call: 3, action: 'block', level: 'warning', detector: 'outcome-repeat', tool: 'bash', count: 3 },
    ]);
  });

  it('AM02 lets variants of a command pass', () => {
    start();
    for (const filter of ['| head -50', '| head -100', '| head -200', '--message-format=short']) {
      session.call(shell(`cargo check ${filter}`), { output: 'compile error', ok: false });
    }
    session.call(shell('cargo build'));
    expect(session.answers).toEqual([]);
  });

  it('AM03 lets five different ssh commands pass', () => {
    start();
    for (const command of ['echo ok', 'ls /var/log', 'cat /etc/hostname', 'uname -a', 'df -h']) {
      session.call(shell(`ssh user@host ${command}`), { output: 'ok', ok: true });
    }
    expect(session.answers).toEqual([]);
  });

  it('AM04 lets a call pass whose outcome changed', () => {
    start();
    session.call(shell('curl -s http://service/health'), { output: 'starting up', ok: false });
    session.call(shell('curl -s http://service/health'), { output: 'ready', ok: true });
    expect(session.before(shell('curl -s http://service/health')).action).toBe('allow');
  });

  it('AM04 sees a change of success alone', () => {
    start();
    session.call(check, { output: 'same text', ok: false });
    session.call(check, { output: 'same text', ok: true });
    expect(session.before(check).action).toBe('allow');
  });

  it('AM05 starts anew after an edit that was not made before', () => {
    start();
    const test = shell('cargo test');
    session.call(test, broken);
    session.call(test, broken);
    session.call(edit('b'), DONE);
    session.call(test, broken);
    session.call(test, broken);
    expect(session.answers).toEqual([]);
    session.call(test, broken);
    expect(session.answers).toEqual(['block@6']);
  });

  it('AM06 blocks the same edit made a third time', () => {
    start();
    for (const _ of times(3, () => session.call(edit('y'), DONE)));
    expect(session.answers).toEqual(['block@3']);
  });

  it('AM07 starts anew at a user message', () => {
    start();
    for (const _ of times(3, () => session.call(check)));
    expect(session.answers).toEqual(['block@3']);
    session.accept({ type: 'user', text: 'go on' });
    expect(session.before(check).action).toBe('allow');
  });

  it('AM07 does not take a message that the host injected for a user', () => {
    start();
    for (const _ of times(2, () => session.call(check)));
    session.accept({ type: 'user', by: 'host', text: 'keep going' });
    expect(session.before(check).action).toBe('block');
  });

  it('AM08 blocks the sixth call whatever came of the others', () => {
    start();
    for (const index of times(6, (i) => i))
      session.call(check, { output: `warning #${index}: drift`, ok: false });
    expect(session.facts).toEqual([
      { call: 6, action: 'block', level: 'critical', detector: 'outcome-repeat', tool: 'bash', count: 6 },
    ]);
    expect(session.before(check)).toMatchObject({ message: expect.stringContaining('output varies') });
  });

  it('AM09 lets five polls pass', () => {
    start();
    const poll = shell('curl http://service/health');
    for (const index of times(5, (i) => i))
      session.call(poll, { output: `attempt ${index}: starting`, ok: false });
    expect(session.answers).toEqual([]);
    expect(session.before(poll).action).toBe('block');
  });

  it('AM10 sees through white space in JSON', () => {
    start();
    const variants = ['{"pattern":"**/*.rs"}', '{"pattern": "**/*.rs"}', '{ "pattern":"**/*.rs" }'];
    for (const args of variants)
      session.call({ tool: 'glob', args }, { output: '203 files found', ok: true });
    expect(session.answers).toEqual(['block@3']);
  });

  it('AM11 does not run name and arguments together', () => {
    start();
    for (const _ of times(2, () => session.call({ tool: 'foo', args: 'bar' })));
    expect(session.before({ tool: 'foob', args: 'ar' }).action).toBe('allow');
  });

  it('AM12 lets a call pass whose outcomes were not all equal', () => {
    start();
    for (const output of ['o1', 'o2', 'o2']) session.call(check, { output, ok: true });
    expect(session.before(check).action).toBe('allow');
  });

  it('AM13 does not start anew after a failed edit', () => {
    start();
    session.call(check, broken);
    session.call(check, broken);
    session.call(edit('b'), { output: 'no match', ok: false });
    expect(session.before(check).action).toBe('block');
  });

  it('AM14 compares arguments that are not JSON as they are', () => {
    start();
    for (const _ of times(2, () => session.call({ tool: 'run', args: 'not json' })));
    expect(session.before({ tool: 'run', args: 'not  json' }).action).toBe('allow');
    expect(session.before({ tool: 'run', args: 'not json' }).action).toBe('block');
  });

  it.each([
    [31, 'block'],
    [32, 'allow'],
  ])('AM15 remembers 32 finished calls: %i others in between', (others, action) => {
    start();
    session.call(check);
    for (const index of times(others - 1, (i) => i)) session.call(shell(`echo ${index}`));
    session.call(check);
    expect(session.before(check).action).toBe(action);
  });

  it('AM15 does not record a call that it blocked', () => {
    start();
    const outputs = ['x', 'x', 'y', 'y', 'y', 'y'];
    for (const output of outputs) session.call(check, { output, ok: true });
    expect(session.answers).toEqual(['block@3', 'block@4', 'block@5', 'block@6']);
  });
});
