import { describe } from 'vitest';
import { does, fails, laps, saying, type Turn, times } from './beats.ts';
import { file, hex, pid, seconds, timeOf } from './noise.ts';
import { story } from './story.ts';

/** Members of a ring: looks of several kinds, as different agents make them. */
const RING: readonly ((lap: number) => Turn)[] = [
  () => does('Read', { file_path: '/app/src/router.ts' }, file('router.ts')),
  (lap) =>
    does(
      'Bash',
      { command: 'git status' },
      `On branch fix-${hex(1, 4)}\nnothing to commit, working tree clean\n# ${timeOf(lap)}\n`,
    ),
  () =>
    does(
      'Grep',
      { pattern: 'useRoute', path: '/app/src' },
      'src/router.ts:12: export function useRoute() {\nsrc/app.ts:3: useRoute();',
    ),
  (lap) =>
    fails(
      'Bash',
      { command: 'npx vitest run router' },
      `FAIL test/router.test.ts > matches\nAssertionError: expected 404 to be 200\nDuration ${seconds(lap)}`,
    ),
  () => does('Glob', { pattern: '**/router*' }, '/app/src/router.ts\n/app/test/router.test.ts\n'),
  () => does('Read', { file_path: '/app/test/router.test.ts' }, file('router.test.ts')),
  (lap) =>
    does('Bash', { command: 'node -e "console.log(process.version)"' }, `v22.1${0}.0 (pid ${pid(lap)})\n`),
  () =>
    does(
      'WebFetch',
      { url: 'https://example.org/router', prompt: 'params' },
      'Parameters are read with useParams(); see the guide on nested routes.',
    ),
];

function ring(period: number, rounds: number): Turn[] {
  return laps(rounds, (lap) => RING.slice(0, period).map((member) => member(lap)));
}

/** New things in between, as a model in a loop still makes them now and then. */
function withNoise(turns: readonly Turn[], every: number): Turn[] {
  return turns.flatMap((turn, i) =>
    i % every === every - 1
      ? [turn, does('Read', { file_path: `/app/src/other/${i}.ts` }, file(`other/${i}.ts`, 9 + (i % 5)))]
      : [turn],
  );
}

describe('cycles', () => {
  story('stella#359: three calls in a ring', {
    run: ring(3, 20),
    hears: ['6 nudge stale-rounds', '9 block stale-rounds', '11 ask stale-rounds'],
  });
  story('langgraph-agentic-scaffold#78: four calls in a ring, longer than any small window', {
    run: ring(4, 14),
    hears: ['7 nudge stale-rounds', '10 block stale-rounds', '12 ask stale-rounds'],
  });
  story('five calls in a ring, something new behind every third', {
    run: withNoise(ring(5, 14), 3),
    hears: ['10 nudge stale-rounds', '14 block stale-rounds', '18 ask stale-rounds'],
  });
  story('six calls in a ring', {
    run: ring(6, 14),
    hears: ['9 nudge stale-rounds', '13 block stale-rounds', '14 ask stale-rounds'],
  });
  story('six calls in a ring, something new behind every second', {
    run: withNoise(ring(6, 14), 2),
    toldBy: 15,
    endsBy: 48,
  });
  story('seven calls in a ring, something new behind every fourth', {
    run: withNoise(ring(7, 14), 4),
    hears: ['12 nudge stale-rounds', '18 block stale-rounds', '19 ask stale-rounds'],
  });
  story('eight calls in a ring', {
    run: ring(8, 14),
    hears: ['11 nudge stale-rounds', '17 block stale-rounds', '18 ask stale-rounds'],
  });
  story('eight calls in a ring, something new behind every third', {
    run: withNoise(ring(8, 14), 3),
    toldBy: 18,
    endsBy: 48,
  });
  story('openclaw#110337: an OAuth dance that starts again whenever it fails, 236 turns', {
    run: laps(60, (lap) => [
      does(
        'exec',
        { command: 'openclaw auth login --provider google' },
        `Open https://accounts.example.com/o/auth?state=${hex(lap, 32)} to sign in\n`,
      ),
      does(
        'browser',
        { action: 'open', url: 'https://accounts.example.com/o/auth' },
        '{"ok":true,"title":"Sign in"}',
      ),
      fails(
        'exec',
        { command: 'openclaw auth token --provider google' },
        `Error: no token yet (${timeOf(lap)})`,
      ),
      does(
        'exec',
        { command: 'openclaw auth status' },
        'google: signed out, token expired, refresh not possible\n',
      ),
    ]),
    hears: ['7 nudge stale-rounds', '10 block stale-rounds', '12 ask stale-rounds'],
  });
  story('Memoh#1032: written, read, written, read, the same each time', {
    run: laps(12, () => [
      does(
        'write',
        { path: 'notes/plan.md', content: '# Plan\n1. Collect\n2. Sort\n' },
        'Wrote 24 bytes to notes/plan.md',
      ),
      does('read', { path: 'notes/plan.md' }, '# Plan\n1. Collect\n2. Sort\n'),
    ]),
    hears: ['5 nudge no-progress', '8 block stale-rounds', '11 ask stale-rounds'],
  });
  story('cline#3493: a file written one way and replaced back, over and over', {
    run: laps(20, () => [
      does(
        'write_to_file',
        { path: 'app.py', content: 'PORT = 8000\n' },
        'The content was successfully saved to app.py.',
      ),
      does(
        'replace_in_file',
        { path: 'app.py', diff: 'SEARCH PORT = 8000 REPLACE PORT = 8080' },
        'The content was successfully saved to app.py.',
      ),
    ]),
    hears: ['5 nudge repeated-write', '9 block stale-rounds', '12 ask stale-rounds'],
  });
  story('langgraph-supervisor-py#35: two agents hand the work to each other', {
    run: laps(20, () => [
      does('transfer_to_research_expert', {}, 'Successfully transferred to research_expert'),
      does('transfer_back_to_supervisor', {}, 'Successfully transferred back to supervisor'),
    ]),
    hears: ['5 nudge no-progress', '8 block stale-rounds', '11 ask stale-rounds'],
  });
  story('codex#7049: the plan is written down again and again, with a git status between', {
    run: laps(20, (lap) => [
      does(
        'update_plan',
        { plan: [{ step: 'Fix the parser', status: lap % 2 === 0 ? 'in_progress' : 'pending' }] },
        'Plan updated',
      ),
      does('shell', { command: ['git', 'status', '--short'] }, ' M src/parser.rs\n'),
    ]),
    hears: ['6 nudge no-progress', '10 block no-progress', '14 ask no-progress'],
  });
  story('oh-my-pi#3971: the same pytest for 42 turns, each with a little thought before it', {
    run: times(42, (i) =>
      saying(
        ['Let me run the tests.', 'Checking the tests once more.', 'Now the tests should tell.'][
          i % 3
        ] as string,
        fails(
          'bash',
          { command: 'python -m pytest tests/test_api.py -x -q' },
          `F\n=== FAILURES ===\ntests/test_api.py:31: AssertionError\n1 failed in ${seconds(i)}`,
        ),
      ),
    ),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
});

describe('rhythm without a loop', () => {
  story('gemini-cli#11002: edit and build, over and over, until it is green', {
    run: laps(12, (i) => [
      does(
        'replace',
        { file_path: 'src/app.tsx', old_string: `v${i}`, new_string: `v${i + 1}` },
        'Successfully modified file: /app/src/app.tsx (1 replacements).',
      ),
      does(
        'run_shell_command',
        { command: 'npm run build' },
        `vite v6.0.1 building for production...\n✓ 214 modules transformed.\ndist/index-${hex(i, 8)}.js  142.${i} kB\n✓ built in ${seconds(i)}\n`,
      ),
    ]),
  });
  story('kimchi PR#101: a look at the diff and the status after every change', {
    run: laps(10, (i) => [
      does(
        'apply_patch',
        { input: `*** Begin Patch\n*** Update File: src/m${i}.rs\n-a\n+b${i}\n*** End Patch` },
        'Success. Updated the following files:\nM src/lib.rs\n',
      ),
      does(
        'exec_command',
        { cmd: 'cargo check' },
        `    Checking shop v0.1.0\n    Finished dev profile in ${seconds(i)}\n`,
      ),
      does('exec_command', { cmd: 'git diff --stat' }, ` src/m${i}.rs | 2 +-\n 1 file changed\n`),
    ]),
  });
  story('gemini-cli#9276: a debugger stepped through a loop shows the same three lines', {
    run: laps(15, (i) => [
      does('gdb', { command: 'next' }, '14\t  for (int i = 0; i < n; i++) {'),
      does('gdb', { command: 'next' }, '15\t    sum += values[i];'),
      does('gdb', { command: 'print sum' }, `$${i + 1} = ${i * i}`),
    ]),
  });
  story('an agent that edits through Python, and whose tests stay green', {
    run: laps(10, (i) => [
      does(
        'execute_ipython_cell',
        { code: `replace_in("src/m${i}.py", "a${i}", "b${i}")` },
        `[File src/m${i}.py updated]`,
      ),
      does(
        'execute_bash',
        { command: 'python -m pytest -q' },
        `............ [100%]\n12 passed in ${seconds(i)}\n`,
      ),
    ]),
  });
  story('a rogue that walks: the same step, another place', {
    run: times(15, (i) =>
      does(
        'move',
        { direction: 'north' },
        `You walk north. You are at (${4 + i}, 7). Exits: north, ${i % 2 === 0 ? 'east' : 'west'}.`,
      ),
    ),
  });
  story('a desktop driven by clicks: every screenshot is shown as an image only', {
    run: laps(12, (i) => [
      does('computer', { action: 'left_click', coordinate: [120 + i * 9, 300 - i * 7] }, 'Clicked.'),
      does('computer', { action: 'screenshot' }, '[image]'),
    ]),
  });
  story('gsd-pi#1206: red, green, refactor: the same command, red and green in turn', {
    run: laps(8, (i) => [
      does('write_file', { path: `test/rule${i}.test.ts`, content: file(`rule${i}.test.ts`) }, 'ok'),
      fails(
        'bash',
        { command: 'npx vitest run' },
        `FAIL test/rule${i}.test.ts\nTests 1 failed | ${i + 3} passed\nDuration ${seconds(i)}`,
      ),
      does('edit_file', { path: 'src/rules.ts', old: `// rule ${i}`, new: `rule(${i});` }, 'ok'),
      does('bash', { command: 'npx vitest run' }, `Tests ${i + 4} passed\nDuration ${seconds(i)}`),
    ]),
  });
  story('a bisection: the same test on one commit after another', {
    run: laps(9, (i) => [
      does(
        'Bash',
        { command: i % 3 === 1 ? 'git bisect bad' : 'git bisect good' },
        `Bisecting: ${256 >> i} revisions left to test after this\n[${hex(i, 40)}] change ${i}\n`,
      ),
      i % 3 === 0
        ? fails(
            'Bash',
            { command: 'npm test -- parser' },
            'FAIL test/parser.test.ts\n  x nested lists\nTests: 1 failed, 30 passed',
          )
        : does('Bash', { command: 'npm test -- parser' }, `Tests: 31 passed (${seconds(i)})`),
    ]),
  });
  story('a look back: an agent goes through nine files and returns to each of two of them twice', {
    run: [
      ...times(9, (i) => does('view', { path: `/repo/pkg/${i}.go` }, file(`${i}.go`, 10 + i))),
      does('view', { path: '/repo/pkg/2.go' }, file('2.go', 12)),
      does(
        'grep',
        { pattern: 'NewServer' },
        'pkg/2.go:14:func NewServer() *Server {\npkg/7.go:3:\ts := NewServer()',
      ),
      does('view', { path: '/repo/pkg/7.go' }, file('7.go', 17)),
      does('bash', { command: 'go vet ./...' }, 'pkg/7.go:9:2: unreachable code\n'),
      does(
        'edit',
        { path: '/repo/pkg/7.go', old_text: 'a', new_text: 'b' },
        'Applied 1 edit to /repo/pkg/7.go',
      ),
      does('view', { path: '/repo/pkg/2.go' }, file('2.go', 12)),
      does('view', { path: '/repo/pkg/7.go' }, `${file('7.go', 17)}\n// changed`),
    ],
  });
});
