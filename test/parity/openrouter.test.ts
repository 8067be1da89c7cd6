import { afterEach, describe, expect, it } from 'vitest';
import {
  createGuard,
  type Decision,
  DeloopError,
  fingerprint,
  type Json,
  type Options,
  presets,
} from '../../src/index.ts';
import { type Call, read, Session, shell, times } from './session.ts';

const call = (tool: string, args: Json): Call => ({ tool, args });
const again = (text: string, n: number) => `${text} `.repeat(n);

/** Parity table 3.18: observe = observe, block = block, stop = halt. */
describe('openrouter', () => {
  let session = new Session({ preset: 'openrouter' });
  const start = (options: Options = { preset: 'openrouter' }) => {
    session = new Session(options);
    return session;
  };
  /** A round: a model response, its calls, their results. */
  const round = (...calls: Call[]): Decision[] => {
    session.accept({ type: 'turn' });
    return calls.map((one) => session.call(one));
  };
  const actions = (decisions: readonly Decision[]) => decisions.map(({ action }) => action);
  const says = (text: string) => session.accept({ type: 'turn', text });
  afterEach(() => session.replays());

  it('OR01 observes the second round of a call, blocks from the third and stops at the sixth', () => {
    start();
    const decisions = times(7, () => round(read('a'))).flat();
    expect(actions(decisions)).toEqual(['allow', 'observe', 'block', 'block', 'block', 'halt', 'halt']);
    expect(session.facts[5]).toEqual({
      call: 7,
      action: 'halt',
      level: 'critical',
      detector: 'round-streak',
      tool: 'read_file',
      count: 7,
    });
  });

  it('OR01 does not care about other tools in between', () => {
    start();
    for (const index of times(3, String)) {
      round(read('a'));
      round(shell(index));
    }
    expect(session.answers).toEqual(['observe@3', 'block@5']);
  });

  it('OR01 starts anew with other arguments of the tool', () => {
    start();
    for (const path of 'aabaab') round(read(path));
    expect(session.answers).toEqual(['observe@2', 'observe@5']);
  });

  it('OR01 counts duplicates within a round once, and gives them the same answer', () => {
    start();
    round(read('a'), read('a'), read('a'));
    expect(session.answers).toEqual([]);
    round(read('a'));
    expect(actions(round(read('a'), read('a')))).toEqual(['block', 'block']);
    expect(session.facts.map(({ count }) => count)).toEqual([2, 3, 3]);
  });

  it('OR01 takes each call for a round where the host shows none', () => {
    start();
    for (const _ of times(3, () => session.call(read('a'))));
    expect(session.answers).toEqual(['observe@2', 'block@3']);
  });

  it('OR02 sees a fan-out that is made again, whatever its order', () => {
    start();
    round(read('a'), read('b'), read('c'));
    expect(actions(round(read('c'), read('a'), read('b')))).toEqual(['observe', 'observe', 'observe']);
    expect(actions(round(read('b'), read('c'), read('a')))).toEqual(['block', 'block', 'block']);
  });

  it('OR02 judges each call of a fan-out that grows', () => {
    for (const paths of ['abc', 'cba', 'acb']) {
      start();
      round(read('a'), read('b'));
      round(read('a'), read('b'));
      const answers = round(...[...paths].map((path) => read(path)));
      expect(answers.map(({ action }, index) => [paths[index], action]).sort()).toEqual([
        ['a', 'block'],
        ['b', 'block'],
        ['c', 'allow'],
      ]);
    }
  });

  it('OR02 sees a call that stays while its company changes', () => {
    start();
    for (const other of 'bcd') round(read('a'), read(other));
    expect(session.facts.map(({ action, call: at, count }) => [action, at, count])).toEqual([
      ['observe', 3, 2],
      ['block', 5, 3],
    ]);
  });

  it('OR02 sees what is left of a fan-out', () => {
    start();
    round(read('a'), read('b'));
    round(read('a'), read('b'));
    expect(actions(round(read('b')))).toEqual(['block']);
  });

  it('OR03 compares the declared fields only', () => {
    start({ preset: 'openrouter', tools: { bash: { identity: ['command', 'cwd'] } } });
    const run = (cwd: string, timeout: number) => round(call('bash', { command: 'ls', cwd, timeout }));
    run('/a', 1);
    run('/a', 2);
    run('/b', 3);
    expect(session.answers).toEqual(['observe@2']);
  });

  it.each([
    ['false', { identity: false }],
    ['a poll', { poll: true }],
    ['exempt', { exempt: true }],
  ] as const)('OR03 lets a tool repeat that is declared %s', (_what, declaration) => {
    start({ preset: 'openrouter', tools: { status: declaration } });
    for (const _ of times(10, () => round(call('status', {}))));
    expect(session.answers).toEqual([]);
  });

  it('OR03 refuses a declaration that can never work', () => {
    const tools = { bash: { identity: () => null } } as unknown as Options['tools'];
    expect(() => createGuard({ preset: 'openrouter', tools })).toThrow(DeloopError);
  });

  it.each<[string, Json]>([
    ['empty arguments', {}],
    ['no arguments', null],
    ['arguments that are no JSON', '{"query": "unclosed'],
  ])('OR04 counts %s', (_what, args) => {
    start();
    for (const _ of times(3, () => round(call('list_tasks', args))));
    expect(session.answers).toEqual(['observe@2', 'block@3']);
  });

  it('OR04 observes a tool that cannot be blocked, and stops at last', () => {
    start({ preset: 'openrouter', tools: { web_search: { at: { block: 1_000_000 } } } });
    for (const _ of times(6, () => round(call('web_search', { query: 'a' }))));
    expect(session.answers).toEqual(['observe@2', 'observe@3', 'observe@4', 'observe@5', 'halt@6']);
  });

  it('OR05 stops a response that says one word over and over', () => {
    start();
    expect(says(again('no', 12)).action).toBe('halt');
    expect(session.facts).toMatchObject([{ detector: 'tail-repeat', count: 12 }]);
  });

  it('OR05 observes four repeats, stops at six', () => {
    start();
    says(again('I am stuck.', 4));
    says(again('I am stuck here.', 5));
    says(again('I am stuck again.', 6));
    expect(session.facts.map(({ action, count }) => [action, count])).toEqual([
      ['observe', 4],
      ['observe', 5],
      ['halt', 6],
    ]);
  });

  it('OR05 leaves emphasis, and what was said before the end', () => {
    start();
    says('this is very very very good');
    says(`${again('retry now', 6)} but then I found the actual answer to your question about databases`);
    expect(session.answers).toEqual([]);
  });

  it('OR05 reads the end of four million characters', () => {
    start();
    const text = `${times(400_000, (index) => `w${index}`).join(' ')} ${again('stuck', 20)}`;
    expect(createGuard({ preset: 'openrouter' }).accept({ type: 'turn', text })).toMatchObject({
      action: 'halt',
      finding: { count: 20 },
    });
  });

  it('OR05 follows the same text over responses, whatever its spacing', () => {
    start();
    for (const gap of [' ', '  ', '\n', ' ', '\t', ' ']) says(`Still${gap}waiting.`);
    expect(session.facts.map(({ action, detector, count }) => [action, detector, count])).toEqual([
      ...[2, 3, 4, 5].map((count) => ['observe', 'text-streak', count]),
      ['halt', 'text-streak', 6],
    ]);
  });

  it('OR05 takes responses without text for neutral, and other words for a new start', () => {
    start();
    says('Still waiting.');
    round(read('a'));
    says('Still waiting.');
    says('Something else.');
    says('Still waiting.');
    expect(session.facts).toMatchObject([{ action: 'observe', count: 2 }]);
  });

  it('OR06 goes on counting from a saved state, and starts anew where a part of it is damaged', () => {
    start();
    for (const _ of times(2, () => round(read('a'), call('__proto__', {}))));
    const saved = JSON.parse(JSON.stringify(session.guard.state));
    const next = createGuard({ preset: 'openrouter', state: saved });
    next.accept({ type: 'turn' });
    expect(next.before(read('a'))).toMatchObject({ action: 'block', finding: { count: 3 } });
    saved.agents[0].detectors[0] = 'rubbish';
    const damaged = createGuard({ preset: 'openrouter', state: saved });
    damaged.accept({ type: 'turn' });
    expect(damaged.before(read('a'))).toEqual({ action: 'allow' });
  });

  it('OR06 refuses what is no state at all', () => {
    expect(() => createGuard({ preset: 'openrouter', state: 'rubbish' })).toThrow(DeloopError);
  });

  it('OR06 takes a tool named __proto__ for a tool', () => {
    start();
    for (const _ of times(3, () => round(call('__proto__', { __proto__: null }))));
    expect(session.answers).toEqual(['observe@2', 'block@3']);
    expect(({} as { action?: string }).action).toBeUndefined();
  });

  it('OR06 keeps a stop when the same call is presented again, and the streak over a user message', () => {
    start();
    for (const id of times(6, String)) round({ ...read('a'), id });
    expect(session.before({ ...read('a'), id: '5' }).action).toBe('halt');
    session.accept({ type: 'user' });
    expect(actions(round(read('b')))).toEqual(['allow']);
    start();
    for (const id of times(6, String)) round({ ...read('a'), id });
    session.accept({ type: 'user' });
    expect(actions(round({ ...read('a'), id: 'new' }))).toEqual(['halt']);
  });

  it('OR07 has the same fingerprints', () => {
    expect(fingerprint('bash', { cwd: '/tmp', command: 'ls -la' })).toBe(
      'c3430466c9a1a7c11c8e23328fcf3057189c44d86839527ac6e61bb4574410d4',
    );
    expect(fingerprint('list_tasks', {})).toBe(
      'b84a3e324e9dc95335f72cfee5e5898465349be72cb1348fe7927c49c8d65d92',
    );
  });

  it('can be given the rungs that are off: a nudge, and a stronger model for two turns', () => {
    const escalate = {
      on: 'round-streak',
      at: 3,
      below: 2,
      action: 'nudge',
      hint: 'stronger-model',
      message: 'Look at {tool} afresh.',
    } as const;
    const preset = presets.openrouter;
    const [stop, block, ...rest] = preset.ladder;
    if (stop === undefined || block === undefined) throw new Error('no ladder');
    start({ preset: { ...preset, ladder: [stop, escalate, block, ...rest] } });
    for (const _ of times(6, () => {
      const [decision] = round(read('a'));
      if (decision?.action === 'nudge') session.delivered();
    }));
    expect(session.answers).toEqual(['observe@2', 'nudge@3', 'nudge@4', 'block@5', 'halt@6']);
  });
});
