import { delegate, edit, FAILS, read, report, shell, times, turn, write } from './words.mjs';

/** The line that the check is about. */
export const TOTAL = 'export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);';

const FILES = {
  'package.json': '{ "name": "prices", "type": "module" }\n',
  'README.md': '# Prices\n\nAdds up what is in a basket.\n',
  'src/total.js': `${TOTAL}\n`,
  'src/format.js': "export const format = (cents) => (cents / 100).toFixed(2) + ' EUR';\n",
  'check.js': [
    "import { total } from './src/total.js';",
    '',
    'const sum = total([{ price: 3, count: 2 }, { price: 1, count: 1 }]);',
    "if (sum === 7) console.log('total: ok');",
    "else console.error('total: expected 7, got ' + sum);",
    'process.exitCode = sum === 7 ? 0 : 1;',
    '',
  ].join('\n'),
};

const DEAR = { start: 14_200, step: 1_450, output: 310 };
const NOTES = '# Notes\n\nA basket is a list of items with a price and a count.\n';
const COUNTING = 'Count the functions that the files under src export.';

/** Works: looks around, sees a check fail, repairs it, and goes on to something else. */
const varied = {
  task: 'The check fails (node check.js). Repair the code, then write docs/notes.md if it is missing.',
  turns: [
    {
      ...turn('I start with the files.', shell('ls src'), read('src/total.js')),
      reasoning: 'The check is about the total, so its code is the place to look.',
    },
    turn('Now the check itself.', shell('node check.js', FAILS)),
    turn('The count is left out.', edit('src/total.js', TOTAL, 'item.price', 'item.price * item.count')),
    turn('Once more.', shell('node check.js')),
    turn('That works. Are there notes?', read('docs/notes.md', FAILS)),
    turn('There are none, so I write them.', write('docs/notes.md', NOTES)),
    turn('And look at the result.', read('docs/notes.md')),
    turn('The check passes and the notes are written.'),
  ],
};

/** The same call, again and again, with the same result. */
const identical = {
  task: 'List the files under src.',
  turns: [...times(12, () => turn(undefined, shell('ls src'))), turn('There are two files under src.')],
};

/** The same, under the agent's own guard, where that can be switched off otherwise. */
const guarded = identical;

/** Never the same arguments, always the same failure. */
const failing = {
  task: 'Find the settings of the currency.',
  turns: [
    ...times(8, (n) => turn(`Place ${n}.`, shell(`cat config/currency-${n}.json`, FAILS))),
    turn('I could not find them.'),
  ],
};

/** Hands a part of the work to another agent. */
const subagent = {
  task: 'How many functions does this project export? Ask a helper.',
  turns: [
    turn('A helper can count them.', delegate(COUNTING)),
    // Some agents do not wait for the helper.
    { ...turn('The project exports two functions.'), delayMs: 4_000 },
  ],
  // For an agent whose helper reports when the model has already ended its turn.
  late: turn('The helper says so too: two functions.'),
  child: {
    task: COUNTING,
    turns: [
      turn('I count the exports.', shell('grep -c export src/*.js')),
      turn('Two functions are exported.', report('Two functions are exported.')),
    ],
  },
};

/** For the examples: a check that fails the same way over and over, while the conversation grows dear. */
const stuck = {
  task: 'Make node check.js pass.',
  turns: [
    turn('First the check.', shell('node check.js', FAILS)),
    turn('Here is the code.', read('src/total.js')),
    ...times(24, () => turn(undefined, shell('node check.js', FAILS))),
    turn('The check still fails. I do not know why.'),
  ],
  tokens: DEAR,
  delayMs: 1_500,
};

/** For the examples: work that gets somewhere. */
const healthy = { ...varied, tokens: DEAR, delayMs: 1_500 };

const TOKENS = { start: 8_200, step: 460, output: 85 };

export const SCENARIOS = { varied, identical, guarded, failing, subagent, stuck, healthy };

/** The files of the small project that every scenario works on. */
export const PROJECT = FILES;

/** The scenario as the data that the fake model plays: the agent's own tools, and the tokens of every answer. */
export function scriptOf({ turns, child, late, tokens = TOKENS, delayMs = 0 }, { toolOf, reportsLate }) {
  const conversation = (name, said, more) => ({
    name,
    ...more,
    turns: said.map((one, index) => ({
      ...(one.text === undefined ? {} : { text: one.text }),
      ...(one.reasoning === undefined ? {} : { reasoning: one.reasoning }),
      calls: one.calls.flatMap((call) => {
        const made = toolOf(call);
        return made === undefined ? [] : [{ ...made, fails: call.fails ?? false, ends: call.ends ?? false }];
      }),
      usage: usageOf(index, one, tokens),
      delayMs: one.delayMs ?? delayMs,
    })),
  });
  return {
    conversations: [
      ...(child === undefined ? [] : [conversation('child', child.turns, { when: child.task })]),
      conversation('main', reportsLate && late ? [...turns, late] : turns),
    ],
  };
}

// The prompt grows with every turn; most of what the last one held comes from the cache, in steps of 128 tokens.
function usageOf(index, { reasoning }, { start, step, output }) {
  const prompt = (turn) => start + step * turn;
  const cachedInput = index === 0 ? 0 : Math.floor(prompt(index - 1) / 128) * 128;
  return {
    input: prompt(index) - cachedInput,
    cachedInput,
    output: output + 7 * (index % 5),
    reasoning: reasoning === undefined ? 0 : 40,
  };
}
