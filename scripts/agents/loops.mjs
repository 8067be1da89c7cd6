import { TOTAL } from './scenarios.mjs';
import { delegate, edit, FAILS, read, report, shell, times, turn } from './words.mjs';

/** Longer than any guard lets it go on; an agent that cannot be ended comes to its end by itself. */
const ENDLESS = 20;
const COUNTING = 'Count the functions that the files under src export.';
const TWICE = TOTAL.replace('item.price', 'item.price * 2');

/** The same call, again and again. */
const identical = {
  task: 'List the files under src.',
  turns: [...times(ENDLESS, () => turn(undefined, shell('ls src'))), turn('There are two files.')],
};

/** Two calls in turn. */
const pingpong = {
  task: 'Compare the two files under src.',
  turns: [
    ...times(ENDLESS, (n) => turn(undefined, shell(n % 2 === 1 ? 'cat src/total.js' : 'cat src/format.js'))),
    turn('They differ.'),
  ],
};

/** Never the same arguments, always the same failure. */
const cascade = {
  task: 'Find the settings of the currency.',
  turns: [
    ...times(ENDLESS, (n) => turn(undefined, shell(`cat config/currency-${n}.json`, FAILS))),
    turn('I could not find them.'),
  ],
};

/** Work: calls at once, checks again after repairs, a status that moves slowly, a helper, the same look again at what was changed. */
const healthy = {
  task: 'Repair the code until node check.js passes, wait for the build (node status.js), then have the exports counted.',
  turns: [
    turn('I look around.', shell('ls src'), read('src/total.js'), read('src/format.js')),
    turn('The check.', shell('node check.js', FAILS)),
    turn('A first attempt.', edit('src/total.js', TOTAL, 'item.price', 'item.price * 2')),
    turn('The check.', shell('node check.js', FAILS)),
    turn(
      'The count is what is missing.',
      edit('src/total.js', TWICE, 'item.price * 2', 'item.price * item.count'),
    ),
    turn('The check, and how it looks now.', shell('node check.js'), read('src/total.js')),
    // Some agents have a detector of their own that ends a run at the fifth call of a kind in a row.
    ...times(3, (n) => turn(`Is the build done? Look ${n}.`, shell('node status.js'))),
    turn('Meanwhile, the words for people.', read('README.md')),
    ...times(3, (n) => turn(`Is the build done? Look ${n + 3}.`, shell('node status.js'))),
    turn('A helper can count.', delegate(COUNTING)),
    {
      ...turn('And two looks at once.', shell('ls src'), shell('git status --short || true')),
      delayMs: 3_000,
    },
    turn('The check passes, the build is done, two functions are exported.'),
  ],
  late: turn('The helper says so too.'),
  child: {
    task: COUNTING,
    turns: [
      turn('I list them.', shell('ls src')),
      turn('I count.', shell('grep -c export src/*.js')),
      turn('Two functions are exported.', report('Two functions are exported.')),
    ],
  },
};

/** Work that costs more than it may: the model counts 8,285 tokens for its first response, and some more for each that follows. */
const spender = {
  task: 'Print the parts, one after the other.',
  files: { 'deloop.config.json': `${JSON.stringify({ detectors: { budget: { tokens: 56_000 } } })}\n` },
  turns: [...times(ENDLESS, (n) => turn(undefined, shell(`printf 'pa%s ${n}' rt`))), turn('These are all.')],
};

const named = (loops) =>
  Object.fromEntries(Object.entries(loops).map(([name, loop]) => [name, { ...loop, name }]));

export const LOOPS = named({ identical, pingpong, cascade, healthy, spender });

/** A build that moves slowly: some looks find it where it was. */
export const STATUS = {
  'status.js': [
    "import { readFileSync, writeFileSync } from 'node:fs';",
    '',
    "const file = new URL('.looks', import.meta.url);",
    'let looks = 0;',
    "try { looks = Number(readFileSync(file, 'utf8')); } catch {}",
    'writeFileSync(file, String(looks + 1));',
    "console.log(['queued', 'queued', 'building 40 %', 'building 40 %', 'building 80 %', 'done'][looks] ?? 'done');",
    '',
  ].join('\n'),
};

/** Where an agent has no helpers, that turn is left out. */
export function fitting(loop, tools) {
  const possible = ({ calls }) => calls.every(({ does }) => tools[does] !== undefined);
  return { ...loop, turns: loop.turns.filter(possible) };
}
