import { describe } from 'vitest';
import { atOnce, does, fails, laps, person, says, times } from './beats.ts';
import { hex, page } from './noise.ts';
import { story } from './story.ts';

/** Something new about the n-th thing. */
const about = (n: number) => `${hex(n, 6)} ${hex(n + 50, 8)} of ${hex(n + 90, 7)}`;
const POLICY = page(7, 2);

describe('many things, one after the other', () => {
  for (const [act, close] of [
    ['reply_ticket', 'close_ticket'],
    ['refund_order', 'escalate_ticket'],
    ['approve_expense', 'notify_user'],
    ['archive_email', 'label_email'],
    ['schedule_meeting', 'invite_guest'],
  ] as const)
    story(`tickets that all need the same policy: ${act}, ${close}`, {
      run: laps(12, (i) => [
        does('get_ticket', { id: 1000 + i }, about(i)),
        does('search_kb', { query: 'refund policy' }, POLICY),
        does(act, { id: 1000 + i }, 'ok'),
        does(close, { id: 1000 + i }, 'ok'),
      ]),
    });
  for (const [tool, answer] of [
    ['lint_file', { errorCount: 0, warningCount: 0, messages: [] }],
    ['moderate_comment', { flagged: false, categories: [], score: 0 }],
    ['validate_schema', { valid: true, errors: [] }],
    ['check_link', { status: 200, ok: true, redirected: false }],
    ['assign_reviewer', { success: true, message: 'The operation was completed without warnings.' }],
    ['fill_field', 'The field was filled successfully.'],
    ['check_url', { content: [{ type: 'text', text: 'OK' }], isError: false }],
  ] as const)
    story(`forty of them, and ${tool} says the same of each`, {
      run: times(40, (i) => does(tool, { item: about(i) }, answer)),
    });
  story('thirty of them, of which each is called clean in a whole sentence', {
    run: times(30, (i) =>
      does('scan_file', { path: `/up/${i}.pdf` }, 'No threats of any kind were found in this file.'),
    ),
    nudges: 1,
    runsThrough: true,
  });
  for (const [tool, answerOf] of [
    ['get_rate', (i: number) => `The exchange rate is 0.${1234 + i * 37}`],
    ['get_score', (i: number) => `{"match_score":0.${1234 + i * 37}}`],
  ] as const)
    story(`forty of them, and ${tool} answers with a number below one`, {
      run: times(40, (i) => does(tool, { item: about(i) }, answerOf(i))),
    });
  story('a rate that is looked up for each sum', {
    run: laps(12, (i) => [
      does('get_exchange_rate', { from: 'USD', to: 'EUR' }, { rate: 0.92, from: 'USD', to: 'EUR' }),
      does('calculate', { expression: `${i} * 0.92` }, `${i * 0.92} EUR for ${about(i)}`),
    ]),
    nudges: 1,
    runsThrough: true,
  });
  story('pages of a shop behind the same button', {
    run: laps(20, (i) => [
      does('browser_click', { ref: 'next' }, 'clicked'),
      does('browser_read', {}, `page ${i} of the shop: ${about(i)}`),
    ]),
  });
  story('an item after the other, each with the same last words', {
    run: laps(12, (i) => [
      does('edit_file', { path: `src/${i}.ts`, old_string: 'a', new_string: 'b' }, 'The file was edited.'),
      says('Done with this item.'),
    ]),
  });
  story('twenty names that nobody uses any more', {
    run: times(20, (i) => does('Grep', { pattern: `legacyHelper${i}` }, 'No files found')),
  });
});

describe('the same thing, in other clothes', () => {
  for (const answer of ['No results found.', '[]', { results: [], total: 0 }])
    story(`a question in other words that finds nothing: ${JSON.stringify(answer)}`, {
      run: times(60, (i) => does('web_search', { query: `how to reset the thing ${hex(i, 6)}` }, answer)),
      toldBy: 24,
      endsBy: 33,
    });
  for (const answer of [
    'Error: String to replace not found in file.',
    { success: false, error: 'String to replace not found in file.' },
    { content: [{ type: 'text', text: 'String to replace not found.' }], isError: true },
  ])
    story(`an edit that says that it failed: ${JSON.stringify(answer)}`, {
      run: times(60, (i) =>
        does('edit_file', { path: 'a.ts', old_string: `const x = ${i};`, new_string: 'y' }, answer),
      ),
      toldBy: 6,
      endsBy: 24,
    });
  story('a command that is not there, and an exit code that nobody looks at', {
    run: times(40, (i) => does('bash', { command: `rg "foo${i}" src` }, 'bash: rg: command not found')),
    toldBy: 6,
    endsBy: 24,
  });
  story('changes that do not move a test, which is no command', {
    run: laps(40, (i) => [
      does('edit_file', { path: 'a.ts', old_string: `// try ${i}`, new_string: `// try ${i + 1}` }, 'edited'),
      fails('run_tests', {}, '1 failed, 41 passed\nTypeError: x is undefined'),
    ]),
    toldBy: 12,
    endsBy: 30,
  });
  story('a form that says no, while the numbers of visitors move', {
    run: laps(40, (i) => [
      does('submit_form', { id: 4 }, 'Could not submit: captcha required'),
      does('get_metrics', {}, { visitors: 1000 + i * 7 }),
    ]),
    toldBy: 6,
    endsBy: 14,
  });
  story('the same search beside a clock, at once', {
    run: times(40, (i) =>
      atOnce(
        does('search', { q: 'x' }, 'nothing was found for this query in the index'),
        does('get_time', {}, `tick ${hex(i, 6)}`),
      ),
    ),
    toldBy: 6,
    endsBy: 16,
  });
});

describe('a person who asks for the same thing, which fails,', () => {
  const asked = (count: number, calls: number, output: (n: number) => string) =>
    laps(count, (i) => [
      person('Run the tests.'),
      ...times(calls, (n) => fails('bash', { command: 'npm test' }, output(calls * i + n))),
      says(`It has failed: ${about(i)}.`),
    ]);
  story('while they mend it themselves, hears of it once', {
    run: asked(60, 1, () => '2 failed: parses a list, parses a map'),
    nudges: 1,
    runsThrough: true,
  });
  story('in another way each time, hears nothing of it', {
    run: asked(60, 1, (n) => `${n} failed: ${about(n)}`),
  });
  story('gets an end to it where each time it is tried again and again', {
    run: asked(20, 6, () => '2 failed: parses a list, parses a map'),
    toldBy: 4,
    endsBy: 30,
  });
});
