import { describe } from 'vitest';
import { atOnce, does, fails, laps, person, says, times } from './beats.ts';
import { file, hex, prose, seconds } from './noise.ts';
import { story } from './story.ts';

const DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

describe('people', () => {
  story(
    'gemini-cli#5873: asked and told to go on, the loop is as new: told again before it is blocked again',
    {
      run: times(10, () =>
        does('run_shell_command', { command: './flaky.sh' }, 'still red, 3 of 41 checks failed'),
      ),
      approvals: 1,
      hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress', '9 nudge no-progress'],
    },
  );
  story('MiMo-Code#2474: a yes is one yes: a loop that goes on is asked about again', {
    run: times(60, () => does('bash', { command: './flaky.sh' }, 'still red, 3 of 41 checks failed')),
    approvals: 2,
    endsBy: 40,
    toldBy: 3,
  });
  story('dirge PR#241: what a person has approved is not held against the agent at once', {
    run: [
      ...times(12, () => does('bash', { command: 'npm test' }, `Tests  41 passed (${seconds(1)})`)),
      does('bash', { command: 'npm test' }, `Tests  41 passed (${seconds(2)})`),
      does('bash', { command: 'git commit -am "Done"' }, `[main ${hex(1, 7)}] Done`),
    ],
    approvals: 1,
    hears: ['6 nudge no-progress', '10 block no-progress', '12 ask no-progress'],
  });
  story('a person steers: six different edits are turned down', {
    run: times(6, (i) =>
      fails('Edit', { file_path: '/app/a.ts', old_string: 'a', new_string: `b${i}` }, DENIED, 'denied'),
    ),
  });
  story('the same, as a host tells it that knows only errors', {
    run: times(6, (i) =>
      fails('Edit', { file_path: '/app/a.ts', old_string: 'a', new_string: `b${i}` }, DENIED),
    ),
  });
  story('nothing is allowed, whatever it tries', {
    run: times(30, (i) => fails('Bash', { command: `rm -rf build/${i}` }, DENIED, 'denied')),
    hears: ['8 nudge denied-rounds', '24 ask denied-rounds'],
  });
  story('nothing is allowed, whatever it thinks of', {
    run: laps(30, (i) => [
      does('think', { thought: prose(i) }, 'Noted.'),
      fails('Bash', { command: `rm -rf build/${i}` }, DENIED, 'denied'),
    ]),
    hears: ['16 nudge denied-rounds', '48 ask denied-rounds'],
  });
  story('many calls of one response are turned down at once', {
    run: [
      atOnce(...times(30, (i) => fails('Edit', { file_path: `/app/${i}.ts` }, DENIED, 'denied'))),
      person('Ask me first.'),
    ],
  });
  story('a person turns down what they did not ask for, and says what they want', {
    run: laps(30, (i) => [
      fails('Edit', { file_path: '/app/a.ts', old_string: 'a', new_string: `b${i}` }, DENIED, 'denied'),
      person(`No: call it c${i}.`),
    ]),
  });
  story('goose#1971: it asks again after every no', {
    run: times(30, () => fails('developer__shell', { command: 'rm -rf build && make' }, DENIED, 'denied')),
    toldBy: 6,
    endsBy: 30,
  });
  story('a person interrupts, speaks, and the agent begins again', {
    run: laps(5, (i) => [
      person(`No, take approach ${i + 1}.`),
      does('Read', { file_path: '/app/src/cart.ts' }, file('cart.ts')),
      fails('Bash', { command: 'npm run dev' }, 'Request interrupted by user for tool use', 'cancelled'),
    ]),
  });
  story('a person says "again", and it is done again', {
    run: laps(8, () => [
      person('Run it again.'),
      does('Bash', { command: 'npm test' }, 'Tests  41 passed (41)'),
      says('41 passed.'),
    ]),
  });
  story('claude-code#38405: what failed before a person spoke still counts when it fails again', {
    run: laps(12, (i) => [
      ...(i % 2 === 0 ? [person('Try once more.')] : []),
      fails(
        'Bash',
        { command: 'npm publish' },
        'npm error code E403: you do not have permission to publish "shop"',
      ),
    ]),
    hears: ['3 nudge no-progress', '6 block no-progress'],
  });
  story('a person works on the files as well, and the host tells of it', {
    run: laps(8, () => [
      does('Bash', { command: 'npm test' }, 'Tests  1 failed | 40 passed (41)'),
      { type: 'state-change', resource: 'src/cart.ts' } as const,
    ]),
  });
  story('a provider that must be asked six times over is no loop', {
    run: [
      ...laps(6, () => [does('Read', { file_path: '/app/a.ts' }, file('a.ts')), { type: 'rewind' } as const]),
      does('Read', { file_path: '/app/a.ts' }, file('a.ts')),
    ],
  });
  story('opencode#25254: a host that says "continue" by itself starts nothing anew', {
    run: laps(20, () => [
      { type: 'user', by: 'host', text: 'Continue.' } as const,
      does('bash', { command: 'cat PLAN.md' }, '# Plan\n1. Read the plan\n2. Follow the plan\n'),
    ]),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
  story('OpenHands PR#11799: switched off means off', {
    run: [
      { type: 'control', do: 'disable' },
      ...times(40, () => does('bash', { command: 'ls' }, 'a.txt\nb.txt\n')),
    ],
  });
  story('a reset forgets what was', {
    run: laps(6, () => [
      ...times(2, () => does('bash', { command: 'ls' }, 'a.txt\nb.txt\n')),
      { type: 'control', do: 'reset' } as const,
    ]),
  });
  story('with nobody to ask, a budget that is used up halts', {
    run: times(20, (i) => does('read', { path: `${i}.txt` }, prose(i))),
    config: { attended: false, detectors: { budget: { calls: 10 } } },
    hears: ['8 nudge budget', '10 halt budget'],
  });
  story('a judge sees no progress, twice', {
    run: [
      ...times(4, (i) => does('read', { path: `${i}.txt` }, prose(i))),
      { type: 'verdict', stuck: 0.95 },
      ...times(4, (i) => does('read', { path: `${i + 4}.txt` }, prose(i + 4))),
      { type: 'verdict', stuck: 0.97 },
      does('read', { path: '8.txt' }, prose(8)),
      { type: 'verdict', stuck: 0.97 },
      does('read', { path: '9.txt' }, prose(9)),
    ],
    hears: ['4 nudge verdict', '8 ask verdict'],
  });
  story('a judge who is not sure is not passed on', {
    run: laps(10, (i) => [
      does('read', { path: `${i}.txt` }, prose(i)),
      { type: 'verdict', stuck: 0.6 } as const,
    ]),
  });
});
