import { describe } from 'vitest';
import type { Json } from '../../src/index.ts';
import { atOnce, does, fails, laps, saying, times } from './beats.ts';
import { file, hex, prose, seconds, timeOf, uuid } from './noise.ts';
import { story } from './story.ts';

describe('failures that lead nowhere', () => {
  story('claude-code#12768: the same missing credentials behind every command', {
    run: times(20, (i) =>
      fails(
        'Bash',
        {
          command: `aws s3 ls s3://shop-${['assets', 'logs', 'backup', 'media'][i % 4]}-${i}/ --region eu-west-${i % 3}`,
        },
        'Unable to locate credentials. You can configure credentials by running "aws configure".',
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('a booking that is turned down politely, whatever the date', {
    run: times(20, (i) =>
      does('book_flight', { date: `2026-12-${i + 1}` }, 'Your request could not be completed at this time.'),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('the same as the message of an object', {
    run: times(20, (i) =>
      does(
        'book_flight',
        { date: `2026-12-${i + 1}` },
        { message: 'Your request could not be completed at this time.', reference: null },
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('a server that lets nobody in, as tools tell it that never throw', {
    run: times(20, (i) =>
      does(
        'api_request',
        { path: `/items/${hex(i, 6)}` },
        { statusCode: 403, body: { message: 'Forbidden' } },
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('the same of a lookup that tells nothing else', {
    run: times(20, (i) => does('get_item', { id: hex(i, 6) }, { message: 'Unauthorized', statusCode: 401 })),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('the same in a line', {
    run: times(20, (i) =>
      does('fetch_page', { url: `https://example.com/${hex(i, 6)}` }, 'HTTP 401 Unauthorized'),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  for (const before of ['', 'Error: '])
    story(`the same with the address, as Python tells it: "${before}403 …"`, {
      run: times(20, (i) => {
        const url = `https://example.com/${hex(i, 6)}`;
        return does('fetch_page', { url }, `${before}403 Client Error: Forbidden for url: ${url}`);
      }),
      toldBy: 5,
      endsBy: 12,
    });
  for (const [title, answer] of [
    ['in a line', (url) => `Failed to fetch ${url}: timed out`],
    ['as a message', (url) => ({ message: `Unable to retrieve ${url}` })],
  ] as const satisfies readonly [string, (url: string) => Json][])
    story(`pages that cannot be had, as lookups tell it that never throw: ${title}`, {
      run: times(20, (i) => {
        const url = `https://example.com/${hex(i, 6)}`;
        return does('fetch_page', { url }, answer(url));
      }),
      toldBy: 5,
      endsBy: 12,
    });
  story('the last line of many logs', {
    run: times(24, (i) =>
      does('get_logs', { service: hex(i, 4), lines: 1 }, `${timeOf(i)} Failed to connect to db-${i}`),
    ),
  });
  story('the air of thirty rooms: a number between 400 and 599 is no refusal', {
    run: times(30, (i) => does('get_co2', { room: hex(i, 4) }, `${410 + ((i * 13) % 150)} ppm`)),
  });
  story('what is left of thirty articles', {
    run: times(30, (i) => does('get_stock', { sku: hex(i, 6) }, `${401 + ((i * 17) % 190)} units in stock`)),
  });
  story('a server that lets nobody in, by the number and its name alone', {
    run: times(20, (i) => does('fetch_page', { url: `https://example.com/${hex(i, 6)}` }, '403 Forbidden')),
    hears: ['5 nudge failure-family', '12 ask failure-family'],
  });
  story('many parts of a large import, some rows of each of which are no good', {
    run: times(25, (i) =>
      does(
        'import_rows',
        { part: i },
        `Imported ${100 - (i % 5)} rows, ${1 + (i % 5)} could not be processed`,
      ),
    ),
  });
  story('letters sent by the fifty, some of which come back', {
    run: times(25, (i) =>
      does('send_batch', { batch: i }, `Sent ${48 - (i % 3)} letters and ${2 + (i % 3)} could not be sent`),
    ),
  });
  story('folders of pictures, some of which are broken', {
    run: times(25, (i) =>
      does('upload_folder', { folder: hex(i, 4) }, `${1 + (i % 3)} files could not be uploaded (too large)`),
    ),
  });
  story('questions about what is allowed', {
    run: times(25, (i) =>
      does('policy_assistant', { question: prose(i) }, `Leave cannot be booked: ${prose(i * 7)}`),
    ),
  });
  story('logs in which servers refuse, read part by part', {
    run: times(25, (i) =>
      does(
        'parse_access_log',
        { part: i },
        { entries: [{ path: `/${hex(i, 6)}`, status_code: 500 + (i % 4), ms: i }], part: i },
      ),
    ),
  });
  story('doors that are all tried, and all are locked, as they should be', {
    run: times(25, (i) =>
      does(
        'check_endpoint',
        { url: `https://api.example.com/${hex(i, 6)}` },
        { body: { error: 'Unauthorized' }, statusCode: 401, url: `https://api.example.com/${hex(i, 6)}` },
      ),
    ),
  });
  story('many tables, each with some check that does not hold', {
    run: times(25, (i) =>
      does(
        'run_quality_checks',
        { table: hex(i, 6) },
        {
          checks: [
            { name: 'nulls', ok: false, rows: i },
            { name: 'keys', ok: true },
          ],
          table: hex(i, 6),
        },
      ),
    ),
  });
  story('an answer within an answer that says it did not work', {
    run: times(20, (i) =>
      does('place_order', { quantity: i }, { result: { reason: 'Not enough credit.', success: false } }),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('links that are checked one by one: what is not there is an answer', {
    run: times(20, (i) =>
      does(
        'check_link',
        { url: `https://example.com/${hex(i, 6)}` },
        { statusCode: i % 3 === 0 ? 404 : 200 },
      ),
    ),
  });
  story('claude-code#38405: with nobody there, the same error after so many tries halts the run', {
    run: times(20, (i) =>
      fails(
        'Bash',
        { command: `psql -h db${i} -c "select 1"` },
        'psql: error: password authentication failed for user "app"',
      ),
    ),
    config: { attended: false },
    hears: ['3 nudge same-failure', '10 halt same-failure'],
  });
  story('hermes PR#10776: a dead MCP server tried 90 times with other questions', {
    run: times(90, (i) =>
      fails(
        'mcp__tracker__search_issues',
        { query: `label:bug page ${i}` },
        `MCP error -32000: Connection closed (session ${uuid(i)})`,
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('crush#2856: not authorised, whatever the query says', {
    run: times(40, (i) =>
      fails(
        'web_search',
        { query: `golang generics ${['intro', 'guide', 'tutorial', 'howto'][i % 4]} ${i}` },
        '401 Unauthorized: invalid api key',
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('goose PR#8994: not found, one guessed id after the other', {
    run: times(40, (i) =>
      fails('get_customer', { id: 4000 + i * 17 }, `404: customer ${4000 + i * 17} does not exist`),
    ),
    hears: ['5 nudge failure-family', '12 ask failure-family'],
  });
  story('OmniRoute#2148: an empty patch, refused each time', {
    run: times(30, () => fails('apply_patch', {}, 'invalid arguments: missing field `input`', 'invalid')),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
  story('hermes#67829: 25 calls without the parameter, while the text says that it must stop', {
    run: times(25, (i) =>
      saying(
        `I keep forgetting the path. I should stop and think about call ${i}.`,
        fails(
          'write_file',
          { content: `draft ${i}: ${hex(i, 40)}` },
          "write_file: missing required parameter 'path'",
          'invalid',
        ),
      ),
    ),
    hears: ['3 nudge same-failure', '5 ask restated-plan'],
  });
  story('pi PR#5247: tools that do not exist, a new name each time', {
    run: times(30, (i) =>
      fails(
        `${['open', 'load', 'cat', 'get'][i % 4]}_document_v${i}`,
        { id: i },
        `Tool open_v${i} not found`,
        'unknown-tool',
      ),
    ),
    hears: ['3 nudge bad-call', '8 ask bad-call'],
  });
  story('gemini-cli#2188: an edit whose old text is never there, tried in many ways', {
    run: times(30, (i) =>
      fails(
        'replace',
        {
          file_path: '/app/src/cart.ts',
          old_string: `  const total = sum(items${' '.repeat(i)});`,
          new_string: '  const total = 0;',
        },
        'Failed to edit, could not find the string to replace. 0 occurrences found for old_string in /app/src/cart.ts.',
      ),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
  });
  story('openclaw#79450: old and new text are the same, thirty times', {
    run: times(30, (i) =>
      fails(
        'edit',
        { path: `src/page${i}.tsx`, oldText: 'className="a"', newText: 'className="a"' },
        `No changes made to src/page${i}.tsx: oldText and newText are identical.`,
      ),
    ),
    hears: ['5 nudge failure-family', '12 ask failure-family'],
  });
  story('vscode-copilot-release#4905: fix after fix, and the very same failure', {
    run: laps(20, (i) => [
      does(
        'insert_edit_into_file',
        { filePath: '/app/src/date.ts', code: `// try ${i}\n${hex(i, 12)}` },
        'The file was edited.',
      ),
      fails(
        'run_in_terminal',
        { command: 'npm test -- date', explanation: `Run the tests (${i})` },
        `FAIL src/date.test.ts > formats in UTC\n  expected "2026-03-09" to be "2026-03-08"\nDuration  ${seconds(i)}`,
      ),
    ]),
    toldBy: 8,
    endsBy: 24,
  });
  story('claude-code#7538: the same commands fail at once, round after round', {
    run: times(20, () =>
      atOnce(
        fails(
          'Bash',
          { command: 'go build ./...' },
          'go: cannot find main module, but found .git/config in /app',
        ),
        fails(
          'Bash',
          { command: 'go vet ./...' },
          'go: cannot find main module, but found .git/config in /app',
        ),
      ),
    ),
    hears: ['5 nudge no-progress', '9 block no-progress', '12 ask refusals'],
  });
  story('one cause is told of twice at most before a person is asked', {
    run: times(20, (i) =>
      fails('web_search', { query: `postgres index ${hex(i, 5)}` }, '401 Unauthorized: invalid api key'),
    ),
    hears: ['3 nudge same-failure', '10 ask same-failure'],
    nudges: 2,
  });
  story('openclaw#75923: every tool fails, each in its own way, and none is tried twice alike', {
    run: laps(20, (i) => [
      fails('exec', { command: `make step-${i}` }, `make: *** No rule to make target 'step-${i}'.`),
      fails('read', { path: `docs/${i}.md` }, `ENOENT: no such file or directory, open 'docs/${i}.md'`),
      fails(
        'web_fetch',
        { url: `https://example.com/${i}` },
        `fetch failed: certificate for example.com/${i} is not trusted`,
      ),
      fails('memory_get', { key: `note-${i}` }, `memory: key note-${i} was never set`),
    ]),
    toldBy: 16,
    endsBy: 48,
  });
  story('openclaude#1102: malformed JSON as arguments, cut off at another place each time', {
    run: times(20, (i) =>
      fails(
        'Write',
        `{"file_path":"/app/big.ts","content":"${'x'.repeat(200 + i)}`,
        'InputValidationError: Write failed: the required parameter `content` is missing',
        'invalid',
      ),
    ),
    hears: ['3 nudge same-failure', '8 ask bad-call'],
  });
});

describe('failures on the way', () => {
  story('OpenSwarm PR#262: a rate limit is not the agent: told to wait, never stopped for a few of them', {
    run: [
      ...times(6, (i) =>
        fails(
          'web_search',
          { query: 'vite ssr' },
          `429 Too Many Requests: retry after ${20 - i}s (request ${uuid(i)})`,
        ),
      ),
      does('web_search', { query: 'vite ssr' }, '1. Server-side rendering - vite.dev\n2. SSR in practice\n'),
    ],
    hears: ['3 nudge outage'],
  });
  story('a service that is down for good is asked about in the end', {
    run: times(30, (i) =>
      fails('mcp__crm__get_account', { id: i }, `503 Service Unavailable (${timeOf(i)})`),
    ),
    hears: ['3 nudge outage', '12 ask outage'],
  });
  story('greps that find nothing are answers, not failures', {
    run: times(15, (i) => fails('Bash', { command: `grep -rn "legacy_${hex(i, 5)}" src/` }, 'Exit code 1')),
  });
  story('looking for the config where it might be', {
    run: [
      ...['vite.config.js', 'vite.config.mjs', 'config/vite.js'].map((path) =>
        fails('Read', { file_path: `/app/${path}` }, `File does not exist: /app/${path}`),
      ),
      does('Glob', { pattern: '**/vite*' }, '/app/build/vite.config.ts'),
      does('Read', { file_path: '/app/build/vite.config.ts' }, file('vite.config.ts')),
    ],
  });
  story('a hook refuses two commits, for another reason each; the third goes through', {
    run: [
      does('Bash', { command: 'git add -A' }, ''),
      fails(
        'Bash',
        { command: 'git commit -m "Add coupons"' },
        'lint-staged failed: src/coupon.ts 3:7 error unused variable',
      ),
      does(
        'Edit',
        { file_path: '/app/src/coupon.ts', old_string: 'let a;', new_string: '' },
        'The file /app/src/coupon.ts has been updated.',
      ),
      does('Bash', { command: 'git add -A' }, ''),
      fails(
        'Bash',
        { command: 'git commit -m "Add coupons"' },
        'commitlint: subject must not be sentence-case',
      ),
      does(
        'Bash',
        { command: 'git commit -m "feat: add coupons"' },
        `[main ${hex(3, 7)}] feat: add coupons\n 1 file changed\n`,
      ),
    ],
  });
  story('a compiler leads the way: ten errors, each another one', {
    run: laps(10, (i) => [
      fails(
        'exec_command',
        { cmd: 'cargo build' },
        `error[E0${300 + i * 8}]: mismatched types in src/part${i}.rs:${i * 9 + 4}:12\nerror: could not compile \`shop\` due to ${10 - i} errors`,
      ),
      does(
        'apply_patch',
        { input: `*** Update File: src/part${i}.rs\n-${hex(i, 8)}\n+${hex(i + 50, 8)}` },
        `Success. Updated the following files:\nM src/part${i}.rs\n`,
      ),
    ]),
  });
  story('a server under test answers 500 until it is mended', {
    run: laps(5, (i) => [
      fails(
        'Bash',
        { command: 'curl -sf localhost:3000/api/cart' },
        `{"error":"TypeError: cannot read property ${hex(i, 3)} of undefined","status":500}`,
      ),
      does(
        'Edit',
        { file_path: '/app/src/api.ts', old_string: `a${i}`, new_string: `b${i}` },
        'The file /app/src/api.ts has been updated.',
      ),
    ]),
  });
  story('calls cancelled because a sibling failed do not count as failures', {
    run: times(6, (i) =>
      atOnce(
        fails('Bash', { command: `node scripts/step${i}.js` }, `Error: step ${i} needs ${hex(i, 6)}`),
        fails(
          'Bash',
          { command: 'node scripts/report.js' },
          '<tool_use_error>Sibling tool call errored</tool_use_error>',
        ),
      ),
    ),
    runsThrough: true,
  });
});
