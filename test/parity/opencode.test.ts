import { afterEach, describe, expect, it } from 'vitest';
import { type Action, type AgentEvent, type Options, type Preset, presets } from '../../src/index.ts';
import { type Call, read, Session, times } from './session.ts';

const turn: AgentEvent = { type: 'turn' };
/** What a person has configured for this permission: the preset itself asks. */
const answering = (action: Action): Preset => ({
  ...presets.opencode,
  ladder: presets.opencode.ladder.map((rung) => ({ ...rung, action })),
});

/** Parity table 3.11: a question for permission = ask. */
describe('opencode', () => {
  let session = new Session({ preset: 'opencode' });
  const start = (options: Options = { preset: 'opencode' }) => {
    session = new Session(options);
    session.accept(turn);
    return session;
  };
  const calls = (n: number, call: Call = read('a')) => times(n, () => session.call(call));
  afterEach(() => session.replays());

  it('OC01 asks at the third identical call side by side in one response', () => {
    start();
    calls(3);
    expect(session.facts).toEqual([
      { call: 3, action: 'ask', level: 'warning', detector: 'call-streak', tool: 'read_file', count: 3 },
    ]);
  });

  it('OC01 asks again at each further one', () => {
    start();
    calls(5);
    expect(session.answers).toEqual(['ask@3', 'ask@4', 'ask@5']);
  });

  it('OC01 halts where nobody can answer', () => {
    start({ preset: 'opencode', attended: false });
    calls(3);
    expect(session.answers).toEqual(['halt@3']);
  });

  it.each([
    ['allow', 'observe', 'observe@3'],
    ['deny', 'block', 'block@3'],
  ] as const)('OC01 can be set to %s', (_setting, action, answer) => {
    start({ preset: answering(action) });
    calls(3);
    expect(session.answers).toEqual([answer]);
  });

  it('OC01 compares the input as it was sent, key order included', () => {
    start();
    for (const args of [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ])
      session.call({ tool: 't', args });
    expect(session.answers).toEqual([]);
  });

  it.each([
    ['text', { type: 'text-delta', channel: 'content', text: 'again' } as const],
    ['reasoning', { type: 'text-delta', channel: 'reasoning', text: 'hm' } as const],
    ['a step', { type: 'round-done' } as const],
    ['a new message', turn],
  ])('OC02 does not see past %s', (_what, between) => {
    start();
    calls(2);
    session.accept(between);
    calls(2);
    expect(session.answers).toEqual([]);
  });

  it('OC02 does not see one call a message, however often', () => {
    start();
    for (const _ of times(10, () => [session.call(read('a')), session.accept(turn)]));
    expect(session.answers).toEqual([]);
  });

  it('OC02 does not see past another call', () => {
    start();
    for (const path of 'aabaa') session.call(read(path));
    expect(session.answers).toEqual([]);
  });
});
