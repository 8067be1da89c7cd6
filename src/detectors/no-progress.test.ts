import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  only,
  repeat,
  result,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import {
  type AgentEvent,
  compilePlan,
  createGuard,
  type Entry,
  type Json,
  toolRules,
} from '../core/index.ts';
import { MOST_REPEATS } from '../core/ledger.ts';
import { noProgress } from './no-progress.ts';

const read = (path = 'a.ts', output = 'const a = 1;') => did('read_file', { path }, output);
const bash = (command: string, output = '', status = 'ok') => did('bash', { command }, output, status);
const edit = (text: number) => did('edit', { path: 'a.ts', text }, 'done');
const think = did('think', { thought: 'hm' }, 'ok');
const look = did('BashOutput', { id: 1 }, 'running');
const stateChange: AgentEvent = { type: 'state-change' };
const click = did('browser_click', { ref: 'next' }, 'the button was clicked');
const others = (n: number) => repeat(n, (index) => read(`other ${index}`, `text ${index}`));
/** A round of parallel calls: all calls first, then the results. */
const together = (...runs: AgentEvent[][]): AgentEvent[] => [
  turn,
  ...runs.map(([first]) => first as AgentEvent),
  ...runs.map(([, second]) => second as AgentEvent),
];
/** What `n` runs of one call count to, each before and after it runs. */
const pairs = (n: number) => repeat(n - 1, (index) => [index + 2, index + 2]);
const seen = (events: readonly AgentEvent[]) =>
  findings(noProgress, { events }).map(({ count, facts }) => `${facts?.['when']} ${count}`);

testDetector(noProgress, {
  loops: [
    { name: 'the same lookup', events: repeat(4, () => read()), counts: pairs(4) },
    {
      name: 'times, durations, hashes and line numbers move',
      events: repeat(3, (n) =>
        bash(
          'npm test',
          `12:00:0${n} commit 4f2a9b${n}c1d x.ts:1${n} line ${n}: 2 failed in 1.${n} s`,
          'error',
        ),
      ),
      counts: pairs(3),
    },
    {
      name: 'only what is for show differs',
      events: repeat(3, (n) =>
        did('bash', { command: 'ls', description: `look ${n}`, timeout: n }, 'a.ts\nb.ts'),
      ),
      counts: pairs(3),
    },
    {
      name: 'a failing call across user messages',
      events: repeat(3, () => [...bash('make', 'no rule to make target', 'error'), user]),
      // What a person says is worth one more attempt: only the result counts.
      counts: [2, 3],
    },
    { name: 'an edit that succeeds again and again', events: repeat(4, () => edit(1)), counts: pairs(4) },
    {
      name: 'thoughts, plans and looks at a job in between',
      events: repeat(3, () => [...read(), ...think, ...did('TodoWrite', {}, 'ok'), ...look]),
      counts: pairs(3),
    },
    {
      name: 'a change that is undone again and again',
      events: repeat(3, () => [
        ...bash('sed -i s/a/b/ f'),
        ...bash('npm test', '3 failed', 'error'),
        ...bash('git checkout f', 'Updated 1 path'),
      ]),
      counts: [2, 2, 2, 2, 2, 2, 3, 3],
    },
    {
      name: 'a batch of calls in another order each round',
      events: [
        ...together(read('a'), read('b'), read('c')),
        ...together(read('c'), read('a'), read('b')),
        ...together(read('b'), read('c'), read('a')),
      ],
      counts: [2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3],
    },
    {
      name: 'a search that finds nothing',
      events: repeat(3, () => bash('grep -r needle src', '', 'error')),
      counts: pairs(3),
    },
  ],
  healthy: [
    {
      name: 'a button that is clicked again, with another page behind it each time',
      events: repeat(9, (n) => [...click, ...did('browser_read', {}, `page ${n} of the shop`)]),
      // Two clicks before anything is seen to move; before each look nobody knows what it will show.
      counts: Array<number>(10).fill(2),
    },
    {
      name: 'a step without words, with another picture behind it each time',
      events: repeat(9, (n) => [...click, ...did('screenshot', {}, `a picture of ${'abcdefghi'[n]}`)]),
      counts: [2, 2],
    },
    {
      name: 'edit, test, edit, test',
      events: repeat(5, (n) => [...edit(n), ...bash('npm test', '1 failed', 'error')]),
      counts: [],
    },
    {
      name: 'one command after each of several changes in a shell',
      events: [
        "sed -i 's/a/b/' a.ts",
        'cat > a.ts <<EOF\nconst a = 2;\nEOF',
        'pip install requests',
        'git checkout b.ts',
        'echo 1 > flag',
      ].flatMap((command) => [...bash(command), ...bash('npm test', '1 failed', 'error')]),
      counts: [],
    },
    {
      name: 'failures that get fewer',
      events: [13, 10, 7, 4].flatMap((n) => bash('npm test', `${n} failed`, 'error')),
      // Before each run: if it ended as it did last, it would be the second time.
      counts: [2, 2, 2],
    },
    {
      name: 'pages, by number and by scrolling',
      events: repeat(5, (n) => [
        ...did('read_file', { path: 'a', offset: n * 100 }, `page ${n}`),
        ...did('scroll_down', {}, 'scrolled'),
      ]),
      counts: [],
    },
    {
      name: 'the same call several times in one batch',
      events: [...together(read(), read(), read(), read()), ...together(read('b'), read('b'))],
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
      name: 'a lookup after each word from the user',
      events: repeat(4, () => [...read(), user]),
      counts: [],
    },
    {
      name: 'the host says that the world moved',
      events: repeat(4, () => [...read(), stateChange]),
      counts: [],
    },
    {
      name: 'polls: tools that wait, commands that wait',
      events: repeat(5, () => [
        ...did('BashOutput', { id: 1 }, 'running'),
        ...bash('sleep 30; tail log', 'running'),
        ...did('write_stdin', { chars: '' }, 'running'),
      ]),
      counts: [],
    },
  ],
});

describe('no-progress', () => {
  it('counts a call of which nothing is known as long as no look shows something new', () => {
    const clicks = (pages: string) => {
      const events = [...pages].flatMap((page) => [...click, ...did('browser_read', {}, `page ${page}`)]);
      return Math.max(
        0,
        ...findings(noProgress, { events })
          .filter(({ facts }) => facts?.['tool'] === 'browser_click')
          .map(({ count }) => count),
      );
    };
    expect(clicks('aaaaaa')).toBe(6);
    // To and fro is no way forward.
    expect(clicks('ababab')).toBe(4);
    expect(clicks('aaaaab')).toBe(6);
    expect(clicks('abcdef')).toBe(2);
    expect(clicks('aabbcc')).toBe(3);
  });

  it('counts a lookup that shows the same, whatever moves elsewhere', () => {
    const events = repeat(4, (n) => [...read(), ...read('log', `line ${'abcd'[n]} of the log`)]);
    const counts = findings(noProgress, { events }).map(({ count }) => count);
    expect(Math.max(...counts)).toBe(4);
  });

  it('tells before the call and after it, with the calls that ended alike', () => {
    const events = [...read(), ...read('b', 'x'), ...read(), ...read()];
    expect(findings(noProgress, { events })).toEqual([
      expect.objectContaining({
        detector: 'it',
        count: 2,
        call: 3,
        evidence: [1, 3],
        facts: { tool: 'read_file', when: 'before', failed: false, busy: true, asked: false, passed: false },
      }),
      expect.objectContaining({
        count: 2,
        call: 3,
        evidence: [1, 3],
        facts: { tool: 'read_file', when: 'after', failed: false, busy: true, asked: false, passed: false },
      }),
      expect.objectContaining({ count: 3, evidence: [1, 3, 4] }),
      expect.objectContaining({ count: 3, evidence: [1, 3, 4] }),
    ]);
  });

  it('tells whether something was found out after each of them', () => {
    const busy = (events: readonly AgentEvent[]) => findings(noProgress, { events }).at(-1)?.facts?.['busy'];
    const lookup = read('policy', 'refunds within 30 days');
    const ticket = (n: number) => read(`ticket ${n}`, `the words of ticket ${n}`);
    expect(busy(repeat(5, (n) => [...lookup, ...ticket(n)]))).toBe(true);
    expect(busy(repeat(5, () => lookup))).toBe(false);
    // The same look again is no new thing, even where it shows something else.
    expect(busy(repeat(5, (n) => [...lookup, ...read('clock', `tick ${n}`)]))).toBe(false);
    expect(busy(repeat(5, (n) => [...lookup, ...read(`ticket ${n}`, 'all tickets are alike')]))).toBe(false);
    expect(busy([...lookup, ...ticket(1), ...lookup, ...lookup, ...ticket(2), ...lookup])).toBe(false);
    const fails = bash('make', 'no rule to make target', 'error');
    expect(busy(repeat(5, (n) => [...fails, ...ticket(n)]))).toBe(false);
  });

  it('names tool and arguments, not the result', () => {
    const [one, two] = findings(noProgress, { events: repeat(2, () => read()) });
    const [other] = findings(noProgress, { events: repeat(2, () => read('b')) });
    expect(one?.subject).toMatch(/^read_file#[0-9a-z]+$/);
    expect(two?.subject).toBe(one?.subject);
    expect(other?.subject).not.toBe(one?.subject);
  });

  it('tells failures from results once the call has ended', () => {
    const events = repeat(2, () => bash('make', 'no rule to make target', 'error'));
    expect(findings(noProgress, { events }).map(({ facts }) => facts)).toEqual([
      { tool: 'bash', when: 'before', failed: false, busy: false, asked: false, passed: false },
      { tool: 'bash', when: 'after', failed: true, busy: false, asked: false, passed: false },
    ]);
  });

  it('takes other arguments, another tool, another ending or other words for something else', () => {
    expect(seen([...read('a'), ...read('b'), ...did('view', { path: 'a' }, 'const a = 1;')])).toEqual([]);
    expect(seen([...bash('x', 'same'), ...bash('x', 'same', 'error')])).toEqual(['before 2']);
    expect(seen([...read('a', 'one'), ...read('a', 'two')])).toEqual(['before 2']);
  });

  it('holds a call against the way it ended last', () => {
    const events = [...read('a', 'one'), ...read('a', 'two'), ...read('a', 'one'), ...read('a', 'two')];
    expect(seen(events)).toEqual(['before 2', 'before 2', 'after 2', 'before 2', 'after 2']);
    expect(findings(noProgress, { events }).map(({ evidence }) => evidence)).toEqual([
      [1, 2],
      [2, 3],
      [1, 3],
      [3, 4],
      [2, 4],
    ]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])('sees a cycle of %i calls, with other calls in between', (period) => {
    const cycle = repeat(3, (round) => [
      ...repeat(period, (n) => read(`file ${n}`, `text ${n}`)),
      ...read(`noise ${round}`, `noise ${round}`),
    ]);
    const counts = findings(noProgress, { events: cycle }).map(({ count }) => count);
    expect(counts).toEqual([...repeat(2 * period, () => [2]), ...repeat(2 * period, () => [3])]);
  });

  it('sees a cycle in any order', () => {
    const order = ['a', 'b', 'c', 'b', 'c', 'a', 'c', 'a', 'b'];
    const events = order.flatMap((path) => read(path, `text of ${path}`));
    const after = findings(noProgress, { events }).filter(({ facts }) => facts?.['when'] === 'after');
    expect(after.map(({ count, evidence }) => [count, evidence])).toEqual([
      [2, [2, 4]],
      [2, [3, 5]],
      [2, [1, 6]],
      [3, [3, 5, 7]],
      [3, [1, 6, 8]],
      [3, [2, 4, 9]],
    ]);
  });

  it('remembers as many results as the ledger, this one aside', () => {
    const most = MOST_REPEATS - 1;
    for (const [between, expected] of [
      [most - 2, ['before 2', 'after 2']],
      [most - 1, ['before 2', 'after 2']],
      [most, []],
    ] as const)
      expect(seen([...read(), ...others(between), ...read()]), `${between} between`).toEqual(expected);
  });

  it('counts as far as the ledger remembers and shows the last sixteen calls', () => {
    const all = findings(noProgress, { events: repeat(MOST_REPEATS + 3, () => read()) });
    expect(all.map(({ count }) => count)).toEqual([
      ...pairs(MOST_REPEATS),
      ...repeat(6, () => [MOST_REPEATS]),
    ]);
    expect(all.at(-1)?.evidence).toEqual(Array.from({ length: 16 }, (_, n) => n + MOST_REPEATS - 12));
  });

  it('waits for a second run even when the first is asked for', () => {
    expect(seen(read())).toEqual([]);
    expect(seen([...read(), call('read_file', { path: 'a.ts' })])).toEqual(['before 2']);
  });

  it('does not count calls whose results are not in, nor those that never ran', () => {
    expect(seen(repeat(4, () => [call('read_file', { path: 'a.ts' })]))).toEqual([]);
    for (const status of ['blocked', 'cancelled'])
      expect(seen(repeat(4, () => did('read_file', {}, 'no', status)))).toEqual([]);
  });

  it('counts what a person refused as a failure, as long as it is the same call', () => {
    const denied = (path: string, output = 'The user does not want this to be read.', status = 'denied') =>
      did('read_file', { path }, output, status);
    const found = findings(noProgress, { events: repeat(3, () => denied('a')) });
    expect(found.map(({ count, facts }) => [facts?.['when'], count, facts?.['failed']])).toEqual([
      ['before', 2, false],
      ['after', 2, true],
      ['before', 3, false],
      ['after', 3, true],
    ]);
    expect(seen(['a', 'b', 'c', 'd'].flatMap((path) => denied(path)))).toEqual([]);
    expect(seen(repeat(2, () => denied('a', 'Rejected by the user.', 'error')))).toEqual([
      'before 2',
      'after 2',
    ]);
    expect(seen([...denied('a'), user, ...denied('a')])).toEqual(['after 2']);
  });

  it('goes on counting after a compaction', () => {
    expect(seen([...read(), ...read(), { type: 'compaction' }, ...read()])).toEqual([
      'before 2',
      'after 2',
      'before 3',
      'after 3',
    ]);
  });

  it('starts anew when time was let pass, or another agent has changed something', () => {
    for (const between of [bash('sleep 30'), did('wait', { seconds: 9 }, 'done')])
      expect(seen([...read(), ...between, ...read()])).toEqual([]);
    const theirs = edit(1).map((event) => ({ ...event, agent: 'other' }) as AgentEvent);
    expect(seen([...read(), ...theirs, ...read()])).toEqual([]);
    const again = seen([...theirs, ...read(), ...theirs, ...read()]);
    expect(again.filter((told) => told.startsWith('after'))).toContain('after 2');
  });

  it('takes a remark behind a command for no part of it', () => {
    const remarked = ['ls', 'ls # look', 'ls # look again'].flatMap((command) => bash(command, 'a.ts'));
    expect(seen(remarked)).toEqual(['before 2', 'after 2', 'before 3', 'after 3']);
    expect(seen([...bash("echo 'a #1'", 'a #1'), ...bash("echo 'a #2'", 'a #1')])).toEqual([]);
  });

  it('passes over calls of which nothing is seen, which others count', () => {
    expect(seen(repeat(4, () => did('click', { at: 1 }, '')))).toEqual([]);
    expect(seen(repeat(2, () => did('click', { at: 1 }, 'clicked')))).toEqual(['before 2', 'after 2']);
  });

  it('does not forget what was known when a call never ran', () => {
    const refused = did('read_file', { path: 'a.ts' }, 'no', 'blocked');
    expect(seen([...read(), ...refused, ...read()])).toEqual(['before 2', 'before 2', 'after 2']);
  });

  it('counts a batch of the same call as one attempt, with the round shown or not', () => {
    const batch = together(read(), read(), read());
    expect(findings(noProgress, { events: [...batch, ...batch] }).map(({ evidence }) => evidence)).toEqual([
      [1, 4],
      [1, 5],
      [1, 6],
      [1, 4],
      [1, 5],
      [1, 6],
    ]);
    expect(seen(batch.slice(1))).toEqual([]);
  });

  it('takes a result for known again only as long as nobody has spoken and nothing has changed', () => {
    expect(seen([...read(), ...edit(1), ...read()])).toEqual([]);
    expect(seen([...read(), ...edit(1), ...read(), ...read()])).toEqual(['before 2', 'after 2']);
    expect(seen([...read(), user, ...read(), ...read()])).toEqual(['before 2', 'after 2']);
    expect(seen([...read(), ...did('edit', {}, 'no match', 'error'), ...read()])).toEqual([
      'before 2',
      'after 2',
    ]);
  });

  it('takes a failure for known whoever has spoken, unless something has changed', () => {
    const fail = bash('make', 'no rule to make target', 'error');
    expect(seen([...fail, user, ...fail])).toEqual(['after 2']);
    expect(seen([...fail, user, ...fail, ...fail])).toEqual(['after 2', 'before 3', 'after 3']);
    expect(seen([...fail, ...edit(1), ...fail])).toEqual([]);
  });

  it('does not take a change that was made before for a change', () => {
    const fail = bash('make', 'no rule to make target', 'error');
    expect(seen([...edit(1), ...fail, ...edit(1), ...fail])).toEqual([
      'before 2',
      'after 2',
      'before 2',
      'after 2',
    ]);
  });

  it('goes by what the user declares of a tool', () => {
    const counts = (declared: Record<string, Json>, events: readonly AgentEvent[]) => {
      const heard: number[] = [];
      const guard = createGuard({
        preset: only(noProgress),
        detectors: [noProgress],
        rulesFor: toolRules({ mine: declared }),
        onDecision: ({ finding }) => heard.push(finding.count),
      });
      for (const event of events) guard.accept(event);
      return heard;
    };
    const mine = (args: Json = {}) => did('mine', args, 'the same');
    const twice = [...mine(), ...mine()];
    expect(counts({}, twice)).toEqual([2, 2]);
    expect(counts({ poll: true }, twice)).toEqual([]);
    expect(counts({ noop: true }, twice)).toEqual([]);
    expect(counts({ identity: false }, twice)).toEqual([]);
    const between = [...read(), ...mine(), ...read()];
    expect(counts({}, between)).toEqual([2, 2]);
    expect(counts({ effect: 'write' }, between)).toEqual([]);
    expect(counts({ effect: 'none' }, between)).toEqual([2, 2]);
    const shell = (command: string) =>
      counts({ effect: 'shell' }, [...read(), ...mine({ command }), ...read()]);
    expect(shell('rm x')).toEqual([]);
    expect(shell('ls')).toEqual([2, 2]);
  });

  it('pairs a result with its call, however late', () => {
    const args = { path: 'a.ts' };
    const late = [
      call('read_file', args),
      ...read('b', 'x'),
      result('read_file', args, 'const a = 1;'),
      ...read(),
    ];
    expect(findings(noProgress, { events: late }).map(({ evidence }) => evidence)).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce } = noProgress.create('it', {}, { floor: 3, digestText: () => 0 });
    const counted = (repeats: number[]) =>
      reduce(
        null,
        { event: 'tool-result', tool: 't', sight: { repeats, family: 0, key: 1 } } as unknown as Entry,
        null,
      )?.[1]?.count;
    expect(counted([1, 2])).toBeUndefined();
    expect(counted([1, 2, 3])).toBe(3);
    expect(
      reduce(null, { event: 'tool-result', tool: 't', sight: null } as unknown as Entry, null),
    ).toBeNull();
  });

  it('needs no digests but those of the ledger, speaks before a call, and says how far it counts', () => {
    const plan = compilePlan(only(noProgress), { kinds: [noProgress] });
    expect(plan.detectors.find(({ name }) => name === 'it')).toMatchObject({
      needs: [],
      blocks: true,
      maxCount: MOST_REPEATS,
    });
    expect(plan.names).toEqual(['#ledger', 'it']);
  });
});
