import { describe, expect, it } from 'vitest';
import { call, did, findings, only, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { type AgentEvent, compilePlan, createGuard, type Entry, type Json } from '../core/index.ts';
import { MOST_ALIKE, MOST_REPEATS } from '../core/ledger.ts';
import { staleRounds } from './stale-rounds.ts';

const read = (path = 'a.ts', output = `text of ${path}`) => did('read_file', { path }, output);
const bash = (command: string, output = '', status = 'ok') => did('bash', { command }, output, status);
const edit = (text: number) => did('edit', { path: 'a.ts', text }, 'done');
const fresh = (n: number) => read(`fresh ${n}`);
/** Two lookups in turn, `n` calls in all. */
const turns = (n: number) => repeat(n, (index) => read('ab'.charAt(index % 2)));
const look = did('BashOutput', { id: 1 }, 'running');
const answer = 'The parser drops the last token of every line.';
const stateChange: AgentEvent = { type: 'state-change' };
/** A round of parallel calls: all calls first, then the results. */
const together = (...runs: AgentEvent[][]): AgentEvent[] => [
  turn,
  ...runs.map(([first]) => first as AgentEvent),
  ...runs.map(([, second]) => second as AgentEvent),
];
const told = (events: readonly AgentEvent[], options = {}) =>
  findings(staleRounds, { events, options }).filter(({ facts }) => facts?.['when'] === 'after');
const ahead = (events: readonly AgentEvent[]) =>
  findings(staleRounds, { events }).filter(({ facts }) => facts?.['when'] === 'before');
const counts = (events: readonly AgentEvent[], options = {}) =>
  told(events, options).map(({ count }) => count);
const stateAfter = (events: readonly AgentEvent[]) => {
  const guard = createGuard({ preset: only(staleRounds), detectors: [staleRounds] });
  for (const event of events) guard.accept(event);
  return guard.state.agents[0]?.detectors[guard.state.detectors.indexOf('it')];
};

testDetector(staleRounds, {
  loops: [
    {
      name: 'two calls in turn',
      events: repeat(3, () => [...read('a'), ...read('b')]),
      counts: [2, 3, 3, 4, 4],
    },
    {
      name: 'three calls in any order, with another in between',
      events: [...['a', 'b', 'c', 'c', 'a', 'b'].flatMap((path) => read(path)), ...fresh(1), ...read('b')],
      counts: [2, 3, 4, 4],
    },
    {
      name: 'a batch in another order each round',
      events: repeat(3, (n) =>
        n % 2 === 0 ? together(read('a'), read('b')) : together(read('b'), read('a')),
      ),
      counts: [2, 2],
    },
    {
      name: 'known files, each beside a look at a job that ends later',
      events: repeat(5, (n) => together(read('ab'.charAt(n % 2)), look)),
      counts: [2, 3, 3],
    },
    {
      name: 'two errors in turn, for other arguments',
      events: repeat(5, (n) =>
        did(
          'query',
          { sql: `select ${n}` },
          ['the database is read-only', 'no such table: orders'][n % 2],
          'error',
        ),
      ),
      counts: [2, 3],
    },
    {
      name: 'one question in other words, one answer',
      events: repeat(4, (n) => did('task', { prompt: `where is the bug? (${n})` }, answer)),
      counts: [2, 3],
    },
    {
      name: 'thoughts, plans and looks at a job in between',
      events: repeat(3, () => [
        ...read('a'),
        ...did('think', {}, 'ok'),
        ...did('TodoWrite', {}, 'ok'),
        ...look,
        ...read('b'),
      ]),
      counts: [2, 3, 3, 4, 4],
    },
    {
      name: 'a change that something takes away again',
      events: repeat(4, () => [...edit(1), ...bash('npm run lint', 'removed 1 unused import')]),
      counts: [2, 3, 3, 4, 4, 5, 5, 6, 6],
    },
    {
      name: 'times and hashes that move',
      events: repeat(3, (n) => [
        ...bash('git status', `at 12:0${n}:00 on 4f2a9b${n}c1d: clean`),
        ...bash('git log -1', `commit 4f2a9b${n}c1d, 12:0${n}:00`),
      ]),
      counts: [2, 3, 3, 4, 4],
    },
  ],
  healthy: [
    { name: 'one call again and again, which others count', events: repeat(9, () => read()), counts: [] },
    {
      name: 'one error for other arguments, which others count',
      events: repeat(6, (n) => did('query', { sql: `select ${n}` }, 'the database is read-only', 'error')),
      counts: [],
    },
    { name: 'something new each time', events: repeat(10, (n) => fresh(n)), counts: [] },
    {
      name: 'edit, test, edit, test, with a failure that moves',
      events: repeat(6, (n) => [...edit(n), ...bash('npm test', `${9 - n} failed`, 'error')]),
      counts: [],
    },
    {
      name: 'a look back now and then',
      events: repeat(4, (n) => [...read('plan'), ...fresh(3 * n), ...fresh(3 * n + 1), ...fresh(3 * n + 2)]),
      counts: [],
    },
    {
      name: 'a look at the file after each edit',
      events: repeat(5, (n) => [...read(), ...edit(n)]),
      counts: [],
    },
    {
      name: 'the same calls in one batch',
      events: [...together(read(), read(), read()), ...together(fresh(1), fresh(1))],
      counts: [],
    },
    {
      name: 'a known file beside a new one in each batch',
      events: repeat(4, (n) => together(fresh(n), read())),
      counts: [],
    },
    {
      name: 'a look back, then a known file that comes before a new one of the same batch',
      events: [...turns(3), ...together(read('b'), fresh(1))],
      counts: [],
    },
    {
      name: 'a look back, then a known file that comes before a new one, without turns',
      events: [...turns(3), ...together(read('b'), fresh(1)).slice(1)],
      counts: [],
    },
    {
      name: 'siblings that were cancelled when one failed',
      events: repeat(4, (n) =>
        together(
          bash(`ls ${n}`, `no such folder: ${n}`, 'error'),
          bash('ls src', 'Cancelled: sibling tool call errored', 'error'),
        ),
      ),
      counts: [],
    },
    {
      name: 'polls and steps',
      events: repeat(6, () => [
        ...did('BashOutput', { id: 1 }, 'running'),
        ...bash('sleep 30; tail log', 'running'),
        ...did('scroll_down', {}, 'scrolled'),
      ]),
      counts: [],
    },
    {
      name: 'ids tried one by one, each with its own error',
      events: repeat(6, (n) => did('get_order', { id: n }, `order ${n} does not exist`, 'error')),
      counts: [],
    },
    {
      name: 'a lookup after each word from the user',
      events: repeat(5, () => [...read(), user]),
      counts: [],
    },
  ],
});

describe('stale-rounds', () => {
  it('is one subject for a whole list of things with the same short answer, whatever changes in between', () => {
    const checked = (n: number) => did('scan_file', { n }, 'No threats of any kind were found in it.');
    const list = told(repeat(8, (n) => [...checked(n), ...(n === 4 ? edit(n) : [])]));
    expect(new Set(list.map(({ subject }) => subject))).toEqual(new Set(['list']));
    const failed = (n: number) => did('scan_file', { n }, 'This file is locked.', 'error');
    const mixed = told(repeat(3, (n) => [...failed(n), ...read('a')]));
    expect(mixed.at(-1)).toMatchObject({ subject: 'epoch 0', facts: { soft: false } });
  });

  it('tells tool, window and the calls that brought nothing', () => {
    const events = [...read('a'), ...read('b'), ...read('a'), ...fresh(1), ...read('b'), ...read('a')];
    const facts = (when: string) => ({ tool: 'read_file', when, window: 8, soft: false, empty: false });
    expect(findings(staleRounds, { events })).toEqual([
      { detector: 'it', subject: 'epoch 0', count: 2, call: 5, evidence: [3, 5], facts: facts('after') },
      { detector: 'it', subject: 'epoch 0', count: 3, call: 6, evidence: [3, 5, 6], facts: facts('before') },
      { detector: 'it', subject: 'epoch 0', count: 3, call: 6, evidence: [3, 5, 6], facts: facts('after') },
    ]);
  });

  it('counts a member of the loop before it runs, once it has ended alike twice', () => {
    expect(ahead([...turns(3), call('read_file', { path: 'b' })])).toEqual([]);
    expect(ahead([...turns(4), call('read_file', { path: 'a' })])).toMatchObject([
      { count: 3, call: 5, evidence: [3, 4, 5], subject: 'epoch 0', facts: { when: 'before', window: 8 } },
    ]);
    // Another call is not held back, whatever the others did.
    expect(ahead([...turns(4), call('read_file', { path: 'c' })])).toEqual([]);
  });

  it('counts a round once, and holds nothing back in a round that brought something new', () => {
    const known = repeat(4, (n) => [turn, ...read('ab'.charAt(n % 2))]);
    const again = call('read_file', { path: 'a' });
    expect(ahead([...known, turn, ...read('a'), again]).map(({ evidence }) => evidence)).toEqual([
      [3, 4, 5],
      [3, 4, 6],
    ]);
    expect(ahead([...known, turn, ...fresh(1), again])).toEqual([]);
    expect(ahead([...known, turn, ...fresh(1), turn, again]).map(({ evidence }) => evidence)).toEqual([
      [3, 4, 6],
    ]);
  });

  it('leaves one call and one failure to others, as long as nothing else is stale', () => {
    const failed = (n: number, output: string) => did('query', { n }, output, 'error');
    const down = 'the database is read-only';
    expect(counts(repeat(5, () => read()))).toEqual([]);
    expect(ahead(repeat(5, () => read()))).toEqual([]);
    expect(counts([...repeat(5, () => read()), ...repeat(2, () => read('b'))])).toEqual([5]);
    expect(counts(repeat(5, (n) => failed(n, down)))).toEqual([]);
    expect(counts([...repeat(5, (n) => failed(n, down)), ...repeat(2, () => read('b'))])).toEqual([5]);
    expect(counts([...repeat(2, () => read('b')), ...repeat(4, (n) => failed(n, down))])).toEqual([2, 3, 4]);
    const two = repeat(4, (n) => failed(n, n < 2 ? down : 'no such table: orders'));
    expect(counts(two)).toEqual([2]);
    // Results that are the same are no failure.
    expect(counts(repeat(4, (n) => did('task', { n }, answer)))).toEqual([2, 3]);
  });

  it('names the world in which nothing moves', () => {
    const subjects = told([...edit(1), ...edit(2), ...turns(5)]);
    expect(subjects.map(({ subject }) => subject)).toEqual(['epoch 2', 'epoch 2']);
  });

  it('starts anew with a new change, and not with one that was made before', () => {
    expect(counts([...turns(5), ...edit(1), ...turns(4)])).toEqual([2, 3, 2]);
    expect(counts([...edit(1), ...turns(4), ...edit(1), ...turns(1)])).toEqual([2, 3, 4]);
    expect(stateAfter([...turns(5), ...edit(1)])).toEqual([]);
  });

  it('starts anew when the host says that the world moved', () => {
    expect(counts([...turns(5), stateChange, ...turns(4)])).toEqual([2, 3, 2]);
    expect(stateAfter([...turns(5), stateChange])).toEqual([]);
  });

  it('starts anew with what another agent has changed', () => {
    const theirs = edit(1).map((event) => ({ ...event, agent: 'other' }) as AgentEvent);
    expect(counts([...turns(5), ...theirs, ...turns(4)])).toEqual([2, 3, 2]);
  });

  it('lets what was read before a compaction be read again, once', () => {
    const compaction: AgentEvent = { type: 'compaction' };
    expect(counts([...turns(4), compaction, ...turns(2)])).toEqual([2]);
    expect(counts([...turns(4), compaction, ...turns(4)])).toEqual([2, 3, 4]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])('sees a cycle of %i calls', (period) => {
    const events = repeat(2, () => repeat(period, (n) => read(`file ${n}`)));
    expect(counts(events)).toEqual(Array.from({ length: period - 1 }, (_, n) => n + 2));
  });

  it('remembers what the ledger does: a longer cycle is new each time', () => {
    const most = MOST_REPEATS - 1;
    for (const [period, expected] of [
      [most - 1, [2, 3]],
      [most, [2, 3]],
      [most + 1, []],
    ] as const) {
      const cycle = repeat(period, (n) => read(`file ${n}`));
      expect(counts([...cycle, ...cycle.slice(0, 6)]), `period ${period}`).toEqual(expected);
    }
  });

  it('looks at the last eight rounds', () => {
    for (const [between, expected] of [
      [6, [2]],
      [7, []],
      [8, []],
    ] as const)
      expect(counts([...turns(3), ...repeat(between, fresh), ...read('b')]), `${between} between`).toEqual(
        expected,
      );
  });

  it.each([3, 5])('looks at the last %i rounds, when told so', (window) => {
    expect(counts([...turns(3), ...repeat(window - 2, fresh), ...read('b')], { window })).toEqual([2]);
    expect(counts([...turns(3), ...repeat(window - 1, fresh), ...read('b')], { window })).toEqual([]);
    const long = findings(staleRounds, { events: turns(12), options: { window } });
    expect(Math.max(...long.map(({ count }) => count))).toBe(window);
    expect(long.at(-1)?.facts).toMatchObject({ tool: 'read_file', when: 'after', window });
  });

  it('counts up to the window, with the call that is about to run', () => {
    expect(counts(turns(13))).toEqual([2, 3, 4, 5, 6, 7, 8, 8, 8, 8]);
    expect(ahead(turns(13)).map(({ count }) => count)).toEqual([3, 4, 5, 6, 7, 8, 8, 8, 8]);
    expect(ahead(turns(13)).at(-1)?.evidence).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it('shows the last sixteen calls of a long window', () => {
    const seen = findings(staleRounds, { events: turns(30), options: { window: 32 } });
    expect(seen.at(-1)).toMatchObject({ count: 28 });
    expect(seen.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 15));
    expect(seen.at(-2)?.evidence).toEqual(Array.from({ length: 16 }, (_, index) => index + 15));
  });

  it('keeps a row a round: its number, whether it was stale, its last call and what that was', () => {
    const digest = expect.any(Number);
    expect(stateAfter([...read(), ...read(), ...fresh(1)])).toEqual([
      [1, 0, 1, digest, 0],
      [2, 1, 2, digest, 0],
      [3, 0, 3, digest, 0],
    ]);
    expect(stateAfter(repeat(9, () => read()))).toEqual(
      Array.from({ length: 8 }, (_, n) => [n + 2, 1, n + 2, digest, 0]),
    );
    const rows = stateAfter([
      ...read('a'),
      ...read('a'),
      ...read('b'),
      ...repeat(2, (n) => did('query', { n }, 'the database is read-only', 'error')),
    ]) as number[][];
    expect(rows[0]?.[3]).toBe(rows[1]?.[3]);
    expect(rows[0]?.[3]).not.toBe(rows[2]?.[3]);
    expect(rows[3]?.[3]).not.toBe(rows[4]?.[3]);
    expect(rows[3]?.[4]).toBeGreaterThan(0);
    expect(rows[3]?.[4]).toBe(rows[4]?.[4]);
  });

  it('takes a round for stale only when all of its results are', () => {
    const rounds = (events: readonly AgentEvent[]) =>
      (stateAfter(events) as number[][]).map((row) => row.slice(0, 3));
    const first = together(read('a'), read('b'));
    expect(rounds([...first, ...together(read('a'), read('b'))])).toEqual([
      [1, 0, 2],
      [2, 1, 4],
    ]);
    for (const second of [together(read('a'), fresh(1)), together(fresh(1), read('a'))])
      expect(rounds([...first, ...second])).toEqual([
        [1, 0, 2],
        [2, 0, 4],
      ]);
    expect(rounds([...first, ...together(read('a'), fresh(1), read('b'))])).toEqual([
      [1, 0, 2],
      [2, 0, 5],
    ]);
  });

  it('judges a batch when its last result is in', () => {
    const batch = (...runs: AgentEvent[][]) => [
      ...repeat(4, (n) => [turn, ...read('ab'.charAt(n % 2))]),
      ...together(...runs),
    ];
    const toldAt = (events: readonly AgentEvent[]) => told(events).map(({ call: at, count }) => [at, count]);
    expect(toldAt(batch(read('a')))).toEqual([
      [4, 2],
      [5, 3],
    ]);
    expect(toldAt(batch(read('a'), read('b'), read('a')))).toEqual([
      [4, 2],
      [7, 3],
    ]);
    expect(toldAt(batch(read('a'), fresh(1), read('b')))).toEqual([[4, 2]]);
    // Whatever the last one was: it brought nothing new either.
    for (const last of [look, did('think', {}, 'ok'), did('read_file', {}, 'not run', 'cancelled')])
      expect(toldAt(batch(read('a'), last))).toEqual([
        [4, 2],
        [6, 3],
      ]);
  });

  it('does not wait for a result that has not come by the next round', () => {
    const lost = call('fetch', { url: 'x' });
    const events = repeat(5, (n) => [turn, ...read('ab'.charAt(n % 2))]);
    expect(counts([turn, lost, ...events])).toEqual([2, 3]);
    expect(counts(events.flatMap((event) => (event === turn ? [turn, lost, turn] : [event])))).toEqual([
      2, 3,
    ]);
  });

  it.each([
    ...['blocked', 'denied', 'cancelled'].map(
      (status) => [status, did('read_file', {}, 'not run', status)] as const,
    ),
    ['an outage', did('fetch', { url: 'x' }, '429 too many requests', 'error')],
    ['a thought', did('think', {}, 'ok')],
    ['a poll', look],
    ['a wait', bash('sleep 5')],
    ['a step', did('scroll_down', {}, 'scrolled')],
  ] as const)('leaves out: %s', (_, left) => {
    expect(stateAfter([...turns(3), ...left])).toEqual(stateAfter(turns(3)));
  });

  it('takes a step that shows where it got to for a lookup', () => {
    const scroll = (size: number) =>
      repeat(3, (n) => did('scroll_down', { n }, 'x '.repeat(size).slice(0, size)));
    expect(counts(scroll(199))).toEqual([]);
    expect(counts(scroll(200))).toEqual([2]);
    expect(counts(scroll(201))).toEqual([2]);
  });

  it('takes the same words for known only when they are long enough to tell', () => {
    const asked = (output: string, status: string) =>
      stateAfter(repeat(2, (n) => did('task', { n }, output, status))) as number[][];
    const stale = (output: string, status: string) => asked(output, status).at(-1)?.[1] === 1;
    const words = 'abcdefghijklmnopqrstuvwxyz, and more of it';
    expect([29, 30, 31].map((size) => stale(words.slice(0, size), 'ok'))).toEqual([false, true, true]);
    expect([15, 16, 17].map((size) => stale(words.slice(0, size), 'error'))).toEqual([false, true, true]);
    // What is masked says nothing.
    expect(stale('4f2a9b4c1d4f2a9b4c1d4f2a9b4c1d4f2a9b4c1d', 'ok')).toBe(false);
  });

  it('does not take the confirmation of another act for known', () => {
    const acts = (tool: string, output: Json, status = 'ok') =>
      counts(repeat(4, (n) => did(tool, { n }, output, status)));
    const done = { success: true, message: 'The operation was completed without warnings.' };
    expect(acts('handle_ticket', done)).toEqual([]);
    expect(acts('handle_ticket', 'The ticket was assigned successfully to Ann.')).toEqual([]);
    // A lookup has nothing to confirm.
    expect(acts('lookup_ticket', 'The search was completed successfully.')).toEqual([2, 3]);
    expect(acts('handle_ticket', 'The search was completed, but nothing was found.')).toEqual([2, 3]);
    expect(
      acts('handle_ticket', { success: true, tickets: [], of: 'the whole archive of all the years before' }),
    ).toEqual([2, 3]);
    expect(
      acts('handle_ticket', `The ticket was assigned successfully. ${'It is open. '.repeat(20)}`),
    ).toEqual([2, 3]);
  });

  it('does not count the structure of a result', () => {
    const judged = (output: Json) => counts(repeat(4, (n) => did('moderate', { n }, output)));
    expect(judged({ flagged: false, categories: [], errorCount: 0, warningCount: 0 })).toEqual([]);
    expect(judged('{"content":[{"type":"text","text":"OK"}],"isError":false}')).toEqual([]);
    expect(judged({ verdict: 'this was said before, by many of the others' })).toEqual([2, 3]);
  });

  it('tells whether other things were answered in the same few words, or a question in other ones', () => {
    const soft = (tool: string, output: string) =>
      findings(staleRounds, { events: repeat(4, (n) => did(tool, { n }, output)) }).at(-1)?.facts?.['soft'];
    const clean = 'All that is in it is as it should be, by and large.';
    expect(soft('scan_file', clean)).toBe(true);
    expect(soft('search_files', clean)).toBe(false);
    expect(soft('scan_file', clean.repeat(9))).toBe(true);
    expect(soft('tree', clean.repeat(9))).toBe(false);
    expect(findings(staleRounds, { events: turns(6) }).at(-1)?.facts?.['soft']).toBe(false);
    const commands = repeat(4, (n) =>
      bash(`echo ${n} > /dev/null; cat status.txt`, 'waiting for the runner that never comes'),
    );
    expect(findings(staleRounds, { events: commands }).at(-1)?.facts?.['soft']).toBe(false);
  });

  it('counts questions without an answer, when told so', () => {
    const asked = (tool: string, output: Json) =>
      findings(staleRounds, {
        events: repeat(4, (n) => did(tool, { query: `${n}` }, output)),
        options: { empties: 'counted' },
      }).map(({ count, facts }) => [count, facts?.['empty']]);
    const counted = [2, 3, 4].map((count) => [count, true]);
    for (const none of ['No results found.', '[]', { results: [] }, ''])
      expect(asked('web_search', none)).toEqual(counted);
    expect(asked('web_search', 'Two of them.')).toEqual([]);
    expect(asked('scan_file', 'No results found.')).toEqual([]);
    for (const none of ['No messages matched your search at all.', 'I found no such thing anywhere in here.'])
      expect(asked('web_search', none)).toEqual(counted);
    expect(asked('get_orders', { page: 7, per_page: 50, items: [], total: 0 })).toEqual(counted);
    expect(
      asked('get_orders', { page: 7, per_page: 50, customer: 'Anna Berg of Hamburg', items: [] }),
    ).toEqual([
      [2, false],
      [3, false],
    ]);
    expect(
      counts(repeat(4, (n) => did('web_search', { query: `${n}` }, 'No messages matched your search.'))),
    ).toEqual([]);
    expect(counts(repeat(4, (n) => did('web_search', { query: `${n}` }, '[]')))).toEqual([]);
  });

  it('does not take what two checks say for known', () => {
    const clean = (command: string) => bash(command, 'no problems were found in this project');
    expect(counts(['eslint a', 'eslint b', 'eslint c', 'eslint d'].flatMap(clean))).toEqual([]);
    expect(counts(['grep a', 'grep b', 'grep c', 'grep d'].flatMap(clean))).toEqual([2, 3]);
  });

  it('takes the same words for known among the last ten results', () => {
    const most = MOST_ALIKE - 1;
    const asked = (n: number) => did('task', { n }, answer);
    const stale = (between: number) =>
      (stateAfter([...asked(1), ...repeat(between, fresh), ...asked(2)]) as number[][]).at(-1)?.[1] === 1;
    expect([most - 2, most - 1, most].map(stale)).toEqual([true, true, false]);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce } = staleRounds.create(
      'it',
      { window: 8, empties: 'ignored' },
      { floor: 3, digestText: () => 0 },
    );
    const sight = { kind: 'read', status: 'ok', effect: 'none', stale: true, epoch: 0, key: 9, family: 0 };
    const entry = { event: 'tool-result', round: 9, call: 9, tool: 't' };
    const counted = (state: Json) => reduce(state, { ...entry, sight } as unknown as Entry, null)?.[1]?.count;
    expect(counted([[1, 1, 1, 1, 0]])).toBeUndefined();
    expect(
      counted([
        [1, 1, 1, 1, 0],
        [2, 1, 2, 2, 0],
      ]),
    ).toBe(3);
    expect(reduce([], { ...entry, sight: null } as unknown as Entry, null)).toBeNull();
  });

  it('needs no digests but those of the ledger, speaks before a call, and says how far it counts', () => {
    const plan = compilePlan(only(staleRounds), { kinds: [staleRounds] });
    expect(plan.detectors.find(({ name }) => name === 'it')).toMatchObject({
      needs: [],
      blocks: true,
      maxCount: 8,
    });
    expect(plan.names).toEqual(['#ledger', 'it']);
  });
});

it('leaves two calls that fail in one way to others, before they run as well as after', () => {
  const failing = (n: number) =>
    bash(n % 2 === 0 ? 'make a' : 'make b', 'error: the disk of the build machine is full', 'error');
  expect(ahead(repeat(8, failing))).toEqual([]);
  expect(told(repeat(8, failing))).toEqual([]);
});
