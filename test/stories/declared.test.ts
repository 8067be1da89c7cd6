import { describe } from 'vitest';
import { does, fails, times } from './beats.ts';
import { hex, timeOf } from './noise.ts';
import { story } from './story.ts';

const REPEAT = ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'];

describe('declared tools', () => {
  story('OpenMonoAgent.ai#47: a tool of the house that only looks, declared as a poll', {
    run: times(40, (i) =>
      does('CheckDeployment', { name: 'api' }, `{"phase":"Progressing","at":"${timeOf(i)}"}`),
    ),
    config: { tools: { CheckDeployment: { poll: true } } },
    pace: 20_000,
  });
  story('the same, undeclared, is taken for what it looks like', {
    run: times(40, (i) =>
      does('CheckDeployment', { name: 'api' }, `{"phase":"Progressing","at":"${timeOf(i)}"}`),
    ),
    pace: 2000,
    hears: REPEAT,
  });
  story('a declared poll that is looked at for ever is ended all the same', {
    run: times(300, () => does('CheckDeployment', { name: 'api' }, '{"phase":"Progressing"}')),
    config: { tools: { 'Check*': { poll: true } } },
    hears: ['60 nudge waiting', '240 ask waiting'],
  });
  story('illospace#506: what makes two calls the same is declared, not guessed', {
    run: times(20, (i) =>
      does('ask_expert', { topic: 'pricing', trace: hex(i, 8), mood: i }, 'Ask the pricing team.'),
    ),
    config: { tools: { ask_expert: { identity: ['topic'] } } },
    hears: REPEAT,
  });
  story('calls that are never the same', {
    run: times(40, () =>
      does('roll_dice', { sides: 6 }, 'You rolled a number. Call again for the next throw of the dice.'),
    ),
    config: { tools: { roll_dice: { identity: false } } },
    runsThrough: true,
  });
  story('openclaw#89090: a field that changes on every run is declared volatile', {
    run: times(20, (i) =>
      does('get_quote', { symbol: 'ACME' }, { price: 41, seq: i, meta: { shard: i % 7 } }),
    ),
    config: { tools: { get_quote: { volatile: ['seq', 'shard'] } } },
    hears: REPEAT,
  });
  story('the price itself is no noise', {
    run: times(20, (i) => does('get_quote', { symbol: 'ACME' }, { price: 41 + i, seq: i })),
    config: { tools: { get_quote: { volatile: ['seq'] } } },
  });
  story('crewAI#518: instead of commenting the guard out: one tool is left alone', {
    run: times(60, () => does('scratchpad', { note: 'again' }, 'noted')),
    config: { tools: { scratchpad: { exempt: true } } },
  });
  story('what is left alone does not hide what is not', {
    run: times(30, (i) =>
      i % 2 === 0
        ? does('scratchpad', { note: 'again' }, 'noted')
        : does('bash', { command: 'ls' }, 'a.txt\nb.txt\n'),
    ),
    config: { tools: { scratchpad: { exempt: true } } },
    hears: REPEAT,
  });
  story('opencode#23531: thresholds of its own for one tool', {
    run: times(30, () => does('roulette', { bet: 'red' }, 'The wheel shows black; you lose a chip.')),
    config: { tools: { roulette: { at: { nudge: 6, block: 9 } } } },
    hears: ['6 nudge no-progress', '9 block no-progress', '11 ask no-progress'],
  });
  story('a tool that is declared to change things: the same change again is told as such', {
    run: times(20, (i) => does('Deployer', { env: 'prod' }, `deployed build ${hex(i, 8)} in ${i + 3} steps`)),
    config: { tools: { Deployer: { effect: 'write' } } },
    hears: ['3 nudge repeated-write', '6 ask repeated-write'],
  });
  story('a tool that is declared to change nothing does not make a failing test worth another run', {
    run: times(40, (i) =>
      i % 2 === 0
        ? does('update_board', { card: i }, `card ${i} noted`)
        : fails('bash', { command: 'npm test' }, 'FAIL test/a.test.ts\nexpected 3 to be 4'),
    ),
    config: { tools: { update_board: { effect: 'none' } } },
    hears: ['6 nudge no-progress', '10 block no-progress', '14 ask no-progress'],
  });
  story('gemini-cli PR#18008: one rule switched off, the rest on', {
    run: times(8, () =>
      does('list_directory', { path: '.' }, 'src test package.json README.md tsconfig.json'),
    ),
    config: { detectors: { 'no-progress': 'off', 'stale-rounds': 'off' } },
  });
  story('openclaw PR#77607: in shadow nothing is said, whatever happens', {
    run: times(60, () => does('exec', { command: 'ls' }, 'a.txt\nb.txt\n')),
    config: { mode: 'shadow' },
  });
});
