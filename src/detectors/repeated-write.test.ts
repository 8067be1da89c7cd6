import { describe, expect, it } from 'vitest';
import { did, findings, only, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { type AgentEvent, compilePlan, createGuard, type Entry, toolRules } from '../core/index.ts';
import { MAX_MADE } from '../core/ledger-rows.ts';
import { repeatedWrite } from './repeated-write.ts';
import { UNBOUNDED } from './streak.ts';
import { MAX_EVIDENCE } from './trail.ts';

const edit = (text: number, output = 'done') => did('edit', { path: 'a.ts', text }, output);
const bash = (command: string, output = '', status = 'ok') => did('bash', { command }, output, status);
const others = (n: number) => repeat(n, (index) => did('write_file', { index }, 'done'));
const counts = (events: readonly AgentEvent[]) =>
  findings(repeatedWrite, { events }).map(({ count }) => count);

testDetector(repeatedWrite, {
  loops: [
    { name: 'an edit that succeeds again and again', events: repeat(4, () => edit(1)), counts: [2, 3, 4] },
    {
      name: 'whatever it prints',
      events: repeat(3, (n) => edit(1, `written, ${n + 1} lines now`)),
      counts: [2, 3],
    },
    {
      name: 'an import that the linter takes away again',
      events: repeat(3, () => [...edit(1), ...bash('npm run lint', 'removed 1 unused import')]),
      counts: [2, 3],
    },
    {
      name: 'two edits that undo each other',
      events: repeat(3, () => [...edit(1), ...edit(2)]),
      counts: [2, 2, 3, 3],
    },
    {
      name: 'an edit again and again, while others are made',
      events: repeat(3, (n) => [...edit(1), ...edit(10 + n), ...did('think', {}, 'ok')]),
      counts: [2, 3],
    },
    {
      name: 'a change in a shell, with nothing else changed',
      events: repeat(3, () => [...bash("sed -i 's/a/b/' a.ts"), ...bash('cat a.ts', 'const b = 1;')]),
      counts: [2, 3],
    },
    {
      name: 'across words from the user',
      events: repeat(3, () => [...edit(1), user]),
      counts: [2, 3],
    },
    {
      name: 'an act in a row, whatever it brings',
      events: repeat(4, (n) => [
        ...did('create_ticket', { title: 'a' }, `Ticket ${n}`),
        ...did('think', { n }, 'ok'),
      ]),
      counts: [2, 3, 4],
    },
  ],
  healthy: [
    { name: 'another edit each time', events: repeat(6, (n) => edit(n)), counts: [] },
    {
      name: 'edit, test, edit, test',
      events: repeat(5, (n) => [...edit(n), ...bash('npm test', '1 failed', 'error')]),
      counts: [],
    },
    {
      name: 'an install and a commit after each edit',
      events: repeat(5, (n) => [...edit(n), ...bash('pip install -e .', 'ok'), ...bash('git add -A')]),
      counts: [],
    },
    {
      name: 'an edit that fails until it fits',
      events: [
        ...repeat(4, () => did('edit', { text: 1 }, 'no match', 'error')),
        ...did('edit', { text: 1 }),
      ],
      counts: [],
    },
    {
      name: 'edits that were not made',
      events: ['denied', 'cancelled', 'blocked', 'denied'].flatMap((status) =>
        did('edit', { text: 1 }, 'no', status),
      ),
      counts: [],
    },
    {
      name: 'lookups, plans and steps, as often as they like',
      events: repeat(5, () => [
        ...did('read_file', { path: 'a' }, 'text'),
        ...did('TodoWrite', { todos: [] }, 'ok'),
        ...did('press', { key: 'Down' }, 'ok'),
        ...bash('npm test 2>&1', '1 failed', 'error'),
        ...bash('ls > /dev/null'),
      ]),
      counts: [],
    },
    {
      name: 'what is done, not set down: it may be meant again',
      events: repeat(4, (n) => [
        ...edit(n),
        ...did('save', {}, 'saved'),
        ...did('send_message', { text: 'go on' }, 'sent'),
      ]),
      counts: [],
    },
    {
      name: 'an act for each message of a person',
      events: repeat(4, (n) => [user, ...did('create_ticket', { title: 'a' }, `Ticket ${n}`)]),
      counts: [],
    },
    {
      name: 'a step in one direction, and another place each time',
      events: repeat(4, (n) => did('move', { direction: 'north' }, `You are at ${n}`)),
      counts: [],
    },
    {
      name: 'acts that differ',
      events: repeat(4, (n) => did('create_ticket', { title: n }, `Ticket ${n}`)),
      counts: [],
    },
    {
      name: 'an act, and a look at what came of it',
      events: repeat(4, (n) => [
        ...did('create_ticket', { title: 'a' }, `Ticket ${n}`),
        ...did('get_ticket', { id: n }, `a, number ${n}`),
      ]),
      counts: [],
    },
    {
      name: 'an editor that only views',
      events: repeat(4, () => did('str_replace_based_edit_tool', { command: 'view', path: 'a' }, 'text')),
      counts: [],
    },
  ],
});

describe('repeated-write', () => {
  it('tells the tool, the change and the calls that made it', () => {
    const events = [...edit(1), ...bash('npm test', '1 failed', 'error'), ...edit(1), ...edit(1)];
    const [one, two, ...more] = findings(repeatedWrite, { events });
    expect(more).toEqual([]);
    expect(one).toEqual({
      detector: 'it',
      subject: expect.stringMatching(/^edit#[0-9a-z]+$/),
      count: 2,
      call: 3,
      evidence: [1, 3],
      facts: { tool: 'edit', act: false },
    });
    expect(two).toMatchObject({ subject: one?.subject, count: 3, call: 4, evidence: [1, 3, 4] });
    expect(findings(repeatedWrite, { events: repeat(2, () => edit(2)) })[0]?.subject).not.toBe(one?.subject);
  });

  it('counts as far as the ledger remembers, and shows these calls', () => {
    const all = findings(repeatedWrite, { events: repeat(12, () => edit(1)) });
    expect(all.map(({ count }) => count)).toEqual(repeat(11, (n) => [Math.min(n + 2, MAX_MADE)]));
    expect(all.at(-1)?.evidence).toEqual([7, 8, 9, 10, 11, 12]);
  });

  it('remembers twelve changes, the longest unmade forgotten first', () => {
    expect(counts([...edit(1), ...others(10), ...edit(1)])).toEqual([2]);
    expect(counts([...edit(1), ...others(11), ...edit(1)])).toEqual([2]);
    expect(counts([...edit(1), ...others(12), ...edit(1)])).toEqual([]);
    expect(counts([...edit(1), ...others(6), ...edit(1), ...others(11), ...edit(1)]).at(-1)).toBe(3);
  });

  it('counts acts further than it shows their calls', () => {
    const events = repeat(20, (n) => did('create_ticket', { title: 'a' }, `Ticket ${n}`));
    const last = findings(repeatedWrite, { events }).at(-1);
    expect(last).toMatchObject({ count: 20, facts: { tool: 'create_ticket', act: true } });
    expect(last?.evidence).toEqual(repeat(MAX_EVIDENCE, (n) => [n + 21 - MAX_EVIDENCE]));
  });

  it('does not count acts that failed, nor forget those before them', () => {
    const post = (n: number, status?: string) => did('post_comment', { text: 'a' }, `Comment ${n}`, status);
    expect(counts([...post(1), ...post(2, 'error'), ...post(3)])).toEqual([2]);
  });

  it('counts a round once', () => {
    const batch = repeat(2, () => [turn, ...edit(1), ...edit(1), ...edit(1)]);
    expect(findings(repeatedWrite, { events: batch }).map(({ evidence }) => evidence)).toEqual([
      [1, 4],
      [1, 4],
      [1, 4],
    ]);
  });

  it('counts a command whatever it prints, while it is all that changes', () => {
    const commit = (n: number) => bash('git commit -am wip', `[main 4f2a9b1] wip, ${n} files changed`);
    expect(counts(repeat(4, (n) => commit(n)))).toEqual([2, 3, 4]);
    expect(counts(repeat(4, (n) => [...edit(n), ...commit(n)]))).toEqual([]);
  });

  it.each(['git bisect bad', 'git rebase --skip', 'git cherry-pick --continue', 'cd a && git stash pop'])(
    'leaves a command alone that takes another step each time: %s',
    (command) => {
      expect(counts(repeat(5, (n) => bash(command, `${9 - n} left`)))).toEqual([]);
      expect(counts(repeat(3, () => bash(command, 'nothing to do')))).toEqual([2, 3]);
    },
  );

  it('starts anew where a look shows what it never showed before', () => {
    const run = (n: number) => bash('node bench.js', `ops: ${n}`);
    expect(counts(repeat(4, (n) => [...edit(1), ...run(n), ...edit(2), ...run(90 - n)]))).toEqual([]);
    expect(counts(repeat(3, () => [...edit(1), ...run(1), ...edit(2), ...run(2)]))).toEqual([2, 2]);
  });

  it('goes on counting after a wait, a content after a compaction too', () => {
    expect(counts([...edit(1), ...bash('sleep 5'), { type: 'compaction' }, ...edit(1)])).toEqual([2]);
    const install = bash('pip install -e .');
    expect(counts([...install, ...bash('sleep 5'), ...install])).toEqual([2]);
    expect(counts([...install, ...bash('sleep 5'), ...edit(2), ...install])).toEqual([]);
  });

  it('takes a change in a shell for a repeat only while nothing else has changed', () => {
    const install = bash('pip install -e .');
    expect(counts([...install, ...install])).toEqual([2]);
    expect(counts([...install, ...edit(1), ...install])).toEqual([]);
    expect(counts([...install, ...edit(1), ...install, ...install])).toEqual([2]);
    expect(counts([...install, { type: 'state-change' }, ...install])).toEqual([]);
    // Nor does the same edit once more change anything.
    expect(counts([...edit(1), ...install, ...edit(1), ...install])).toEqual([2, 2]);
  });

  it('takes an edit for a repeat whatever has changed', () => {
    expect(counts([...edit(1), ...edit(2), { type: 'state-change' }, ...edit(1)])).toEqual([2]);
  });

  it('does not forget a change over an attempt that failed or never ran', () => {
    for (const status of ['error', 'invalid', 'denied', 'cancelled', 'blocked'])
      expect(
        counts([...edit(1), ...did('edit', { path: 'a.ts', text: 1 }, 'no', status), ...edit(1)]),
      ).toEqual([2]);
  });

  it('sees changes that the user declares', () => {
    const heard: number[] = [];
    const guard = createGuard({
      preset: only(repeatedWrite),
      detectors: [repeatedWrite],
      rulesFor: toolRules({ deploy: { effect: 'write' }, edit: { effect: 'none' } }),
      onDecision: ({ finding }) => heard.push(finding.count),
    });
    for (const event of repeat(3, () => [...did('deploy', {}, 'ok'), ...edit(1)])) guard.accept(event);
    expect(heard).toEqual([2, 3]);
  });

  it('knows the changes of a whole line of commands', () => {
    for (const command of [
      'cd app && rm -rf build',
      "cat > a.ts <<'EOF'\nconst a = 1;\nEOF",
      'echo 1 >> log.txt',
      'sudo apt-get install jq',
      'python3 -c \'open("a", "w").write("b")\'',
    ])
      expect(counts(repeat(2, () => bash(command))), command).toEqual([2]);
    for (const command of ['ls -la', 'git status', 'npm test 2>&1', "grep '>' a.ts", 'echo "rm a"'])
      expect(counts(repeat(2, () => bash(command))), command).toEqual([]);
  });

  it('counts in whatever round it is made', () => {
    expect(counts(repeat(3, () => [turn, ...edit(1)]))).toEqual([2, 3]);
  });

  it('makes no finding that no rung asks for', () => {
    const { reduce, initial } = repeatedWrite.create('it', {}, { floor: 3, digestText: () => 0 });
    const counted = (changes: number[]) =>
      reduce(initial, { tool: 't', sight: { changes, key: 1 } } as unknown as Entry, null)?.[1]?.count;
    expect(counted([1, 2])).toBeUndefined();
    expect(counted([1, 2, 3])).toBe(3);
    expect(reduce(initial, { tool: 't', sight: null } as unknown as Entry, null)).toBeNull();
  });

  it('needs no digests but those of the ledger, and says how far it counts', () => {
    const plan = compilePlan(only(repeatedWrite), { kinds: [repeatedWrite] });
    expect(plan.detectors.find(({ name }) => name === 'it')).toMatchObject({
      needs: [],
      maxCount: UNBOUNDED,
    });
    expect(plan.names).toEqual(['#ledger', 'it']);
  });
});
