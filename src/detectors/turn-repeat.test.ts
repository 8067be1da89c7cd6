import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  only,
  repeat,
  roundDone,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import { type AgentEvent, createGuard, type Json } from '../core/index.ts';
import { turnRepeat } from './turn-repeat.ts';

const { shortWords, longWords, window } = turnRepeat.defaults;

const say = (text: string): AgentEvent => ({ type: 'turn', text });
const words = (n: number, from = 0) => Array.from({ length: n }, (_, index) => `w${from + index}`).join(' ');
const countsOf = (events: AgentEvent[], options: { [name: string]: Json } = {}) =>
  findings(turnRepeat, { events: [...events, roundDone], options }).map(({ count }) => count);

const plan = [
  'My plan: first I will read the config file, then I will fix the parser and run the tests again.',
  'My plan: first I will read the config file, then I will fix the parser and run all tests again.',
  'The plan: first I will read the config file, then I will fix the parser and run all tests again.',
  'The plan: first I will read the config file, then I fix the parser and run all tests again.',
];

testDetector(turnRepeat, {
  loops: [
    {
      name: 'the same words',
      events: [...repeat(4, () => [say('The task is complete.')]), roundDone],
      counts: [2, 3, 4],
    },
    { name: 'a plan whose wording drifts', events: [...plan.map(say), roundDone], counts: [2, 3, 4] },
    {
      name: 'done, with looks at the work in between',
      events: [...repeat(3, (n) => [say('All done!'), turn, call('look', { n })]), roundDone],
      counts: [2, 3],
    },
    {
      name: 'done, with looks that bring nothing new in between',
      events: [
        ...repeat(4, () => [say('All done!'), turn, ...did('read', { path: 'a' }, 'the same old page')]),
        roundDone,
      ],
      counts: [2, 3],
    },
    {
      name: 'done, with a change that was made before in between',
      events: [
        ...repeat(4, () => [say('All done!'), turn, ...did('write', { path: 'a', content: 'x' }, 'ok')]),
        roundDone,
      ],
      counts: [2, 3],
    },
    {
      name: 'two plans in turn',
      events: [...repeat(3, () => [say(words(20)), say(words(20, 50))]), roundDone],
      counts: [2, 2, 3, 3],
    },
    {
      name: 'other case and other marks',
      events: [say('I am done.'), say('i am DONE!!'), roundDone],
      counts: [2],
    },
    {
      name: 'the same long answer, whatever the person says',
      events: [...repeat(3, () => [say(words(50)), user])],
      counts: [2, 3],
    },
    {
      name: 'turns with calls, when they count',
      options: { calls: 'counted' },
      events: [
        ...repeat(3, (n) => [say('I should look at the log of the build again.'), call('read', { n })]),
        roundDone,
      ],
      counts: [2, 3],
    },
  ],
  healthy: [
    {
      name: 'different texts',
      events: [...repeat(9, (n) => [say(words(20, n * 20))]), roundDone],
      counts: [],
    },
    {
      name: 'the same words before different calls',
      events: [...repeat(9, (n) => [say('Let me check.'), call('read', { n })]), roundDone],
      counts: [],
    },
    {
      name: 'short answers in a conversation',
      events: repeat(9, () => [say('Is there anything else that I can do for you?'), user]),
      counts: [],
    },
    {
      name: 'similar long answers in a conversation',
      events: repeat(9, (n) => [say(`Flight ${n} is booked. ${words(60)}`), user]),
      counts: [],
    },
    {
      name: 'one item after the other is changed',
      events: repeat(9, (n) => [
        turn,
        ...did('edit', { path: `${n}`, old: 'a', new: 'b' }, 'done'),
        say('Done with this item.'),
        roundDone,
      ]),
      counts: [],
    },
    {
      name: 'one item after the other is read',
      events: repeat(9, (n) => [
        turn,
        ...did('read', { path: `${n}` }, `the text of item ${n}`),
        say('Done with this item.'),
        roundDone,
      ]),
      counts: [],
    },
    {
      name: 'a job that moves while it is waited for',
      events: repeat(9, (n) => [
        turn,
        ...did('get_status', {}, `build ${n * 10}%`),
        say('The build is still running.'),
        roundDone,
      ]),
      counts: [],
    },
    {
      name: 'the host says that something has changed',
      events: repeat(9, () => [
        { type: 'state-change' } as const,
        say('One more of them is done.'),
        roundDone,
      ]),
      counts: [],
    },
    {
      name: 'turns without text',
      events: [...repeat(9, (n) => [turn, call('t', { n })]), turn, turn, roundDone],
      counts: [],
    },
    {
      name: 'a short line of routine between other texts',
      events: [...repeat(6, (n) => [say(words(30, n * 30)), say('Next speaker: the surfer')]), roundDone],
      counts: [],
    },
    {
      name: 'progress',
      events: [...repeat(9, (n) => [say(`Step ${n} of 9 is done, ${9 - n} to go.`)]), roundDone],
      counts: [],
    },
  ],
});

describe('turn-repeat', () => {
  it('tells whether it is word for word, with calls, after other work or in a conversation, and how long', () => {
    const last = (...events: AgentEvent[]) => findings(turnRepeat, { events: [...events, roundDone] }).at(-1);
    expect(last(say('Done.'), say('Done.'))).toEqual({
      detector: 'it',
      subject: 'text',
      count: 2,
      evidence: [],
      facts: { calls: false, exact: true, work: false, conversation: false, words: 1 },
      call: 0,
    });
    expect(last(say(plan[0] as string), turn, call('t'), say(plan[1] as string))).toMatchObject({
      evidence: [1],
      facts: { exact: false, work: true, conversation: false, words: 20 },
    });
    expect(last(say(words(50)), user, say(words(50)))?.facts).toMatchObject({
      exact: true,
      conversation: true,
    });
    const counted = {
      options: { calls: 'counted' },
      events: repeat(2, (n) => [say(words(8)), call('t', { n }), roundDone]),
    };
    expect(findings(turnRepeat, counted).at(-1)?.facts).toMatchObject({ calls: true, work: true });
  });

  it('calls a row exact only when all of it is', () => {
    const exact = findings(turnRepeat, {
      events: [say(plan[0] as string), say(plan[1] as string), say(plan[1] as string), roundDone],
    });
    expect(exact.map(({ facts }) => facts?.['exact'])).toEqual([false, false]);
  });

  it('wants as much in common as it is told', () => {
    // Eleven triples, of which three change with one word in the middle: 8 of 14 are in both.
    const [one, other] = [words(13), words(13).replace('w6', 'x')];
    const at = (similarity: number) => countsOf([say(one), say(other)], { similarity });
    expect(at(57)).toEqual([2]);
    expect(at(58)).toEqual([]);
    expect(at(56)).toEqual([2]);
  });

  it('lets a short text count only while nothing else is said', () => {
    const around = (n: number) => countsOf([say(words(n)), say('Something else.'), say(words(n))]);
    expect(around(shortWords - 1)).toEqual([]);
    expect(around(shortWords)).toEqual([2]);
    expect(around(shortWords + 1)).toEqual([2]);
  });

  it('counts across a message only what is long and the same word for word', () => {
    const around = (n: number) => countsOf([say(words(n)), user, say(words(n))]);
    expect(around(longWords - 1)).toEqual([]);
    expect(around(longWords)).toEqual([2]);
    expect(around(longWords + 1)).toEqual([2]);
    expect(countsOf([say(words(50)), user, say(`${words(49)} x`)])).toEqual([]);
  });

  it('compares as many turns as its window holds', () => {
    const apart = (between: number) =>
      countsOf([say(words(20)), ...repeat(between, (n) => [say(words(20, 100 + n * 20))]), say(words(20))]);
    expect(apart(window - 2)).toEqual([2]);
    expect(apart(window - 1)).toEqual([]);
    expect(countsOf(repeat(window + 2, () => [say('Done.')])).at(-1)).toBe(window);
  });

  it('takes turns with and without calls apart', () => {
    const text = words(20);
    const events = [say(text), call('t', 1), say(text), say(text), call('t', 2), say(text)];
    expect(countsOf(events, { calls: 'counted' })).toEqual([2, 2]);
    expect(countsOf(events)).toEqual([2]);
  });

  it('never counts a few words with a call', () => {
    const withCalls = (n: number) =>
      countsOf(
        repeat(2, (index) => [say(words(n)), call('t', { index })]),
        { calls: 'counted' },
      );
    expect(withCalls(shortWords - 1)).toEqual([]);
    expect(withCalls(shortWords)).toEqual([2]);
    expect(withCalls(shortWords + 1)).toEqual([2]);
  });

  it('reads scripts without spaces by characters', () => {
    const one = '我需要先检查这个文件是否存在然后运行所有的测试';
    expect(countsOf([say(one), say(one.replace('所有的', '全部'))])).toEqual([2]);
    expect(countsOf([say(one), say('完全不同的另一个句子没有任何共同之处')])).toEqual([]);
  });

  it('forgets the text of a turn that a message ends, and of one that is no text', () => {
    expect(countsOf([{ type: 'turn', text: 7 } as unknown as AgentEvent, say('...'), say('?')])).toEqual([]);
  });

  it('keeps no text, and little else', () => {
    const guard = createGuard({ preset: only(turnRepeat), detectors: [turnRepeat] });
    for (const event of repeat(40, (n) => [say(words(400, n * 1000))])) guard.accept(event);
    const state = JSON.stringify(guard.state.agents[0]?.detectors[0]);
    expect(state.length).toBeLessThan(4500);
    expect(state).not.toMatch(/w\d/);
  });
});
