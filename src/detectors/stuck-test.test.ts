import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { type AgentEvent, compilePlan, createGuard, type Entry } from '../core/index.ts';
import { stuckTest } from './stuck-test.ts';

const RED = 'FAILED parser.test.ts > keeps the last token: expected 3 to be 4';
const bash = (command: string, output = '', status = 'ok') => did('bash', { command }, output, status);
const test = (output = RED, command = 'npm test') => bash(command, output, 'error');
const edit = (text: number, status = 'ok') => did('edit', { path: 'a.ts', text }, 'done', status);
const stateChange: AgentEvent = { type: 'state-change' };
const counts = (events: readonly AgentEvent[]) => findings(stuckTest, { events }).map(({ count }) => count);
const stateAfter = (events: readonly AgentEvent[]) => {
  const guard = createGuard({ preset: only(stuckTest), detectors: [stuckTest] });
  for (const event of events) guard.accept(event);
  return guard.state.agents[0]?.detectors[guard.state.detectors.indexOf('it')];
};

testDetector(stuckTest, {
  loops: [
    {
      name: 'a failure that no edit moves',
      events: repeat(5, (n) => [...test(), ...edit(n)]),
      counts: [2, 3, 4, 5],
    },
    {
      name: 'a tool of which nothing is known',
      events: repeat(4, (n) => [...did('run_tests', {}, RED, 'error'), ...edit(n)]),
      counts: [2, 3, 4],
    },
    {
      name: 'durations, hashes and line numbers move',
      events: repeat(3, (n) => [
        ...test(`${RED}\n  at parser.ts:1${n}:5\n  commit 4f2a9b${n}c1d, 1 failed in 1.${n} s`),
        ...edit(n),
      ]),
      counts: [2, 3],
    },
    {
      name: 'changes made in a shell',
      events: ['sed -i s/a/b/ a.ts', 'pip install requests', 'cat > a.ts <<EOF\nx\nEOF'].flatMap(
        (command) => [...test(), ...bash(command)],
      ),
      counts: [2, 3],
    },
    {
      name: 'lookups, thoughts and other tests in between',
      events: repeat(3, (n) => [
        ...edit(n),
        ...did('read_file', { n }, `text ${n}`),
        ...did('think', {}, 'ok'),
        ...test(`other failure ${n}`, 'npm run e2e'),
        ...test(),
      ]),
      counts: [2, 3],
    },
    {
      name: 'two tests that do not move',
      events: repeat(3, (n) => [...edit(n), ...test(), ...test('cannot compile main.ts', 'npm run build')]),
      counts: [2, 2, 3, 3],
    },
    {
      name: 'across words from the user',
      events: repeat(3, (n) => [...edit(n), ...test(), user]),
      counts: [2, 3],
    },
  ],
  healthy: [
    {
      name: 'failures that get fewer',
      events: [13, 10, 7, 4].flatMap((n) => [...test(`${n} failed`), ...edit(n)]),
      counts: [],
    },
    {
      name: 'a failure that moves on',
      events: repeat(5, (n) => [...test(`FAILED step ${n}`), ...edit(n)]),
      counts: [],
    },
    {
      name: 'red, green, red, green',
      events: repeat(4, (n) => [...test(), ...edit(n), ...bash('npm test', '9 passed')]),
      counts: [],
    },
    {
      name: 'the same mistake, further down each time',
      events: repeat(6, (n) => [...test(`a.c:${20 + 9 * n}:5: error: unknown type`, 'make'), ...edit(n)]),
      counts: [],
    },
    {
      name: 'the same mistake, further down each time, in a script',
      events: repeat(6, (n) => [
        ...test(
          `  File "a.py", line ${20 + 9 * n}\n    print x\n    ^^^^^\nSyntaxError: Missing parentheses`,
        ),
        ...edit(n),
      ]),
      counts: [],
    },
    {
      name: 'one version after the other',
      events: repeat(9, (n) => [...test(), ...bash('git bisect bad', `${9 - n} left`)]),
      counts: [2],
    },
    {
      name: 'repeats without a change, which others count',
      events: [...repeat(4, () => test()), ...edit(1, 'error'), ...test()],
      counts: [],
    },
    {
      name: 'a search that finds nothing after each edit',
      events: repeat(5, (n) => [...edit(n), ...bash('grep -r needle src', '', 'error')]),
      counts: [],
    },
    {
      name: 'a service that is down',
      events: repeat(5, (n) => [...edit(n), ...bash('npm run deploy', '429 too many requests', 'error')]),
      counts: [],
    },
    {
      name: 'a warning that stays',
      events: repeat(5, (n) => [...edit(n), ...bash('npm run build', 'built, with 1 warning')]),
      counts: [],
    },
    {
      name: 'another failing tool, which others count',
      events: repeat(5, (n) => [...edit(n), ...did('query', { sql: 'x' }, 'no such table', 'error')]),
      counts: [],
    },
    {
      name: 'a wait that times out',
      events: repeat(5, (n) => [
        ...edit(n),
        ...bash('sleep 9; curl localhost', 'connection refused', 'error'),
      ]),
      counts: [],
    },
  ],
});

describe('stuck-test, by gist', () => {
  const gists = (events: readonly AgentEvent[]) =>
    findings(stuckTest, { events, options: { by: 'gist' } }).map(({ count }) => count);
  const tried = (n: number, run: (index: number) => readonly AgentEvent[]) =>
    gists(repeat(n, (index) => [...run(index), ...edit(index)]));

  it('goes by the lines that tell what is wrong, whatever else is printed and however it is run', () => {
    expect(tried(4, (n) => test(`seed ${7 * n}\n${RED}`))).toEqual([2, 3, 4]);
    expect(tried(4, (n) => test(RED, `npm test -- --seed=${n}`))).toEqual([2, 3, 4]);
    expect(tried(4, (n) => test(RED, n % 2 === 0 ? 'npm test' : 'pytest'))).toEqual([]);
  });

  it('sees two failures that take turns, and no third one', () => {
    expect(tried(6, (n) => test(`FAILED case ${n % 2}`))).toEqual([2, 3, 4, 5]);
    expect(tried(6, (n) => test(`FAILED case ${n % 3}`))).toEqual([]);
  });

  it('takes another name in the same place for another guess, and in another for progress', () => {
    const missing = (n: number, place: string) => test(`${place}: error TS2307: Cannot find module 'x${n}'`);
    expect(tried(4, (n) => missing(n, 'a.ts(1,20)'))).toEqual([2, 3, 4]);
    expect(tried(4, (n) => missing(n, `a.ts(${n + 1},20)`))).toEqual([]);
    expect(tried(4, (n) => missing(n, `a${n}.ts(1,20)`))).toEqual([]);
    expect(tried(4, (n) => test(`ModuleNotFoundError: No module named 'x${n}'`))).toEqual([]);
  });

  it('lets the narrower rule speak', () => {
    expect(tried(4, () => test())).toEqual([]);
    expect(tried(4, (n) => test(n === 2 ? `slow\n${RED}` : RED))).toEqual([3, 4]);
  });

  it('starts anew when the program succeeds, and leaves alone what checks nothing', () => {
    const laps = [test(), test(`slow\n${RED}`), bash('npm test', '9 passed'), test(`x\n${RED}`)];
    expect(tried(4, (n) => laps[n] as AgentEvent[])).toEqual([2]);
    expect(tried(4, (n) => test(RED, `node check.js ${n}`))).toEqual([]);
    expect(tried(4, (n) => did('run_tests', { n }, RED, 'error'))).toEqual([]);
  });
});

describe('stuck-test', () => {
  it('tells the command and one call for each change', () => {
    const found = findings(stuckTest, { events: [...test(), ...test(), ...edit(1), ...test(), ...test()] });
    expect(found).toEqual([
      {
        detector: 'it',
        subject: expect.stringMatching(/^bash#[0-9a-z]+$/),
        count: 2,
        call: 4,
        evidence: [1, 4],
        facts: { tool: 'bash' },
      },
    ]);
  });

  it('names each command by itself, whatever is for show', () => {
    const subject = (command: string) =>
      findings(stuckTest, { events: repeat(2, (n) => [...edit(n), ...test(RED, command)]) })[0]?.subject;
    expect(subject('npm test')).not.toBe(subject('npm run e2e'));
    const described = repeat(2, (n) => [
      ...edit(n),
      ...did('bash', { command: 'npm test', description: `try ${n}` }, RED, 'error'),
    ]);
    expect(findings(stuckTest, { events: described })[0]?.subject).toBe(subject('npm test'));
  });

  it('shows the last four calls of a long row', () => {
    const all = findings(stuckTest, { events: repeat(12, (n) => [...edit(n), ...test()]) });
    expect(all.map(({ count }) => count)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(all.at(-1)?.evidence).toEqual([18, 20, 22, 24]);
  });

  it('starts anew when the failure moves, and when the command succeeds', () => {
    const moved = [...test(), ...edit(1), ...test(), ...edit(2), ...test('FAILED in another way')];
    expect(counts([...moved, ...edit(3), ...test()])).toEqual([2]);
    expect(counts([...moved, ...edit(3), ...test('FAILED in another way')])).toEqual([2, 2]);
    const green = bash('npm test', '9 passed');
    expect(counts([...test(), ...edit(1), ...green, ...edit(2), ...test()])).toEqual([]);
    expect(stateAfter([...test(), ...test(RED, 'make'), ...green])).toHaveLength(1);
  });

  it('does not start anew over a run that never took place', () => {
    for (const status of ['blocked', 'denied', 'cancelled'])
      expect(
        counts([...test(), ...edit(1), ...bash('npm test', 'not run', status), ...test()]),
        status,
      ).toEqual([2]);
  });

  it('counts a change that the host tells, and not one that was made before', () => {
    expect(counts([...test(), stateChange, ...test(), stateChange, ...test()])).toEqual([2, 3]);
    expect(counts([...edit(1), ...test(), ...edit(1), ...test()])).toEqual([]);
  });

  it('counts what another agent has changed, and time that was let pass', () => {
    const theirs = edit(1).map((event) => ({ ...event, agent: 'other' }) as AgentEvent);
    expect(counts([...test(), ...theirs, ...test()])).toEqual([2]);
    expect(counts([...test(), ...bash('sleep 30'), ...test()])).toEqual([2]);
    expect(counts([...test(), { type: 'compaction' }, ...test()])).toEqual([]);
  });

  it('counts several changes at once as one attempt', () => {
    expect(counts([...test(), ...edit(1), ...edit(2), ...edit(3), ...test()])).toEqual([2]);
    expect(counts([turn, ...test(), turn, ...edit(1), ...edit(2), turn, ...test()])).toEqual([2]);
  });

  it('goes by the failure, whatever it is taken for', () => {
    const schema = 'pydantic.ValidationError: 1 validation error for User';
    expect(counts(repeat(3, (n) => [...edit(n), ...test(schema)]))).toEqual([2, 3]);
    expect(counts(repeat(3, (n) => [...edit(n), ...bash('npm test', RED, 'invalid')]))).toEqual([2, 3]);
  });

  it('keeps one row a command: digests, world, count, calls, place', () => {
    const digest = expect.any(Number);
    expect(stateAfter([...test(), ...edit(1), ...test(RED, 'make'), ...test()])).toEqual([
      [digest, digest, 0, 1, 2, [1, 4], 0, digest],
      [digest, digest, 0, 1, 1, [3], 0, digest],
    ]);
    expect(stateAfter([...test(), ...edit(1), ...test('other')])).toEqual([
      [digest, digest, 0, 1, 1, [3], 0, digest],
    ]);
  });

  it('remembers four failing commands, the longest quiet forgotten first', () => {
    const once = repeat(4, (n) => test(RED, `make ${n}`));
    expect(counts([...once, ...edit(1), ...test(RED, 'make 0')])).toEqual([2]);
    const more = [...once, ...test(RED, 'make more'), ...edit(1)];
    expect(counts([...more, ...test(RED, 'make 0')])).toEqual([]);
    expect(counts([...more, ...test(RED, 'make 1')])).toEqual([2]);
    expect(stateAfter(once)).toHaveLength(4);
    expect(stateAfter(more)).toHaveLength(4);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce } = stuckTest.create('it', { by: 'words' }, { floor: 3, digestText: () => 0 });
    const sight = { kind: 'shell', status: 'error', family: 1, key: 1, outcome: 1, deeds: 9, place: 0 };
    const entry = { call: 9, tool: 't' };
    const counted = (before: number) =>
      reduce([[1, 1, 0, 0, before, [1], 0, 0]], { ...entry, sight } as unknown as Entry, null)?.[1]?.count;
    expect(counted(1)).toBeUndefined();
    expect(counted(2)).toBe(3);
    expect(reduce([], { ...entry, sight: null } as unknown as Entry, null)).toBeNull();
  });

  it('needs no digests but those of the ledger, and says how far it counts', () => {
    const plan = compilePlan(only(stuckTest), { kinds: [stuckTest] });
    expect(plan.detectors.find(({ name }) => name === 'it')).toMatchObject({
      needs: [],
      maxCount: 1_000_000,
    });
    expect(plan.names).toEqual(['#ledger', 'it']);
  });
});
