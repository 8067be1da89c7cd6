import { describe } from 'vitest';
import { does, laps, person, type Turn, times } from './beats.ts';
import { prose } from './noise.ts';
import { story } from './story.ts';

const work = (i: number, input = 0, output = 0): Turn => ({
  ...does('read_file', { path: `src/${i}.ts` }, prose(i)),
  usage: { input, output },
});

describe('budgets', () => {
  story('nothing is counted until a limit is set', {
    run: times(200, (i) => work(i, 50_000, 2000)),
  });
  story('a limit of calls is told of before it is reached', {
    run: times(80, (i) => does('read_file', { path: `src/${i}.ts` }, prose(i))),
    config: { detectors: { budget: { calls: 50 } } },
    hears: ['40 nudge budget', '50 ask budget'],
  });
  story('claude-code#94013: 1.7 million tokens, with a limit of half a million', {
    run: times(60, (i) => work(i, 27_000, 1500)),
    config: { detectors: { budget: { tokens: 500_000 } } },
    hears: ['14 nudge budget', '17 ask budget'],
  });
  story('claude-code#35166: five dollars, and not five hundred', {
    run: times(60, (i) => work(i, 80_000, 3000)),
    config: { detectors: { budget: { money: 5_000_000, inputPrice: 3_000_000, outputPrice: 15_000_000 } } },
    hears: ['14 nudge budget', '17 ask budget'],
  });
  story('vscode-copilot-release#13970: half an hour at work is enough', {
    run: times(60, (i) => does('read_file', { path: `src/${i}.ts` }, prose(i))),
    pace: 60_000,
    config: { detectors: { budget: { timeMs: 1_800_000 } } },
    toldBy: 24,
    endsBy: 31,
  });
  story('the time a person takes to answer is not work', {
    run: laps(20, (i) => [person('Go on.'), does('read_file', { path: `src/${i}.ts` }, prose(i))]),
    pace: 600_000,
    config: { detectors: { budget: { timeMs: 24_000_000 } } },
  });
  story('a budget for each task begins anew when a person speaks', {
    run: laps(10, (i) => [
      person(`Task ${i}`),
      ...times(8, (k) => does('read_file', { path: `src/${i}-${k}.ts` }, prose(i * 9 + k))),
    ]),
    config: { detectors: { budget: { calls: 12, per: 'task' } } },
  });
  story('a person who is asked for more gives more', {
    run: times(30, (i) => does('read_file', { path: `src/${i}.ts` }, prose(i))),
    config: { detectors: { budget: { calls: 20 } } },
    approvals: 1,
    hears: ['16 nudge budget', '20 ask budget'],
  });
  story('cindy#2721: a loop is told of long before a budget is', {
    run: times(100, () => work(1, 27_000, 1500)),
    config: { detectors: { budget: { tokens: 2_000_000 } } },
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
});
