import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { type AgentEvent, compilePlan, createGuard, type Entry, type Json } from '../core/index.ts';
import { MOST_ALIKE } from '../core/ledger.ts';
import { type RepeatedFailureOptions, repeatedFailure } from './repeated-failure.ts';

const words: RepeatedFailureOptions = { by: 'words' };
const family: RepeatedFailureOptions = { by: 'family' };
const tool: RepeatedFailureOptions = { by: 'tool' };

const NO_MATCH = 'the text to replace was not found';
const fail = (args: Json, output: string = NO_MATCH, name = 'edit') => did(name, args, output, 'error');
const column = (name: string) => fail({ sql: `select ${name}` }, `no such column: "${name}"`, 'query');
const syntax = (n: number) => fail({ sql: `selct ${n}` }, 'syntax error near selct', 'query');
const bash = (command: string, output: string, status = 'ok') => did('bash', { command }, output, status);
const edit = (text: number) => did('edit', { text }, 'done');
const read = (n: number) => did('read_file', { n }, `text ${n}`);
const stateChange: AgentEvent = { type: 'state-change' };
/** A round of parallel calls: all calls first, then the results. */
const together = (...runs: AgentEvent[][]): AgentEvent[] => [
  turn,
  ...runs.map(([first]) => first as AgentEvent),
  ...runs.map(([, second]) => second as AgentEvent),
];
const seen = (options: RepeatedFailureOptions, events: readonly AgentEvent[]) =>
  findings(repeatedFailure, { options, events });
const counts = (options: RepeatedFailureOptions, events: readonly AgentEvent[]) =>
  seen(options, events).map(({ count }) => count);
const stateAfter = (options: RepeatedFailureOptions, events: readonly AgentEvent[]) => {
  const guard = createGuard({ preset: only(repeatedFailure, options), detectors: [repeatedFailure] });
  for (const event of events) guard.accept(event);
  return guard.state.agents[0]?.detectors[guard.state.detectors.indexOf('it')];
};

testDetector(repeatedFailure, {
  loops: [
    { name: 'one error for other arguments', events: repeat(4, (n) => fail(n)), counts: [2, 3, 4] },
    {
      name: 'times, hashes and line numbers move',
      events: repeat(3, (n) => fail(n, `12:0${n}:00 4f2a9b${n}c1d main.ts:1${n}: cannot read`)),
      counts: [2, 3],
    },
    {
      name: 'other calls and thoughts in between',
      events: repeat(3, (n) => [
        ...fail(n),
        ...read(n),
        ...did('think', {}, 'ok'),
        ...did('query', n, 'rows'),
      ]),
      counts: [2, 3],
    },
    {
      name: 'a batch that fails in each round',
      events: repeat(3, (n) => together(fail([n, 1]), fail([n, 2]), fail([n, 3]))),
      counts: [2, 2, 2, 3, 3, 3],
    },
    {
      name: 'arguments that are refused',
      events: repeat(3, (n) => did('t', n, 'path must be a string', 'invalid')),
      counts: [2, 3],
    },
    {
      name: 'commands that fail in the same words, as Node tells of it, whatever the status',
      events: ['error', 'ok', 'unknown'].flatMap((status) =>
        bash(
          `docker run ${status}`,
          `Command failed: docker run ${status}\nCannot reach the daemon\n`,
          status,
        ),
      ),
      counts: [2, 3],
    },
    {
      name: 'names that are guessed',
      options: family,
      events: ['id', 'uid', 'user_id', 'userId'].flatMap((name) => column(name)),
      counts: [2, 3, 4],
    },
    {
      name: 'paths and numbers that are guessed',
      options: family,
      events: repeat(3, (n) => fail(n, `/srv/app/${n}/main.ts: no such file (${n})`, 'read_file')),
      counts: [2, 3],
    },
    {
      name: 'a status that cannot be asked for',
      options: family,
      events: repeat(3, () => did('get_status', { job: 1 }, 'there is no job of this name', 'error')),
      counts: [2, 3],
    },
    {
      name: 'one tool, another error each time',
      options: tool,
      events: ['bad gate', 'wrong key', 'no such row', 'syntax'].flatMap((text, n) => fail(n, text)),
      counts: [2, 3, 4],
    },
  ],
  healthy: [
    { name: 'successes', events: repeat(5, (n) => did('edit', n, NO_MATCH)), counts: [] },
    {
      name: 'one batch that fails in one way',
      events: together(fail(1), fail(2), fail(3), fail(4)),
      counts: [],
    },
    {
      name: 'ids tried one by one, each with its own error',
      events: repeat(6, (n) => fail(n, `order ${n} does not exist`, 'get_order')),
      counts: [],
    },
    {
      name: 'failures that get fewer',
      events: [13, 10, 7, 4].flatMap((n) => [...bash('npm test', `${n} tests failed`, 'error'), ...edit(n)]),
      counts: [],
    },
    {
      name: 'errors too short to tell',
      events: repeat(5, (n) => fail(n, 'not found')),
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
      name: 'a service that is down',
      events: repeat(5, (n) => fail(n, 'HTTP 503 Service Unavailable', 'fetch')),
      counts: [],
    },
    {
      name: 'a job that is not ready yet',
      events: repeat(5, () => did('get_status', { job: 1 }, 'the job is still running')),
      counts: [],
    },
    {
      name: 'one error after each of several edits',
      events: repeat(5, (n) => [...fail(n), ...edit(n)]),
      counts: [],
    },
    {
      name: 'a search that finds nothing',
      events: repeat(5, (n) => bash(`grep ${n} src`, 'exit code 1', 'error')),
      counts: [],
    },
    {
      name: 'a search that finds nothing, as Node tells of it',
      options: family,
      events: repeat(14, (n) => bash(`grep ${n} src`, `Command failed: grep ${n} src\n`, 'error')),
      counts: [],
    },
    {
      name: 'a guess that is right after two',
      options: family,
      events: repeat(3, (n) => [...column(`a${n}`), ...column(`b${n}`), ...did('query', { n }, 'rows')]),
      counts: [2, 2, 2],
    },
    {
      name: 'failures that get fewer, by their kind',
      options: family,
      events: [13, 10, 7, 4, 1].flatMap((n) => [
        ...bash('npm test', `${n} tests failed`, 'error'),
        ...edit(n),
      ]),
      counts: [],
    },
    {
      name: 'one kind of error in other words, told by another',
      options: tool,
      events: ['id', 'uid', 'user_id', 'userId'].flatMap((name) => column(name)),
      counts: [],
    },
    {
      name: 'the same words, told by another',
      options: family,
      events: repeat(5, (n) => fail(n)),
      counts: [2],
    },
    {
      name: 'commands that fail while code changes',
      options: tool,
      events: repeat(6, (n) => [...bash('npm test', `test ${'abcdef'[n]} is broken`, 'error'), ...edit(n)]),
      counts: [],
    },
  ],
});

describe('repeated-failure', () => {
  const kinds = [words, family, tool];

  /** A failure of one tool; by tool, of another kind each time. */
  const failing = (options: RepeatedFailureOptions, n: number, name = 'edit') =>
    fail(n, options === tool ? `it failed ${'in some strange way'.slice(n)}` : NO_MATCH, name);

  it('tells the tool, the kind of error and the calls', () => {
    for (const options of kinds) {
      const [found, ...more] = seen(options, [...failing(options, 1), ...read(1), ...failing(options, 2)]);
      expect(more).toEqual([]);
      expect(found).toMatchObject({ detector: 'it', count: 2, call: 3, evidence: [1, 3] });
      expect(found?.facts).toEqual({ tool: 'edit' });
      expect(found?.subject).toMatch(options === tool ? /^edit$/ : /^edit![0-9a-z]+$/);
    }
  });

  it('names one kind of error alike, and others not', () => {
    const subject = (options: RepeatedFailureOptions, text: string) =>
      seen(
        options,
        repeat(2, (n) => fail(n, text)),
      )[0]?.subject;
    for (const options of [words, family]) {
      expect(subject(options, 'cannot find "a" in file 1')).toBe(
        subject(options, 'cannot find "b" in file 2'),
      );
      expect(subject(options, 'cannot find "a" in file 1')).not.toBe(subject(options, 'cannot open file 1'));
    }
  });

  it('keeps tools and statuses apart', () => {
    for (const options of kinds)
      expect(counts(options, [...fail(1), ...fail(2, NO_MATCH, 'write'), ...fail(3, NO_MATCH, 'x')])).toEqual(
        [],
      );
    const refused = did('edit', 2, NO_MATCH, 'invalid');
    expect(counts(words, [...fail(1), ...refused])).toEqual([]);
    expect(counts(family, [...fail(1), ...refused])).toEqual([]);
    expect(counts(tool, [...fail(1), ...refused])).toEqual([2]);
  });

  it('counts every kind of failure, and no other ending', () => {
    const ended = (options: RepeatedFailureOptions, status: string, times: number) =>
      counts(
        options,
        repeat(times, (n) =>
          did(
            't',
            n,
            options === tool ? ['no way to do this', 'no door', 'no key'][n] : 'no way to do this',
            status,
          ),
        ),
      );
    for (const options of kinds) {
      for (const status of ['error', 'invalid', 'unknown-tool'])
        expect(ended(options, status, 2), status).toEqual([2]);
      for (const status of ['ok', 'denied', 'cancelled', 'blocked', 'unknown'])
        expect(ended(options, status, 3), status).toEqual([]);
    }
  });

  it('passes over outages, which neither count nor end a row', () => {
    const down = (n: number) => fail(n, '429 too many requests', 'query');
    for (const options of kinds) {
      const row = (n: number) => failing(options, n, 'query');
      expect(counts(options, repeat(3, down))).toEqual([]);
      expect(counts(options, [...row(1), ...down(2), ...row(3)])).toEqual([2]);
    }
  });

  it('counts failures of polls, but not by words: the ledger keeps none of them', () => {
    const poll = (n: number) => did('get_status', { n }, `the job has failed with "${n}"`, 'error');
    expect(counts(family, repeat(3, poll))).toEqual([2, 3]);
    const same = repeat(4, () => did('get_status', {}, 'there is no job of this name', 'error'));
    expect([counts(words, same), counts(family, same)]).toEqual([[], [2, 3, 4]]);
    expect(counts(family, [...poll(1), ...did('get_status', {}, 'done'), ...poll(2)])).toEqual([]);
    expect(counts(family, [...fail(1), ...did('get_status', {}, 'done'), ...fail(2)])).toEqual([2]);
  });

  it('leaves the same words to the narrower one, and one kind of error, too', () => {
    // The same words from the third time on; before that they may be chance.
    expect(
      counts(
        family,
        repeat(6, (n) => fail(n)),
      ),
    ).toEqual([2]);
    expect(
      counts(family, [...repeat(4, (n) => fail(n, 'no such column: "a"', 'query')), ...column('b')]),
    ).toEqual([2, 5]);
    expect(
      counts(
        tool,
        repeat(6, (n) => fail(n)),
      ),
    ).toEqual([]);
    expect(counts(tool, [...column('a'), ...column('b'), ...syntax(1), ...column('c')])).toEqual([3, 4]);
    // Once of several kinds, always of several kinds.
    expect(counts(tool, [...column('a'), ...syntax(1), ...syntax(2), ...syntax(3)])).toEqual([2, 3, 4]);
  });

  describe('by words', () => {
    it('needs sixteen characters', () => {
      const sized = (size: number) =>
        counts(
          words,
          repeat(3, (n) => fail(n, 'abcdefghijklmnopqr'.slice(0, size))),
        );
      expect(sized(15)).toEqual([]);
      expect(sized(16)).toEqual([2, 3]);
      expect(sized(17)).toEqual([2, 3]);
    });

    it('measures what is not masked', () => {
      const masked = (hash: string) =>
        counts(
          words,
          repeat(3, (n) => fail(n, `${hash}: no luck`)),
        );
      expect(masked('4f2a9b4c1d4f2a9b4c1d4f2a9b4c1d')).toEqual([]);
      expect(masked('the hash of the whole')).toEqual([2, 3]);
    });

    it('looks at the last ten results', () => {
      const far = (between: number) => counts(words, [...fail(1), ...repeat(between, read), ...fail(2)]);
      expect(far(8)).toEqual([2]);
      expect(far(9)).toEqual([2]);
      expect(far(10)).toEqual([]);
    });

    it('counts as far as the ledger looks back', () => {
      const all = seen(
        words,
        repeat(14, (n) => fail(n)),
      );
      expect(all.map(({ count }) => count)).toEqual(repeat(13, (n) => [Math.min(n + 2, MOST_ALIKE)]));
      expect(all.at(-1)?.evidence).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    });

    it('starts anew when a person has spoken', () => {
      expect(counts(words, [...fail(1), ...fail(2), user, ...fail(3), ...fail(4)])).toEqual([2, 2]);
    });

    it('starts anew when something has changed, and not when something has worked', () => {
      expect(counts(words, [...fail(1), ...edit(1), ...fail(2), ...fail(3)])).toEqual([2]);
      expect(counts(words, [...edit(1), ...fail(1), ...edit(1), ...fail(2)])).toEqual([2]);
      expect(counts(words, [...fail(1), stateChange, ...fail(2), ...fail(3)])).toEqual([2]);
      expect(counts(words, [...fail(1), ...bash('sleep 9', ''), ...fail(2), ...fail(3)])).toEqual([2]);
      expect(counts(words, [...fail(1), ...read(1), ...fail(2)])).toEqual([2]);
    });

    it('keeps nothing of its own', () => {
      expect(
        stateAfter(
          words,
          repeat(4, (n) => fail(n)),
        ),
      ).toEqual([]);
    });
  });

  describe('by family', () => {
    it('ends with a success of the tool, or with another kind of error', () => {
      expect(counts(family, [...column('a'), ...did('query', {}, 'rows'), ...column('b')])).toEqual([]);
      expect(counts(family, [...column('a'), ...read(1), ...column('b')])).toEqual([2]);
      expect(counts(family, [...column('a'), ...column('b'), ...syntax(1), ...column('c')])).toEqual([2]);
    });

    it('ends for all tools with a new change, and when the host tells of one', () => {
      expect(counts(family, [...column('a'), ...edit(1), ...column('b')])).toEqual([]);
      expect(counts(family, [...edit(1), ...column('a'), ...edit(1), ...column('b')])).toEqual([2]);
      expect(counts(family, [...column('a'), stateChange, ...column('b')])).toEqual([]);
      expect(stateAfter(family, [...column('a'), ...edit(1)])).toEqual([]);
    });

    it('goes on after a word from the user', () => {
      expect(counts(family, [...column('a'), user, ...column('b')])).toEqual([2]);
    });

    it('does not end with a call that was denied, or of which nothing is known', () => {
      const ending = (output: string, status: string) =>
        counts(family, [...column('a'), ...did('query', {}, output, status), ...column('b')]);
      for (const status of ['denied', 'cancelled', 'blocked']) expect(ending('x', status)).toEqual([2]);
      expect(ending('', 'unknown')).toEqual([2]);
      expect(ending('x', 'unknown')).toEqual([]);
    });

    it('counts a round once', () => {
      const round = (n: number) => together(column(`a${n}`), column(`b${n}`));
      expect(counts(family, [...round(1), ...round(2), ...round(3)])).toEqual([2, 3]);
      expect(seen(family, [...round(1), ...round(2)])).toMatchObject([{ evidence: [1, 3], call: 3 }]);
    });

    it('shows the last four calls of a long row', () => {
      const all = seen(
        family,
        repeat(40, (n) => column(`c${n}`)),
      );
      expect(all.at(-1)).toMatchObject({ count: 40, evidence: [37, 38, 39, 40] });
    });
  });

  describe('by tool', () => {
    it('ends with a success of the tool', () => {
      expect(counts(tool, [...column('a'), ...syntax(1), ...did('query', 2, 'rows'), ...syntax(2)])).toEqual([
        2,
      ]);
      expect(counts(tool, [...column('a'), ...read(1), ...syntax(1)])).toEqual([2]);
    });

    it('ends for all tools with a new change, not with one that was made before', () => {
      const write = (n: number) => did('write_file', { n }, 'done');
      expect(counts(tool, [...column('a'), ...write(1), ...syntax(2)])).toEqual([]);
      expect(counts(tool, [...write(1), ...column('a'), ...write(1), ...syntax(2)])).toEqual([2]);
      expect(stateAfter(tool, [...column('a'), ...write(1)])).toEqual([]);
    });

    it('ends with what another agent has changed', () => {
      const theirs = did('write_file', {}, 'done').map(
        (event) => ({ ...event, agent: 'other' }) as AgentEvent,
      );
      expect(counts(tool, [...column('a'), ...theirs, ...syntax(1)])).toEqual([]);
    });

    it('ends when the host says that the world moved', () => {
      expect(counts(tool, [...column('a'), stateChange, ...syntax(1)])).toEqual([]);
      expect(stateAfter(tool, [...fail(1), stateChange])).toEqual([]);
    });

    it('takes the programs of a shell apart', () => {
      const test = (name: string) => bash('npm test', `${name} is broken`, 'error');
      const make = bash('cd app && make all', 'no rule to make it', 'error');
      expect(counts(tool, [...test('one test'), ...make, ...test('this')])).toEqual([2]);
      expect(counts(tool, [...test('one test'), ...bash('ls', 'a.ts'), ...test('this')])).toEqual([2]);
      const clean = bash('CI=1 npm run lint', 'clean');
      expect(counts(tool, [...test('one test'), ...clean, ...test('this')])).toEqual([]);
    });

    it('counts a round once', () => {
      const round = (n: number) => together(fail([n, 1], 'one'), fail([n, 2], 'two'));
      const other = (n: number) => together(fail([n, 1], 'three'), fail([n, 2], 'two'));
      expect(counts(tool, [...round(1), ...other(2), ...round(3)])).toEqual([2, 3]);
      // Only the first failure of a round is looked at.
      expect(counts(tool, [...round(1), ...round(2), ...round(3)])).toEqual([]);
    });
  });

  it('keeps one row a tool: digests, round, count, calls', () => {
    const digest = expect.any(Number);
    expect(stateAfter(family, [...column('a'), ...fail(1), ...column('b')])).toEqual([
      [digest, digest, 3, 2, [1, 3]],
      [digest, digest, 2, 1, [2]],
    ]);
    expect(stateAfter(tool, [...column('a'), ...syntax(1)])).toEqual([[digest, 0, 2, 2, [1, 2]]]);
    const [row] = stateAfter(tool, [...fail(1), ...fail(2)]) as number[][];
    expect(row).toEqual([digest, digest, 2, 2, [1, 2]]);
    expect(row?.[1]).toBeGreaterThan(0);
    expect(stateAfter(tool, [...fail(1), ...column('a'), ...did('edit', 2, '')])).toEqual([]);
    expect(stateAfter(family, [...fail(1), ...column('a'), ...did('query', 2, 'rows')])).toEqual([
      [digest, digest, 1, 1, [1]],
    ]);
  });

  it('remembers four failing tools, the longest quiet forgotten first', () => {
    for (const options of [family, tool]) {
      const once = repeat(4, (n) => failing(options, 1, `tool ${n}`));
      expect(counts(options, [...once, ...failing(options, 9, 'tool 0')])).toEqual([2]);
      const more = [...once, ...failing(options, 9, 'one more')];
      expect(counts(options, [...more, ...failing(options, 10, 'tool 0')])).toEqual([]);
      expect(counts(options, [...more, ...failing(options, 10, 'tool 1')])).toEqual([2]);
      expect(stateAfter(options, once)).toHaveLength(4);
      expect(stateAfter(options, more)).toHaveLength(4);
    }
  });

  it('needs no digests but those of the ledger, and says how far it counts', () => {
    const detector = (options: RepeatedFailureOptions) =>
      compilePlan(only(repeatedFailure, options), { kinds: [repeatedFailure] }).detectors.find(
        ({ name }) => name === 'it',
      );
    expect(kinds.map((options) => detector(options)?.maxCount)).toEqual([MOST_ALIKE, 1_000_000, 1_000_000]);
    expect(detector(words)?.needs).toEqual([]);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce } = repeatedFailure.create('it', words, { floor: 3, digestText: () => 0 });
    const counted = (alike: number[]) =>
      reduce([], { tool: 't', sight: { alike, status: 'error', family: 1 } } as unknown as Entry, null)?.[1]
        ?.count;
    expect(counted([1, 2])).toBeUndefined();
    expect(counted([1, 2, 3])).toBe(3);
    expect(reduce([], { tool: 't', sight: null } as unknown as Entry, null)).toBeNull();
  });
});
