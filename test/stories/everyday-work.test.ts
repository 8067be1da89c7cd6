import { describe } from 'vitest';
import { COMPACTION, does, fails, laps, times } from './beats.ts';
import { hex, page } from './noise.ts';
import { story } from './story.ts';

const bash = (command: string, output: string) => does('bash', { command }, output);
const red = (command: string, output: string) => fails('bash', { command }, output);

describe('commands that go a step further each time', () => {
  story('a bisect in which every version is bad', {
    run: laps(11, (i) => [
      red('cargo test --test regress', 'test regress_parse ... FAILED\nleft: 3, right: 4'),
      bash('git bisect bad', `Bisecting: ${1023 >> i} revisions left to test (roughly ${10 - i} steps)`),
    ]),
  });
  for (const command of ['git rebase --skip', 'git cherry-pick --continue', 'git stash pop'])
    story(`twelve times ${command}`, {
      run: laps(12, (i) => [
        bash(command, `Step ${i} of 12: ${hex(i, 5)}`),
        bash('cargo test -q', `test result: ok. ${100 + i} passed`),
      ]),
    });
  story('a bisect that does not get on', {
    run: laps(20, () => [
      red('cargo test --test regress', 'test regress_parse ... FAILED\nleft: 3, right: 4'),
      bash('git bisect bad', 'You need to start by "git bisect start"'),
    ]),
    toldBy: 7,
    endsBy: 14,
  });
  for (const again of [
    'kubectl delete -f app.yaml; kubectl apply -f app.yaml',
    'docker compose down && docker compose up -d',
  ])
    story(`the same thing applied, waited for and looked at, without end: ${again}`, {
      run: laps(20, (i) => [
        bash(again, 'app deleted\napp created'),
        bash('sleep 10; kubectl get pods', `app-${hex(i, 5)} 0/1 CrashLoopBackOff ${1 + (i % 3)} ${10 + i}s`),
      ]),
      toldBy: 6,
      endsBy: 12,
    });
  story('applied again after every edit', {
    run: laps(10, (i) => [
      does('edit_file', { path: 'app.yaml', old_string: `replicas: ${i}`, new_string: 'x' }, 'edited'),
      bash('kubectl apply -f app.yaml', 'deployment.apps/app configured'),
      bash('sleep 10; kubectl get pods', `app-${hex(i, 5)} 1/1 Running`),
    ]),
  });
});

describe('edits and tests in turn', () => {
  const edit = (i: number) =>
    does('edit_file', { path: 'a.ts', old_string: `v${i}`, new_string: `v${i + 1}` }, 'Edit applied.');
  const stuck = {
    'a seed that changes': (i: number) =>
      red(
        'pytest -q',
        `Using --random-seed=${7919 * i}\nE   AssertionError: assert 3 == 4\n1 failed, 41 passed`,
      ),
    'another way to run the same test': (i: number) =>
      red(
        ['pytest -q', 'pytest -x', 'python -m pytest', 'pytest tests/test_a.py -v'][i % 4] as string,
        'E   AssertionError: assert 3 == 4\nFAILED tests/test_a.py::test_total\n1 failed, 41 passed',
      ),
    'another name that is not there': (i: number) =>
      red('npx tsc --noEmit', `src/a.ts(1,20): error TS2307: Cannot find module '../${hex(i, 5)}'.`),
    'two failures in turn': (i: number) =>
      red('npm test', i % 2 === 0 ? '1 failed: rounds up' : '1 failed: rounds down'),
  };
  for (const [name, run] of Object.entries(stuck))
    story(`that do not get on: ${name}`, {
      run: laps(30, (i) => [edit(i), run(i)]),
      toldBy: 18,
      endsBy: 34,
    });
  story('a hard bug that is cornered with more and more output', {
    run: laps(8, (i) => [
      edit(i),
      red(
        'npx vitest run pay.test.ts',
        `${laps(i + 1, (j) => [`dbg ${j}: ${hex(j, 5)}`]).join('\n')}\nFAIL pay.test.ts > rounds cents\nAssertionError: expected 10.01 to be 10.02`,
      ),
    ]),
    nudges: 1,
    runsThrough: true,
  });
  story('forty modules that were not there, one after the other', {
    run: laps(40, (i) => [
      bash(`pip install ${hex(i, 6)}`, `Successfully installed ${hex(i, 6)}`),
      red('pytest -q', `E   ModuleNotFoundError: No module named '${hex(i + 1, 6)}'\n1 error`),
    ]),
  });
  story('a compiler that stops at the first mistake, thirty times', {
    run: laps(30, (i) => [
      edit(i),
      red('make', `parser.c:${120 + i * 31}:5: error: 'free_ctx' undeclared\nmake: *** [parser.o] Error 1`),
    ]),
  });
  story('a compiler that stops at the same mistake, thirty times', {
    run: laps(30, (i) => [
      edit(i),
      red('make', `parser.c:${120 + (i % 3)}:5: error: 'free_ctx' undeclared\nmake: *** [parser.o] Error 1`),
    ]),
    toldBy: 14,
    endsBy: 32,
  });
});

describe('lists', () => {
  const miss = 'No enrichment data available for this domain.';
  story('sixty companies of which most are not known, and those that are get noted down', {
    run: laps(60, (i) => [
      does(
        'enrich_company',
        { domain: `${hex(i, 6)}.com` },
        i % 5 === 4 ? { name: hex(i, 7), staff: i } : miss,
      ),
      ...(i % 5 === 4 ? [does('update_lead', { id: i, staff: i }, 'Lead updated')] : []),
    ]),
  });
  story('ten of them unknown in a row, now and then', {
    run: laps(60, (i) => [
      does('enrich_company', { domain: `${hex(i, 6)}.com` }, miss),
      ...(i % 10 === 9 ? [does('update_lead', { id: i, staff: i }, 'Lead updated')] : []),
    ]),
    nudges: 1,
    runsThrough: true,
  });
  story('the same two of them again and again', {
    run: laps(30, (i) => [does('enrich_company', { domain: `${i % 2}.com` }, miss)]),
    toldBy: 6,
    endsBy: 14,
  });
});

describe('a flag, to and fro', () => {
  const flag = (on: boolean) =>
    does('edit_file', { path: 'a.ts', old_string: `cache = ${!on}`, new_string: `cache = ${on}` }, 'ok');
  story('with new figures each time', {
    run: laps(8, (i) => [flag(i % 2 === 0), bash('node bench.js', `ops/sec: ${52_000 + 37 * i}`)]),
  });
  story('with the same two figures', {
    run: laps(20, (i) => [flag(i % 2 === 0), bash('node bench.js', `ops/sec: ${52_000 + (i % 2)}`)]),
    toldBy: 12,
    endsBy: 24,
  });
});

describe('a memory that is lost again and again', () => {
  const read = (n: number) => does('read_file', { path: `src/${n}.ts` }, page(n, 2));
  story('all is read anew each time, and nothing else is done', {
    run: laps(10, () => [...laps(7, (n) => [read(n)]), COMPACTION]),
    toldBy: 15,
    endsBy: 21,
  });
  story('three files are read anew each time, and work goes on', {
    run: laps(10, (i) => [
      ...laps(3, (n) => [read(n)]),
      read(10 + i),
      does('edit_file', { path: `src/${i}.ts`, old_string: `a${i}`, new_string: 'b' }, 'edited'),
      bash('npm test', `${100 + i} passed`),
      COMPACTION,
    ]),
  });
});

describe('the same thing made again', () => {
  for (const [what, made, look] of [
    [
      'a file, and a program whose figures differ',
      does('write_file', { path: 'a.py', content: 'x' }, 'Written.'),
      'python train.py',
    ],
    [
      'a mail, and the outbox in a shell',
      does('send_email', { to: 'eva@example.com', text: 'Hi' }, 'Sent.'),
      'ls outbox',
    ],
  ] as const)
    story(what, {
      run: laps(40, (i) => [made, bash(look, `loss ${hex(i, 6)} at ${hex(i + 9, 8)}`)]),
      toldBy: 6,
      endsBy: 14,
    });
});

describe('mistakes that are mended one by one', () => {
  const NAMES = ['parser', 'lexer', 'cursor', 'buffer', 'socket', 'router', 'widget', 'policy'];
  const name = (i: number) => `${NAMES[i % 8]}Of${NAMES[Math.floor(i / 8)]}`;
  const fix = (i: number) =>
    does('edit_file', { path: 'a.ts', old_string: `a${i}`, new_string: `b${i}` }, 'edited');
  const noise = (n: number) => times(60, (i) => `compiling ${hex(i, 8)} of ${hex(n, 4)}`).join('\n');
  story('in the middle of a long output', {
    run: laps(20, (i) => [
      fix(i),
      red('make', `${noise(1)}\nerror: unknown name ${name(i)}\n${noise(1)}\nmake: *** Error 1`),
    ]),
  });
  story('from the end of a file to its beginning', {
    run: laps(20, (i) => [
      fix(i),
      red('npx tsc', `a.ts(${400 - 9 * i},3): error TS2304: Cannot find name '${name(i)}'.`),
    ]),
  });
  story('of which only the place is told, behind them', {
    run: laps(20, (i) => [
      fix(i),
      red(
        'cargo build',
        `error[E0308]: mismatched types\n  --> src/main.rs:${12 + 7 * i}:5\nerror: could not compile`,
      ),
    ]),
  });
});
