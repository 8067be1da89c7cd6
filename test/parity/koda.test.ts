import { afterEach, describe, expect, it } from 'vitest';
import { type Call, Session, times } from './session.ts';

const edit: Call = { tool: 'Edit', args: '{"path":"src/main.rs"}' };
const other: Call = { tool: 'Bash', args: '{"cmd":"test"}' };

/** Parity table 3.1: feedback = nudge, hard stop = halt, cap = ask. */
describe('koda', () => {
  let session = new Session({ preset: 'koda' });
  const start = (options: object = {}) => {
    session = new Session({ preset: 'koda', ...options });
    return session;
  };
  afterEach(() => session.replays());

  it('K01 says nothing to three different calls', () => {
    start();
    for (const args of ['{"path":"a.rs"}', '{"path":"b.rs"}']) session.before({ tool: 'Edit', args });
    session.before({ tool: 'Bash', args: '{"cmd":"ls"}' });
    expect(session.answers).toEqual([]);
  });

  it('K02 gives feedback at the fifth identical call in a row', () => {
    start();
    const decisions = times(5, () => session.before(edit));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'allow', 'allow', 'nudge']);
    expect(session.facts).toEqual([
      { call: 5, action: 'nudge', level: 'warning', detector: 'call-streak', tool: 'Edit', count: 5 },
    ]);
    expect(decisions[4]).toMatchObject({ message: expect.stringMatching(/Edit.*5 times/) });
  });

  it('K03 starts again after another call', () => {
    start();
    for (const call of [edit, edit, edit, other, edit, edit, edit, edit, edit]) session.before(call);
    expect(session.answers).toEqual(['nudge@9']);
  });

  it('K04 lets twenty read-edit-test cycles pass', () => {
    start();
    for (const cycle of times(20, (index) => index)) {
      session.call({ tool: 'Read', args: '{"path":"src/lib.rs"}' });
      session.call({ tool: 'Edit', args: `{"path":"src/lib.rs","old":"v${cycle}"}` });
      session.call({ tool: 'Bash', args: '{"command":"cargo test"}' }, { output: 'FAILED', ok: false });
    }
    expect(session.answers).toEqual([]);
  });

  it('K05 stops hard at the second detection', () => {
    start();
    for (const _ of times(5, () => session.before(edit)));
    session.delivered();
    for (const _ of times(5, () => session.before(edit)));
    expect(session.answers).toEqual(['nudge@5', 'halt@10']);
  });

  it('K06 lets ten parallel reads of different files pass', () => {
    start();
    session.batch(times(10, (index) => ({ tool: 'Read', args: `{"path":"file${index}.rs"}` })));
    expect(session.answers).toEqual([]);
  });

  it('K07 lets twenty calls of one tool with different arguments pass', () => {
    start();
    for (const index of times(20, (i) => i))
      session.before({ tool: 'Bash', args: `{"command":"ls -variant-${index}"}` });
    expect(session.answers).toEqual([]);
  });

  it('K09 gives feedback again when the first one was not delivered', () => {
    start();
    for (const _ of times(6, () => session.before(edit)));
    expect(session.facts.map(({ action, count }) => [action, count])).toEqual([
      ['nudge', 5],
      ['nudge', 6],
    ]);
  });

  it('K10 checks a batch only as it ends', () => {
    start();
    expect(session.batch([edit, edit, edit, edit, edit, other]).action).toBe('allow');
    expect(session.batch([edit, edit, edit, edit, edit]).action).toBe('nudge');
    expect(session.facts).toMatchObject([{ call: 11, count: 5 }]);
  });

  it('K10 checks at the next turn where the host does not say that the calls are known', () => {
    start();
    session.accept({ type: 'turn' });
    for (const _ of times(5, () => session.before(edit)));
    expect(session.accept({ type: 'turn' }).action).toBe('nudge');
    expect(session.facts).toMatchObject([{ call: 5, count: 5 }]);
  });

  it('K11 compares the first 200 bytes only', () => {
    start();
    const head = `{"content":"${'x'.repeat(188)}`;
    for (const index of times(5, (i) => i)) session.before({ tool: 'Write', args: `${head}tail ${index}"}` });
    expect(session.answers).toEqual(['nudge@5']);
  });

  it('K11 tells arguments apart that differ within the 200 bytes', () => {
    start();
    const head = `{"content":"${'x'.repeat(187)}`;
    expect(head.length).toBe(199);
    for (const index of times(5, (i) => i)) session.before({ tool: 'Write', args: `${head}${index}` });
    expect(session.answers).toEqual([]);
  });

  it('K11 cuts before a character that does not fit, never inside it', () => {
    start();
    const head = 'x'.repeat(198);
    for (const tail of ['é1', 'é2', 'é3', 'é4', 'é5']) session.before({ tool: 'Write', args: head + tail });
    expect(session.answers).toEqual(['nudge@5']);
    start();
    const shorter = 'x'.repeat(199);
    for (const tail of ['é', 'ü', 'ö', '😀', '€']) session.before({ tool: 'Write', args: shorter + tail });
    expect(session.answers).toEqual(['nudge@5']);
  });

  it('K12 tells other key orders apart, as text and as objects', () => {
    start();
    const orders = ['{"a":1,"b":2}', '{"b":2,"a":1}'];
    for (const index of times(10, (i) => i))
      session.before({ tool: 'Edit', args: orders[index % 2] as string });
    for (const index of times(10, (i) => i)) {
      session.before({ tool: 'Edit', args: index % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 } });
    }
    expect(session.answers).toEqual([]);
  });

  it('K13 remembers a detection for the whole session', () => {
    start();
    for (const _ of times(5, () => session.before(edit)));
    session.delivered();
    session.accept({ type: 'user', text: 'another task' });
    for (const _ of times(5, () => session.before({ tool: 'Read', args: '{}' })));
    expect(session.answers).toEqual(['nudge@5', 'halt@10']);
  });

  it('keeps the streaks of sub-agents apart', () => {
    start();
    for (const _ of times(4, () => session.before(edit)));
    for (const _ of times(4, () => session.before({ ...edit, agent: 'worker' })));
    expect(session.answers).toEqual([]);
    session.before({ ...edit, agent: 'worker' });
    expect(session.answers).toEqual(['nudge@9']);
  });
});
