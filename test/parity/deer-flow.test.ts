import { afterEach, describe, expect, it } from 'vitest';
import { createGuard, type Json, type Options, presets } from '../../src/index.ts';
import { type Call, read, Session, shell, times } from './session.ts';

const call = (tool: string, args: Json): Call => ({ tool, args });
const search = (query: string) => call('web_search', { query });

/** Parity table 3.18: a queued warning = nudge, stripped tool calls = halt with a last turn. */
describe('deer-flow', () => {
  let session = new Session({ preset: 'deer-flow' });
  const start = (options: Options = { preset: 'deer-flow' }) => {
    session = new Session(options);
    return session;
  };
  /** A model response whose calls are known, and which is told if it is to hear something. */
  const respond = (...calls: Call[]) => {
    const decision = session.batch(calls);
    if (decision.action === 'nudge') session.delivered();
    return decision;
  };
  afterEach(() => session.replays());

  it('DF01 warns of the third same set once and stops at the fifth', () => {
    start();
    const set = [read('a'), shell('ls')];
    const decisions = times(5, () => respond(...set));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'nudge', 'allow', 'halt']);
    expect(decisions[4]).toMatchObject({ hint: 'last-turn' });
    expect(session.facts).toMatchObject([
      { call: 6, action: 'nudge', level: 'warning', detector: 'round-repeat', count: 3 },
      { call: 10, action: 'halt', level: 'critical', detector: 'round-repeat', count: 5 },
    ]);
  });

  it('DF01 warns of each set once, wherever it stands among twenty', () => {
    start();
    for (const name of 'ababababa') respond(search(name));
    expect(session.answers).toEqual(['nudge@5', 'nudge@6', 'halt@9']);
  });

  it('DF01 forgets what has left the window', () => {
    start();
    respond(search('a'));
    respond(search('a'));
    for (const index of times(19, String)) respond(search(index));
    respond(search('a'));
    expect(session.answers).toEqual([]);
  });

  it('DF01 sees no repetition in sets that differ', () => {
    start();
    for (const index of times(14, String)) respond(search('same'), search(index));
    expect(session.answers).toEqual([]);
  });

  it('DF02 does not care about the order within a set', () => {
    start();
    const [a, b] = [read('a'), shell('ls')];
    for (const set of [
      [a, b],
      [b, a],
      [a, b],
    ])
      respond(...set);
    expect(session.facts).toMatchObject([{ action: 'nudge', count: 3 }]);
  });

  it('DF02 counts how often a call stands in the set', () => {
    start();
    respond(search('a'), search('a'), search('b'));
    respond(search('a'), search('b'), search('b'));
    respond(search('a'), search('a'), search('b'));
    expect(session.answers).toEqual([]);
  });

  it.each<[string, Call[], string[]]>([
    [
      'arguments as text equal the object',
      [search('a'), call('web_search', '{"query": "a"}'), call('web_search', '{"query":"a"}')],
      ['nudge@3'],
    ],
    [
      'a range told backwards is the same range',
      [
        read('a', { start_line: 10, end_line: 400 }),
        read('a', { start_line: 400, end_line: 10 }),
        read('a', { start_line: 10, end_line: 400 }),
      ],
      ['nudge@3'],
    ],
    [
      'reads within the same two hundred lines are the same',
      [1, 50, 199].map((line) => read('a', { start_line: line, end_line: 200 })),
      ['nudge@3'],
    ],
    [
      'reads of other places are not',
      [1, 201, 401].map((line) => read('a', { start_line: line, end_line: line + 199 })),
      [],
    ],
    [
      'what is written matters',
      ['x', 'y', 'z'].map((content) => call('write_file', { path: 'a', content })),
      [],
    ],
    [
      'what is replaced matters',
      ['x', 'y', 'z'].map((text) => call('str_replace', { path: 'a', old: 'v', new: text })),
      [],
    ],
    [
      'a timeout or a comment does not',
      [1, 2, 3].map((timeout) => call('bash', { command: 'make', timeout, description: `try ${timeout}` })),
      ['nudge@3'],
    ],
    ['patterns do', ['x', 'y', 'z'].map((pattern) => call('grep', { pattern, path: 'src' })), []],
    ['malformed arguments are compared as they are', times(3, () => call('t', '{"a":')), ['nudge@3']],
  ])('DF02 %s', (_what, calls, answers) => {
    start();
    for (const one of calls) respond(one);
    expect(session.answers).toEqual(answers);
  });

  it('DF03 warns at thirty calls of one tool once and stops at fifty', () => {
    start();
    for (const index of times(49, String)) respond(search(index));
    expect(session.before(search('last'))).toMatchObject({ action: 'halt', hint: 'last-turn' });
    expect(session.answers).toEqual(['nudge@30', 'halt@50']);
    expect(session.facts).toMatchObject([
      { detector: 'tool-frequency', tool: 'web_search', count: 30 },
      { detector: 'tool-frequency', tool: 'web_search', count: 50 },
    ]);
  });

  it('DF03 counts every call of a batch, each tool on its own', () => {
    start();
    for (const index of times(15, String)) respond(search(`a${index}`), search(`b${index}`), shell(index));
    expect(session.facts).toMatchObject([{ action: 'nudge', tool: 'web_search', count: 30 }]);
  });

  it('DF03 lets calls that are spread out decay', () => {
    start();
    for (const index of times(120, String)) respond(search(index), shell(index));
    expect(session.answers).toEqual([]);
  });

  it('DF03 may warn again after the count has fallen', () => {
    start();
    for (const index of times(31, String)) respond(search(index));
    for (const index of times(30, String)) respond(shell(index));
    expect(session.answers).toEqual(['nudge@30', 'nudge@61']);
    for (const index of times(35, String)) respond(search(`more ${index}`));
    expect(session.answers.slice(2)).toEqual(['nudge@91']);
  });

  it('DF03 has thresholds of its own for a tool', () => {
    start({ preset: 'deer-flow', tools: { web_search: { at: { nudge: 6, halt: 10 } } } });
    for (const index of times(12, String)) {
      respond(search(index));
      respond(shell(index));
    }
    expect(session.facts.map(({ action, tool, count }) => [action, tool, count])).toEqual([
      ['nudge', 'web_search', 6],
      ['halt', 'web_search', 10],
      ['halt', 'web_search', 11],
      ['halt', 'web_search', 12],
    ]);
  });

  it('DF03 refuses a threshold that its window can never reach', () => {
    const tools = { bash: { at: { halt: 200 } } };
    expect(() => createGuard({ preset: 'deer-flow', tools })).toThrow(/can never fire/);
  });

  it('DF03 keeps threads apart', () => {
    start();
    for (const index of [0, 1, 0, 1]) {
      session.accept({ type: 'turn', agent: `thread ${index % 2}` });
      session.before({ ...search('a'), agent: `thread ${index % 2}` });
      session.accept({ type: 'calls-known', agent: `thread ${index % 2}` });
    }
    expect(session.answers).toEqual([]);
  });

  it('DF03 forgets the thread that was active longest ago', () => {
    start();
    const respondIn = (agent: string) => {
      session.accept({ type: 'turn', agent });
      session.before({ ...search('a'), agent });
      return session.accept({ type: 'calls-known', agent }).action;
    };
    respondIn('first');
    respondIn('first');
    for (const index of times(40, String)) respondIn(index);
    expect(respondIn('first')).toBe('allow');
  });

  it('judges sets before it counts tools', () => {
    const { ladder } = presets['deer-flow'];
    expect(ladder.map(({ on }) => on)).toEqual([
      'round-repeat',
      'round-repeat',
      'tool-frequency',
      'tool-frequency',
    ]);
  });

  it('begins each run anew', () => {
    start();
    respond(search('a'));
    respond(search('a'));
    session.accept({ type: 'user' });
    respond(search('a'));
    expect(session.answers).toEqual([]);
  });
});
