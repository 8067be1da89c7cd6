import { describe, expect, it } from 'vitest';
import { digestText } from '../../src/core/digest-text.ts';
import {
  type AgentEvent,
  compilePlan,
  type DetectorKind,
  definePreset,
  initialState,
  type Json,
  type Plan,
  parseState,
  step,
  type ToolTable,
  toolRules,
} from '../../src/core/index.ts';
import { createLedger, MOST_REPEATS, MOST_SAME } from '../../src/core/ledger.ts';
import { MAX_MADE } from '../../src/core/ledger-rows.ts';
import type { Entry, Sight } from '../../src/core/types.ts';
import { callStreak } from '../../src/detectors/call-streak.ts';
import { noProgress } from '../../src/detectors/no-progress.ts';
import { sameResult } from '../../src/detectors/same-result.ts';
import { createGuard } from '../../src/index.ts';
import { call, did, repeat, result, roundDone, turn, user } from '../contract/detector.ts';

type Seen = { readonly entry: Entry; readonly sight: Sight };

/** A run through a plan whose only detector writes down what the ledger shows it. */
function session(tools: ToolTable = {}) {
  const seen: Seen[] = [];
  const probe: DetectorKind<'probe', Record<never, never>> = {
    kind: 'probe',
    defaults: {},
    create: (name) => ({
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: 1,
      ledger: createLedger,
      reduce(_, entry) {
        seen.push({ entry, sight: entry.sight as Sight });
        return null;
      },
    }),
  };
  const preset = definePreset([probe], {
    name: 'probe',
    about: '',
    userBoundary: 'keep',
    detectors: { probe: { kind: 'probe' } },
    ladder: [{ on: 'probe', at: 1, action: 'observe', message: '' }],
  });
  const plan: Plan = compilePlan(preset, { rulesFor: toolRules(tools) });
  let state = initialState(plan);
  return {
    seen,
    run(...events: readonly (AgentEvent | readonly AgentEvent[])[]) {
      for (const event of events.flat() as AgentEvent[]) {
        // State is saved and read again after every event.
        [state] = step(plan, parseState(plan, JSON.parse(JSON.stringify(state))), event);
      }
      return this;
    },
    get results(): Sight[] {
      return seen.filter(({ entry }) => entry.event === 'tool-result').map(({ sight }) => sight);
    },
    get calls(): Sight[] {
      return seen.filter(({ entry }) => entry.event === 'tool-call').map(({ sight }) => sight);
    },
    /** The ledger's own state. */
    get ledger(): { readonly [list in 'rows' | 'changes' | 'open']: readonly Json[] } {
      return state.agents[0]?.detectors[plan.names.indexOf('#ledger')] as never;
    },
  };
}

const ran = (...events: readonly (AgentEvent | readonly AgentEvent[])[]) => session().run(...events);
const last = (...events: readonly (AgentEvent | readonly AgentEvent[])[]) =>
  ran(...events).results.at(-1) as Sight;

const PAGE = 'a result that is long enough to tell something';
const read = (path = 'a', output: Json = PAGE) => did('Read', { path }, output);
const write = (content = 'x', output: Json = 'done') => did('Write', { path: 'a', content }, output);
const bash = (command: string, output: Json = PAGE, status = 'ok') =>
  did('Bash', { command }, output, status);
const FAILURE = 'Error: something is wrong here';
const fails = (path = 'a', output: Json = FAILURE, status = 'error') => did('Read', { path }, output, status);

describe('the ledger in a plan', () => {
  it('listens first, and is there once for all who read it', () => {
    const kind = (name: string): DetectorKind<string, Record<never, never>> => ({
      kind: name,
      defaults: {},
      create: (own) => ({
        name: own,
        events: ['tool-result'],
        needs: [],
        initial: null,
        shape: null,
        maxCount: 1,
        ledger: createLedger,
        reduce: () => null,
      }),
    });
    const preset = definePreset([kind('a'), kind('b')], {
      name: 'two',
      about: '',
      detectors: { a: { kind: 'a' }, b: { kind: 'b' } },
      ladder: [],
    });
    const plan = compilePlan(preset);
    expect(plan.listeners['tool-result']?.map((index) => plan.names[index])).toEqual(['#ledger', 'a', 'b']);
    expect(plan.names).toHaveLength(3);
  });

  it('says whether other calls of the round still run', () => {
    const open = (...events: readonly (AgentEvent | readonly AgentEvent[])[]) =>
      ran(...events).results.map((sight) => sight.open);
    const [a, aEnds] = read('a') as [AgentEvent, AgentEvent];
    const [b, bEnds] = read('b') as [AgentEvent, AgentEvent];
    const [lost] = read('c') as [AgentEvent, AgentEvent];
    expect(open(turn, a, aEnds)).toEqual([false]);
    expect(open(turn, a, b, aEnds, bEnds)).toEqual([true, false]);
    expect(open(turn, a, b, bEnds, aEnds)).toEqual([true, false]);
    // One that was made in an earlier round is lost, or nobody waits for it.
    expect(open(turn, lost, turn, a, aEnds)).toEqual([false]);
    // Without turns, only those that were made later can be told from lost ones.
    expect(open(a, b, aEnds, bEnds)).toEqual([true, false]);
    expect(open(lost, a, aEnds)).toEqual([false]);
    expect(ran(turn, a, b).calls.map((sight) => sight.open)).toEqual([false, false]);
  });

  it('shows each call and each result', () => {
    const { calls, results } = ran(read());
    expect(calls).toMatchObject([
      {
        kind: 'read',
        status: 'unknown',
        outage: false,
        effect: 'none',
        epoch: 0,
        repeats: [],
        alike: [],
        blind: [],
        changes: [],
        stale: false,
        size: 0,
      },
    ]);
    expect(results).toMatchObject([
      {
        kind: 'read',
        status: 'ok',
        outage: false,
        effect: 'none',
        epoch: 0,
        repeats: [],
        alike: [],
        blind: [],
        changes: [],
        stale: false,
        size: PAGE.length,
        family: 0,
      },
    ]);
    expect(calls[0]?.key).toBe(results[0]?.key);
    expect(results[0]?.outcome).not.toBe(0);
  });

  it('needs no digests of the plan, and may be kept across user messages', () => {
    expect(createLedger(digestText)).toMatchObject({ name: '#ledger', needs: [], failures: true });
  });

  it('tells of a call how it ended last, and nothing that only a result can tell', () => {
    const { calls, results } = ran(bash('npm test'), bash('npm test'));
    expect(calls.map(({ outcome, size }) => [outcome, size])).toEqual([
      [0, 0],
      [results[0]?.outcome, 0],
    ]);
  });
});

describe('the same call with the same outcome', () => {
  it('repeats in an unchanged world', () => {
    const { results, calls } = ran(read(), read(), read());
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [1, 2, 3]]);
    expect(results.map(({ stale }) => stale)).toEqual([false, true, true]);
    // A call tells how it would be if it ended the same way again.
    expect(calls.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [1, 2, 3]]);
  });

  it('repeats although other calls stand in between', () => {
    expect(last(read('a'), read('b', 'other'), read('c', 'and another'), read('a')).repeats).toEqual([1, 4]);
  });

  it('repeats although a time or the order of the fields has changed', () => {
    const one = did('get_time', { a: 1, b: 2 }, 'It is 12:34 and all is well.');
    const two = did('get_time', { b: 2, a: 1 }, 'It is 12:35 and all is well.');
    expect(last(one, two).repeats).toEqual([1, 2]);
  });

  it('repeats in a shell although what is for show has changed', () => {
    const one = did('Bash', { command: 'ls', description: 'lists', timeout: 1 }, PAGE);
    const two = did('Bash', { command: 'ls', description: 'looks' }, PAGE);
    expect(last(one, two).repeats).toEqual([1, 2]);
    expect(
      last(did('Task', { description: 'a' }, PAGE), did('Task', { description: 'b' }, PAGE)).repeats,
    ).toEqual([]);
  });

  it('counts once a round', () => {
    const { results, calls } = ran(turn, read(), read(), turn, read(), read());
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [], [1, 3], [1, 4]]);
    expect(calls.at(-1)?.repeats).toEqual([1, 4]);
  });

  it('does not repeat when the outcome is another', () => {
    const { results, calls } = ran(read('a', 'one'), read('a', 'two'), read('a', 'one'), read('a', 'one'));
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [], [1, 3], [1, 3, 4]]);
    // A call that is about to run is held against the way it ended last.
    expect(calls.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [2, 3], [3, 4]]);
    expect(results[0]?.outcome).not.toBe(results[1]?.outcome);
  });

  it('does not repeat when it failed before and now does not', () => {
    expect(last(fails('a', 'x'), read('a', 'x')).repeats).toEqual([]);
  });

  it.each([
    ['a poll', did('get_status', {}, PAGE)],
    ['a step', did('scroll_down', {}, 'ok')],
    ['a thought', did('think', { thought: 'x' }, PAGE)],
    ['a command that waits', bash('sleep 5')],
  ])('is not counted for %s', (_, events) => {
    const { results, calls } = ran(events, events, events);
    expect(results.map(({ repeats, stale }) => [repeats, stale])).toEqual([
      [[], false],
      [[], false],
      [[], false],
    ]);
    expect(calls.at(-1)?.repeats).toEqual([]);
  });

  it('is counted for a step that shows where it got to', () => {
    const page = did('scroll_down', {}, 'x '.repeat(100));
    expect(last(page, page)).toMatchObject({ kind: 'read', repeats: [1, 2] });
    const short = did('scroll_down', {}, `${'x '.repeat(99)}x`);
    expect(last(short, short)).toMatchObject({ kind: 'step', repeats: [] });
  });

  it('is found as far back as results are remembered', () => {
    const between = (n: number) => repeat(n, (index) => read(`b${index}`, `other ${index}`));
    expect(last(read(), between(MOST_REPEATS - 2), read()).repeats).toEqual([1, MOST_REPEATS]);
    expect(last(read(), between(MOST_REPEATS - 1), read()).repeats).toEqual([]);
    expect(last(repeat(40, () => read())).repeats).toHaveLength(MOST_REPEATS);
  });
});

describe('the same words again, whatever the arguments', () => {
  it('are told of a result from 30 characters on', () => {
    const of = (size: number) => last(read('a', 'x'.repeat(size)), read('b', 'x'.repeat(size)));
    expect(of(29)).toMatchObject({ alike: [], stale: false });
    expect(of(30)).toMatchObject({ alike: [1, 2], stale: true, repeats: [] });
  });

  it('are told of an error from 16 characters on', () => {
    const of = (size: number) => last(fails('a', 'x'.repeat(size)), fails('b', 'x'.repeat(size)));
    expect(of(15)).toMatchObject({ alike: [], stale: false });
    expect(of(16)).toMatchObject({ alike: [1, 2], stale: true });
  });

  it('count once a round, and not within one', () => {
    const { results } = ran(turn, read('a'), read('b'), turn, read('c'));
    expect(results.map(({ alike }) => alike)).toEqual([[], [], [1, 3]]);
  });

  it('are looked for among the last ten results', () => {
    const between = (n: number) => repeat(n, (index) => read(`b${index}`, `other ${index}`));
    expect(last(read('a'), between(9), read('z')).alike).toEqual([1, 11]);
    expect(last(read('a'), between(10), read('z')).alike).toEqual([]);
    expect(last(repeat(30, (n) => read(`${n}`))).alike).toHaveLength(MOST_SAME);
    expect(last(read('a'), between(6), read('y'), between(6), read('z')).alike).toEqual([1, 8, 15]);
  });

  it('start anew after a change', () => {
    expect(last(read('a'), write(), read('b')).alike).toEqual([]);
    expect(last(fails('a'), write(), fails('b')).alike).toEqual([]);
    expect(last(fails('a'), read('b', 'fine'), fails('b')).alike).toEqual([1, 3]);
  });

  it('start anew when a person has spoken', () => {
    expect(last(read('a'), user, read('b')).alike).toEqual([]);
    expect(last(fails('a'), user, fails('b')).alike).toEqual([]);
  });

  it('are not told of changes, which may print what they like', () => {
    expect(last(write('x', PAGE), write('y', PAGE)).alike).toEqual([]);
  });

  it('are not told of tests and builds that went well', () => {
    const fine = 'all is well, as it has been all the time';
    expect(last(bash('npm test', fine), bash('npm run test', fine)).alike).toEqual([]);
    expect(last(bash('ls a', fine), bash('ls b', fine)).alike).toEqual([1, 2]);
    expect(last(bash('npm test', FAILURE, 'error'), bash('npm run test', FAILURE, 'error')).alike).toEqual([
      1, 2,
    ]);
  });

  it('are counted without what is masked', () => {
    const times = Array.from({ length: 12 }, (_, n) => `12:${10 + n}`).join(' ');
    expect(last(read('a', times), read('b', times)).alike).toEqual([]);
  });

  it('are those of one tool, unless there are very many of them', () => {
    const long = 'x '.repeat(150);
    expect(last(did('get_a', {}, PAGE), did('get_b', {}, PAGE)).alike).toEqual([]);
    expect(last(did('get_a', {}, long), did('get_b', {}, long)).alike).toEqual([1, 2]);
    expect(last(did('get_a', {}, long, 'error'), did('get_b', {}, long, 'error')).alike).toEqual([]);
  });

  it.each([
    [199, []],
    [200, [1, 2]],
    [201, [1, 2]],
  ])('are very many from 200 characters on: %i', (size, alike) => {
    const text = 'x '.repeat(150).slice(0, size);
    expect(last(did('get_a', {}, text), did('get_b', {}, text)).alike).toEqual(alike);
  });
});

describe('what a call does', () => {
  it.each([
    ['a lookup in a shell', bash('ls'), { kind: 'shell', effect: 'none' }],
    ['a file shown in a shell', bash('cat a.txt'), { kind: 'read', effect: 'none' }],
    ['a look at a job', bash('docker ps --watch'), { kind: 'poll', effect: 'none' }],
    ['a shell without a command', did('Bash', {}, PAGE), { kind: 'shell', effect: 'none' }],
    ['a program that writes', did('run_it', { code: 'f.write(1)' }, PAGE), { kind: 'other', effect: 'new' }],
    ['a program that does not', did('run_it', { code: 'print(1)' }, PAGE), { kind: 'other', effect: 'none' }],
    ['a lookup with a program', did('Read', { code: 'f.write(1)' }, PAGE), { kind: 'read', effect: 'none' }],
  ])('is told by its name and its arguments: %s', (_, events, expected) => {
    expect(last(events)).toMatchObject(expected);
  });
});

describe('a change', () => {
  it('is new the first time, and makes it another world', () => {
    const { results } = ran(read(), write(), read(), read());
    expect(results.map(({ effect, epoch }) => [effect, epoch])).toEqual([
      ['none', 0],
      ['new', 1],
      ['none', 1],
      ['none', 1],
    ]);
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [], [], [3, 4]]);
  });

  it('made before is no new world, and never starts its own count anew', () => {
    const { results } = ran(write(), write(), write());
    expect(results.map(({ effect, epoch }) => [effect, epoch])).toEqual([
      ['new', 1],
      ['again', 1],
      ['again', 1],
    ]);
    expect(results.map(({ changes }) => changes)).toEqual([[1], [1, 2], [1, 2, 3]]);
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [1, 2, 3]]);
  });

  it('to and fro is two changes, each made again', () => {
    const { results } = ran(write('x'), write('y'), write('x'), write('y'));
    expect(results.map(({ effect, epoch, changes }) => [effect, epoch, changes])).toEqual([
      ['new', 1, [1]],
      ['new', 2, [2]],
      ['again', 2, [1, 3]],
      ['again', 2, [2, 4]],
    ]);
  });

  it('in a shell is worth making again once something else has changed', () => {
    const commit = bash('git commit -am x', 'done');
    expect(last(commit, commit).changes).toEqual([1, 2]);
    expect(last(commit, write(), commit)).toMatchObject({ effect: 'again', epoch: 2, changes: [3] });
    expect(last(write(), bash('npm i', 'done'), write()).changes).toEqual([1, 3]);
  });

  it('that ends another way has moved something again, unless it sets down a content', () => {
    const commit = (output: string) => bash('git commit -am x', output);
    expect(last(commit('one file'), commit('two files'))).toMatchObject({ effect: 'new', epoch: 2 });
    expect(last(commit('one file'), commit('one file'))).toMatchObject({ effect: 'again', epoch: 1 });
    expect(last(write('x', 'one file'), write('x', 'two files'))).toMatchObject({
      effect: 'again',
      epoch: 1,
    });
  });

  it('that is an act may be meant again', () => {
    const sent = did('send_message', { text: 'x' }, 'sent');
    expect(last(sent, sent)).toMatchObject({ kind: 'act', effect: 'again', changes: [2] });
  });

  it.each([
    ['a failure', write('x').map((event) => ({ ...event, status: 'error', output: FAILURE }) as AgentEvent)],
    ['a call that was blocked', did('Write', { content: 'x' }, '', 'blocked')],
    ['a call that was denied', did('Write', { content: 'x' }, '', 'denied')],
    ['a command that only looks', bash('git status')],
    ['a lookup', read()],
    ['a thought', did('TodoWrite', { todos: [] }, 'ok')],
  ])('is not made by %s', (_, events) => {
    expect(last(events)).toMatchObject({ effect: 'none', epoch: 0, changes: [] });
  });

  it('may have come about while time passed', () => {
    expect(last(read(), bash('sleep 5'), read())).toMatchObject({ epoch: 1, repeats: [] });
    expect(last(read(), did('wait', { seconds: 5 }, 'ok'), read())).toMatchObject({ epoch: 1, repeats: [] });
    expect(last(read(), did('get_status', {}, 'ok'), read())).toMatchObject({ epoch: 0, repeats: [1, 3] });
    expect(last(read(), did('wait', { seconds: 5 }, '', 'blocked'), read()).repeats).toEqual([1, 3]);
  });

  it('is told by the host, too', () => {
    expect(last(read(), { type: 'state-change' }, read())).toMatchObject({ epoch: 1, repeats: [] });
  });

  it('keeps the last of its calls, one a round', () => {
    const { results, ledger } = ran(repeat(12, () => write()));
    expect(results.at(-1)?.changes).toEqual([7, 8, 9, 10, 11, 12]);
    expect(results.at(-1)?.changes).toHaveLength(MAX_MADE);
    expect(ledger.changes).toHaveLength(1);
    expect(last(turn, write(), write(), turn, write(), write()).changes).toEqual([1, 3]);
  });

  it('is remembered with eleven others', () => {
    const others = (n: number) => repeat(n, (index) => write(`y${index}`));
    expect(last(write(), others(11), write()).effect).toBe('again');
    expect(last(write(), others(12), write()).effect).toBe('new');
  });
});

describe('a person who has spoken', () => {
  it('makes a lookup worth repeating, but not a call that failed', () => {
    expect(last(read(), user, read()).repeats).toEqual([]);
    expect(last(fails(), user, fails()).repeats).toEqual([1, 2]);
  });

  it('does not change the world', () => {
    expect(last(write(), user, write())).toMatchObject({ effect: 'again', epoch: 1 });
  });

  it('makes any call worth one more attempt', () => {
    const { calls } = ran(fails(), fails(), user, fails(), fails());
    expect(calls.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [], [1, 2, 3, 4]]);
  });

  it('ends the wait for results', () => {
    expect(ran(call('Read'), user, call('Read')).calls.at(-1)?.blind).toEqual([]);
  });
});

describe('a model that has lost its memory', () => {
  const compaction: AgentEvent = { type: 'compaction' };

  it('reads again for good reason, once', () => {
    const { results } = ran(read(), compaction, read(), read());
    expect(results.map(({ repeats, stale }) => [repeats, stale])).toEqual([
      [[], false],
      [[1, 2], false],
      [[1, 2, 3], true],
    ]);
    expect(ran(read('a'), compaction, read('b'), read('c')).results.map(({ stale }) => stale)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('changes nothing in the world, and waits for its results still', () => {
    expect(last(write(), compaction, write())).toMatchObject({ effect: 'again', epoch: 1 });
    expect(ran(call('Read'), compaction, call('Read')).calls.at(-1)?.blind).toEqual([1, 2]);
  });
});

describe('how a call ended', () => {
  const ended = (output: Json, status: string, tool = 'Read') => {
    const { seen } = ran(did(tool, { command: 'x', path: 'a' }, output, status));
    const { entry, sight } = seen.at(-1) as Seen;
    expect(entry.status).toBe(sight.status);
    return sight;
  };

  it('is told by the text where the host says only that it failed', () => {
    expect(ended('Sibling tool call errored', 'error').status).toBe('cancelled');
    expect(ended('Missing required parameter: path', 'error').status).toBe('invalid');
    expect(ended(FAILURE, 'error').status).toBe('error');
    expect(ended('Exit code 1', 'error', 'Bash')).toMatchObject({ status: 'unknown', family: 0 });
    expect(ended('Sibling tool call errored', 'ok').status).toBe('ok');
  });

  it('has a family where it failed', () => {
    expect(ended(FAILURE, 'error').family).not.toBe(0);
    expect(ended(PAGE, 'ok').family).toBe(0);
    expect(last(fails('a', "no 'x' there"), fails('b', "no 'y' there")).family).toBe(
      last(fails('b', "no 'y' there")).family,
    );
  });

  it('is not known where the service failed, and counts for nothing', () => {
    const down = fails('a', 'Error: HTTP 503 from the service');
    const { results } = ran(down, down, fails('b', 'Error: HTTP 503 from the service'));
    expect(results).toMatchObject(
      Array(3).fill({ outage: true, status: 'unknown', repeats: [], alike: [], stale: false }),
    );
  });

  it.each(['blocked', 'cancelled'])('is not remembered when it is %s', (status) => {
    const stopped = fails('a', PAGE, status);
    const { results, ledger } = ran(stopped, stopped, stopped);
    expect(results.map(({ repeats, alike, stale }) => [repeats, alike, stale])).toEqual(
      Array(3).fill([[], [], false]),
    );
    expect(ledger).toMatchObject({ epoch: 0, rows: [], changes: [], open: [] });
    expect(last(read(), stopped, read()).repeats).toEqual([1, 3]);
  });

  it('is remembered when a person refused it, also after another word of theirs', () => {
    const denied = fails('a', 'not that one, please', 'denied');
    const { results } = ran(denied, denied, user, denied);
    expect(results.map(({ repeats }) => repeats)).toEqual([[], [1, 2], [1, 2, 3]]);
    expect(results.map(({ status, alike, effect }) => [status, alike, effect])).toEqual(
      Array(3).fill(['denied', [], 'none']),
    );
    expect(last(fails('a', PAGE, 'denied'), fails('b', PAGE, 'denied')).alike).toEqual([]);
    expect(last(did('Write', { content: 'x' }, PAGE, 'denied'), write()).effect).toBe('new');
  });
});

describe('a call of which nothing is seen', () => {
  it('is told when it is made again in another round', () => {
    const { calls } = ran(call('Read'), call('Read'), call('Read'));
    expect(calls.map(({ blind }) => blind)).toEqual([[], [1, 2], [1, 2, 3]]);
  });

  it('is not told within one round, for another call, or when results come', () => {
    expect(ran(turn, call('Read'), call('Read')).calls.at(-1)?.blind).toEqual([]);
    expect(ran(call('Read', { path: 'a' }), call('Read', { path: 'b' })).calls.at(-1)?.blind).toEqual([]);
    expect(ran(read(), call('Read', { path: 'a' })).calls.at(-1)?.blind).toEqual([]);
    expect(ran(turn, call('Read'), turn, call('Read')).calls.at(-1)?.blind).toEqual([1, 2]);
  });

  it('is told of an empty result of a tool that nothing is known of', () => {
    const click = (output = '') => did('click', { at: 1 }, output);
    expect(
      ran(click(), click(), click()).results.map(({ blind, repeats, stale }) => [blind, repeats, stale]),
    ).toEqual([
      [[], [], false],
      [[1, 2], [], false],
      [[1, 2, 3], [], false],
    ]);
    expect(last(click('clicked'), click('clicked'))).toMatchObject({ blind: [], repeats: [1, 2] });
    expect(last(click(), user, click()).blind).toEqual([]);
    expect(last(read('a', ''), read('a', ''))).toMatchObject({ blind: [], repeats: [1, 2] });
  });

  it('is looked for among the last sixteen without a result, and the last ten with an empty one', () => {
    const { calls, ledger } = ran(repeat(20, () => [call('Read')]));
    expect(calls.at(-1)?.blind).toEqual(Array.from({ length: 17 }, (_, n) => n + 4));
    expect(ledger.open).toHaveLength(16);
    const empty = last(repeat(20, () => did('click', {}, '')));
    expect(empty.blind).toEqual(Array.from({ length: 11 }, (_, n) => n + 10));
  });

  it('is open until its result comes', () => {
    expect(ran(call('Read')).ledger.open).toHaveLength(1);
    expect(ran(read()).ledger.open).toEqual([]);
    expect(
      ran(turn, call('Read', { path: 'a' }), call('Read', { path: 'b' }), result('Read', { path: 'a' }, PAGE))
        .ledger.open,
    ).toMatchObject([[expect.any(Number), 2, 1]]);
  });
});

describe('what a user declares', () => {
  it('as no poll is none, whatever its name is', () => {
    const status = did('get_status', {}, PAGE);
    expect(
      session({ get_status: { poll: false } })
        .run(status)
        .results.at(-1)?.kind,
    ).toBe('other');
    expect(session().run(status).results.at(-1)?.kind).toBe('poll');
  });

  it('as a poll is waited with', () => {
    expect(
      session({ Read: { poll: true } })
        .run(read(), read())
        .results.at(-1),
    ).toMatchObject({
      kind: 'poll',
      repeats: [],
    });
  });

  it('as an effect wins over the name', () => {
    const of = (effect: 'none' | 'write' | 'shell', events: readonly AgentEvent[]) =>
      session({ '*': { effect } }).run(events).results.at(-1);
    expect(of('write', read())).toMatchObject({ kind: 'write', effect: 'new' });
    expect(of('none', write())).toMatchObject({ kind: 'write', effect: 'none', epoch: 0 });
    expect(of('none', read())).toMatchObject({ kind: 'read', effect: 'none', epoch: 0 });
    expect(of('shell', did('run_it', { line: 'rm x' }, PAGE))).toMatchObject({
      kind: 'shell',
      effect: 'new',
    });
    expect(of('shell', did('run_it', { line: 'ls' }, PAGE))).toMatchObject({ kind: 'shell', effect: 'none' });
    expect(of('shell', did('run_it', { line: 'sleep 5' }, PAGE))).toMatchObject({ kind: 'wait' });
    expect(of('write', bash('ls'))).toMatchObject({ kind: 'write', effect: 'new' });
  });

  it('as identity is what calls are compared by', () => {
    const fetch = (n: number) => did('fetch', { url: 'x', n }, PAGE);
    expect(session().run(fetch(1), fetch(2)).results.at(-1)?.repeats).toEqual([]);
    expect(
      session({ fetch: { identity: ['url'] } })
        .run(fetch(1), fetch(2))
        .results.at(-1)?.repeats,
    ).toEqual([1, 2]);
    expect(
      session({ fetch: { identity: false } })
        .run(fetch(1), fetch(1))
        .results.at(-1)?.repeats,
    ).toEqual([]);
  });

  it('as volatile is left out of the output', () => {
    const fetch = (n: number) => did('fetch', {}, JSON.stringify({ up: true, n }));
    expect(session().run(fetch(1), fetch(2)).results.at(-1)?.repeats).toEqual([]);
    expect(
      session({ fetch: { volatile: ['n'] } })
        .run(fetch(1), fetch(2))
        .results.at(-1)?.repeats,
    ).toEqual([1, 2]);
  });

  it('as exempt is never seen', () => {
    expect(session({ Read: { exempt: true } }).run(read()).seen).toEqual([]);
  });
});

describe('what the ledger remembers', () => {
  it('is bounded, whatever the run', () => {
    const { ledger } = ran(
      repeat(100, (index) => [
        turn,
        ...read(`a${index}`, `page ${index}`),
        ...write(`x${index % 50}`),
        ...bash('git commit', 'done'),
        call('Read', { path: `open ${index}` }),
        roundDone,
      ]),
    );
    const { rows, changes, open } = ledger;
    expect(rows).toHaveLength(MOST_REPEATS - 1);
    expect(changes).toHaveLength(12);
    expect(open).toHaveLength(16);
    expect(JSON.stringify(ledger).length).toBeLessThan(8000);
  });

  it('holds no payload', () => {
    const text = JSON.stringify(ran(read('secret', 'secret'), bash('echo secret')).ledger);
    expect(text).not.toMatch(/secret|Read|Bash/);
  });

  it('is one for each agent', () => {
    const { results } = ran(
      read(),
      [call('Read', { path: 'a' }, { id: '2', agent: 'scout' })],
      [{ type: 'tool-result', id: '2', agent: 'scout', status: 'ok', output: PAGE }],
    );
    expect(results.at(-1)?.repeats).toEqual([]);
  });

  it('reads an output that is no text as JSON', () => {
    expect(last(read('a', { up: true, at: [1] }), read('a', { up: true, at: [1] })).repeats).toEqual([1, 2]);
    expect(last(read('a', { up: true }), read('a', { up: false })).repeats).toEqual([]);
    expect(last(read('a', null), read('a', null)).repeats).toEqual([1, 2]);
  });
});

describe('a new start', () => {
  it('for one who reads the ledger is one for all who do, and for nobody else', () => {
    const preset = definePreset([noProgress, sameResult, callStreak], {
      name: 'three',
      about: '',
      detectors: {
        streak: { kind: 'call-streak' },
        loop: { kind: 'no-progress' },
        same: { kind: 'same-result' },
      },
      ladder: [
        { on: 'loop', at: 3, action: 'nudge', message: 'again', forget: true },
        { on: 'same', at: 9, action: 'observe', message: '' },
        { on: 'streak', at: 9, action: 'observe', message: '' },
      ],
    });
    const plan = compilePlan(preset);
    let state = initialState(plan);
    let action = '';
    for (const event of repeat(9, () => read())) {
      const [next, decision] = step(plan, state, event);
      state = next;
      action = decision.action;
      if (action === 'nudge') break;
    }
    expect(action).toBe('nudge');
    const before = state.agents[0]?.detectors ?? [];
    const [{ agents }] = step(plan, state, { type: 'control', do: 'delivered' });
    const after = agents[0]?.detectors ?? [];
    expect(plan.names).toEqual(['#ledger', 'streak', 'loop', 'same']);
    expect(before[0]).not.toEqual(plan.initial[0]);
    expect(before[1]).not.toEqual(plan.initial[1]);
    expect(after).toEqual([plan.initial[0], before[1], plan.initial[2], plan.initial[3]]);
  });
});

describe('what a host may do', () => {
  const heard = (run: (guard: ReturnType<typeof createGuard>) => void) => {
    const words: string[] = [];
    const errors: unknown[] = [];
    run(
      createGuard({
        onDecision: ({ action, call }) => words.push(`${action}@${call}`),
        onError: (error) => errors.push(error),
      }),
    );
    expect(errors).toEqual([]);
    return words;
  };

  it('uses one object for one call after another', () => {
    const call = { type: 'tool-call', id: '', tool: 'Read', args: { path: '' } } as const;
    const words = heard((guard) => {
      for (let n = 0; n < 8; n++) {
        Object.assign(call, { id: `c${n}`, args: { path: `${n}.ts` } });
        guard.accept(call);
        guard.accept({ type: 'tool-result', id: `c${n}`, status: 'ok', output: 'export {};' });
      }
    });
    expect(words).toEqual([]);
  });

  it('gives back what JSON cannot write, in any order of keys', () => {
    const circular: { [key: string]: unknown } = { name: 'a', big: 12n };
    circular['self'] = circular;
    const swapped: { [key: string]: unknown } = { big: 12n, name: 'a' };
    swapped['self'] = swapped;
    const words = heard((guard) => {
      for (let n = 0; n < 3; n++) {
        const call = { id: `c${n}`, tool: 'fetch_it', args: {} };
        guard.before(call);
        guard.after(call, { output: (n === 1 ? swapped : circular) as Json, ok: true });
      }
    });
    expect(words).toEqual(['nudge@3']);
  });

  it('changes and checks in one command, and the check fails', () => {
    const words = heard((guard) => {
      for (let n = 0; n < 12; n++) {
        const command = n % 2 === 0 ? `sed -i s/a${n}/b/ x.ts && npm test` : 'npm test';
        const call = { id: `c${n}`, tool: 'Bash', args: { command } };
        guard.before(call);
        guard.after(call, { output: 'Tests: 3 failed, 41 passed', ok: false });
      }
    });
    expect(words.filter((word) => !word.startsWith('nudge'))).toEqual([]);
  });
});
