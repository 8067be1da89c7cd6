import { afterEach, describe, expect, it } from 'vitest';
import { Session, times } from './session.ts';

/** Parity table 3.1: feedback = nudge, hard stop = halt, cap = ask. */
describe('koda, over many iterations', () => {
  let session = new Session({ preset: 'koda' });
  const start = (options: object = {}) => {
    session = new Session({ preset: 'koda', ...options });
    return session;
  };
  afterEach(() => session.replays());

  it('K08 shows the last five tool names at the cap', () => {
    start();
    for (const index of times(201, (i) => i)) session.call({ tool: `Tool${index}`, args: '{}' });
    const [asked] = session.facts;
    expect(asked).toMatchObject({ action: 'ask', call: 201, count: 200 });
    const decision = session.before({ tool: 'next', args: '{}' });
    expect(decision).toMatchObject({
      finding: { facts: { recent: ['Tool196', 'Tool197', 'Tool198', 'Tool199', 'Tool200'] } },
      message: expect.stringContaining('Tool196, Tool197, Tool198, Tool199, Tool200'),
    });
  });

  it.each([
    ['stop', 0, 202],
    ['continue 50', 50, 251],
    ['continue 200', 200, 401],
  ])('K14 asks after 200 iterations: %s grants %i more', (_answer, granted, nextAsk) => {
    start();
    const work = (upTo: number) => {
      while (session.guard.state.calls < upTo)
        session.call({ tool: 'Bash', args: `{"n":${session.guard.state.calls}}` });
    };
    work(200);
    expect(session.answers).toEqual([]);
    work(201);
    expect(session.answers).toEqual(['ask@201']);
    session.accept({ type: 'control', do: 'grant', n: granted });
    work(nextAsk);
    expect(session.answers).toEqual(['ask@201', `ask@${nextAsk}`]);
  });

  it('K14 counts model turns as iterations where the host shows them', () => {
    start();
    for (const index of times(200, (i) => i)) {
      session.batch([
        { tool: 'Read', args: `{"n":${index}}` },
        { tool: 'Grep', args: `{"n":${index}}` },
      ]);
    }
    expect(session.answers).toEqual([]);
    expect(session.accept({ type: 'round-done' }).action).toBe('ask');
  });

  it('K14 leaves sub-agents uncapped', () => {
    start();
    for (const index of times(450, (i) => i))
      session.call({ tool: 'Bash', args: `{"n":${index}}`, agent: 'worker' });
    expect(session.answers).toEqual([]);
  });

  it('K14 halts instead where nobody can answer', () => {
    start({ attended: false });
    for (const index of times(201, (i) => i)) session.call({ tool: 'Bash', args: `{"n":${index}}` });
    expect(session.answers).toEqual(['halt@201']);
  });
});
