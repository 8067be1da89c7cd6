import { describe } from 'vitest';
import { does, laps, person, saying, says, streamed, times } from './beats.ts';
import { codeLine, file, hex } from './noise.ts';
import { story } from './story.ts';

const REPORT =
  'All the tasks are finished. The login page validates its input, the tests pass, and the changes are on the branch. Let me know if there is anything else that I can do for you.';

describe('text that goes round', () => {
  story('claude-code#66950: one word, 14,645 times', {
    run: [
      ...streamed(`The motion was heard by the ${'court '.repeat(1200)}`, 24),
      ...streamed('court '.repeat(200), 24),
    ],
    hears: ['0 nudge stream-repeat'],
  });
  story('claude-code#66200: and again in the next response: then it is stopped', {
    run: laps(6, () => [...streamed(`The ${'court '.repeat(300)}`, 24), says('')]),
    hears: ['0 nudge stream-repeat', '0 ask stream-repeat'],
  });
  story('gemini-cli#26726: thoughts that go round before a word is said', {
    run: laps(6, () => [
      ...streamed(
        'I need to check the import first. Then I will see whether the module resolves. Wait, maybe the path is wrong. '.repeat(
          40,
        ),
        31,
        'reasoning',
      ),
      says(''),
    ]),
    hears: ['0 nudge stream-repeat', '0 ask stream-repeat'],
  });
  story('qwen-code#9656: pieces that never end where the sentence does', {
    run: laps(4, () => [...streamed('Let me look at the file once more. '.repeat(80), 13), says('')]),
    hears: ['0 nudge stream-repeat', '0 ask stream-repeat'],
  });
  story('oh-my-pi#12525: nothing but question and exclamation marks', {
    run: laps(4, () => [...streamed('?!'.repeat(2000), 16), says('')]),
    hears: ['0 nudge stream-repeat', '0 ask stream-repeat'],
  });
  story('opencode#12716: the same final answer, turn after turn', {
    run: [does('bash', { command: 'npm test' }, 'Tests  12 passed (12)'), ...times(8, () => says(REPORT))],
    hears: ['1 nudge turn-repeat', '1 ask turn-repeat'],
  });
  story('autogen#391: two agents that thank each other without end', {
    run: laps(12, (i) => [
      says(
        [
          'You are welcome! Have a great day, and goodbye.',
          'You are very welcome! Have a great day, goodbye.',
        ][i % 2] as string,
      ),
    ]),
    hears: ['0 nudge turn-repeat', '0 ask turn-repeat'],
  });
  story('autogen#108: blank messages, one after the other', {
    run: times(20, () => says('')),
    hears: ['0 nudge text-only', '0 ask text-only'],
  });
  story('openclaw#112666: the same report in nearly the same words', {
    run: times(10, (i) =>
      says(
        `The export is still not there. I looked in the bucket and in the queue, and neither of them shows a job with that name for ${['today', 'this day', 'now', 'this run'][i % 4]}.`,
      ),
    ),
    hears: ['0 nudge turn-repeat', '0 ask turn-repeat'],
  });
  story('illospace#506: the same plan announced again, and again nothing found', {
    run: times(12, (i) =>
      saying(
        `I will search the knowledge base for the missing onboarding document of the sales team ${['again', 'now', 'once more'][i % 3]}.`,
        does(
          'kb_search',
          { query: `${['onboarding', 'introduction', 'starter', 'welcome'][i % 4]} sales ${i}` },
          'No results.',
        ),
      ),
    ),
    hears: ['3 nudge restated-plan', '5 ask restated-plan'],
  });
});

describe('text that repeats for a reason', () => {
  story('gemini-cli#19953: a JSON array translated, every entry built alike', {
    run: streamed(
      `[\n${times(120, (i) => `  { "key": "label.${hex(i, 5)}", "de": "Beschriftung ${hex(i + 7, 6)}", "reviewed": false },`).join('\n')}\n]`,
      40,
    ),
  });
  story('a long table in Markdown', {
    run: streamed(
      `| id | state | note |\n| --- | --- | --- |\n${times(150, (i) => `| ${i} | open | none |`).join('\n')}`,
      23,
    ),
  });
  story('a stylesheet and a list of inserts, line by line nearly the same', {
    run: [
      ...streamed(`\`\`\`css\n${times(60, (i) => `.m-${i} { margin: ${i}px; }`).join('\n')}\n\`\`\`\n`, 33),
      ...streamed(
        `\`\`\`sql\n${times(60, (i) => `INSERT INTO t VALUES (${i}, 'x', NULL);`).join('\n')}\n\`\`\`\n`,
        33,
      ),
    ],
  });
  story('a song with a chorus', {
    run: streamed(
      laps(4, (i) => [
        `${times(4, (k) => `${codeLine(i * 40 + k)} and so the verse goes on`).join('\n')}\n`,
        'Row, row, row your boat,\ngently down the stream.\n',
      ]).join(''),
      17,
    ),
  });
  story('the same few words before every call', {
    run: laps(20, (i) => [
      saying('Let me look at the next file.', does('read_file', { path: `src/${i}.ts` }, file(`${i}.ts`))),
    ]),
  });
  story('openclaw#73327: a timer asks every hour, and the answer is every hour the same', {
    run: laps(24, () => [
      person('Heartbeat: is there anything to do?'),
      does('exec', { command: 'mail --unread --count' }, '0\n'),
      says('HEARTBEAT_OK'),
    ]),
    pace: 1_800_000,
  });
  story('a person asks for the same thing three times and gets the same short answer', {
    run: laps(3, () => [person('What is the port?'), says('The server listens on port 8080.')]),
  });
  story('a status report after every step of a long job, each with its own numbers', {
    run: laps(15, (i) => [
      does('bash', { command: `./import.sh ${i}` }, `imported ${i * 120 + 7} rows\n`),
      says(
        `Chunk ${i + 1} is in: ${i * 120 + 7} rows so far, ${15 - i} chunks left, next is ${hex(i, 9)}. ${['Nothing odd.', 'One warning about dates.', 'Two rows skipped.'][i % 3]}`,
      ),
    ]),
  });
});
