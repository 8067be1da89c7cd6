import { describe } from 'vitest';
import { atOnce, by, does, fails, laps, person, saying, says, type Turn, times } from './beats.ts';
import { codeLine, file, hex, page, prose, seconds, timeOf, uuid } from './noise.ts';
import { openStory, story } from './story.ts';

const edited = (path: string) =>
  `The file ${path} has been updated. Here's the result of running \`cat -n\` on a snippet of it.`;

describe('coding agents at work', () => {
  story('of calls made at once, those with old news end first', {
    run: laps(4, (lap) => {
      const look = (path: string) => does('read_file', { path }, file(path));
      const [plan, notes, style] = ['plan', 'notes', 'style'].map((name) => look(`${lap}/${name}.md`)) as [
        Turn,
        Turn,
        Turn,
      ];
      const part = (n: number) => look(`${lap}/src/part-${n}.js`);
      return [plan, notes, style, part(1), plan, part(2), notes, part(3), atOnce(style, part(4), part(5))];
    }),
  });
  story('a host does not say how calls end: where nothing tells of a failure, there was none', {
    run: laps(40, (lap) => [
      ...times(3, (n) => fails('evaluate', { formula: `${lap} * ${n}` }, `${lap * n + 1}`, 'unknown')),
      fails(
        'evaluate',
        { formula: `${lap} /` },
        `Error: unexpected end at ${'abcdefg'[lap % 7]}${lap}`,
        'unknown',
      ),
    ]),
  });
  story('Claude Code mends a bug', {
    run: [
      person('Fix the rounding bug.'),
      does(
        'Grep',
        { pattern: 'round(', path: '/app/src' },
        'src/price.ts:12: round(total)\nsrc/cart.ts:40: round(sum)',
      ),
      atOnce(
        ...['price', 'cart'].map((name) =>
          does('Read', { file_path: `/app/src/${name}.ts` }, file(`${name}.ts`)),
        ),
      ),
      does(
        'TodoWrite',
        { todos: [{ content: 'Fix rounding', status: 'in_progress' }] },
        'Todos have been modified successfully.',
      ),
      fails(
        'Bash',
        { command: 'npm test', description: 'Run tests' },
        `FAIL src/price.test.ts\n  expected 1.01 to be 1.00 (${seconds(1)})`,
      ),
      does(
        'Edit',
        { file_path: '/app/src/price.ts', old_string: 'round(total)', new_string: 'roundHalfEven(total)' },
        edited('/app/src/price.ts'),
      ),
      fails(
        'Bash',
        { command: 'npm test', description: 'Run tests again' },
        `FAIL src/price.test.ts\n  roundHalfEven is not defined (${seconds(2)})`,
      ),
      does(
        'Edit',
        {
          file_path: '/app/src/price.ts',
          old_string: '// imports',
          new_string: "import { roundHalfEven } from './round.ts';",
        },
        edited('/app/src/price.ts'),
      ),
      does(
        'Bash',
        { command: 'npm test', description: 'Run tests' },
        `Tests  41 passed (41)\nDuration ${seconds(3)}`,
      ),
      does('Bash', { command: 'git diff --stat' }, ' src/price.ts | 4 +++-\n 1 file changed\n'),
      does(
        'Bash',
        { command: 'git add -A && git commit -m "Round half even"' },
        `[main ${hex(5, 7)}] Round half even\n`,
      ),
      says('Fixed: prices are now rounded half to even, and all 41 tests pass.'),
    ],
  });
  story('SWE-agent scrolls through a file, edits, reproduces', {
    run: [
      does('open', { path: 'astropy/io/ascii/rst.py' }, `[File: rst.py (400 lines total)]\n${page(1, 20)}`),
      ...times(12, (i) =>
        does('scroll_down', {}, `[File: rst.py (400 lines total)]\n${page(21 + i * 20, 20)}`),
      ),
      fails(
        'bash',
        { command: 'python reproduce.py' },
        'TypeError: RST.__init__() got an unexpected header_rows',
      ),
      does(
        'edit',
        { start: 60, end: 62, text: 'def __init__(self, header_rows=None):' },
        `[File: rst.py]\n${page(55, 12)}`,
      ),
      fails('bash', { command: 'python reproduce.py' }, 'AttributeError: header_rows is not set on data'),
      does(
        'edit',
        { start: 64, end: 64, text: 'self.header.rows = header_rows' },
        `[File: rst.py]\n${page(58, 12)}`,
      ),
      does('bash', { command: 'python reproduce.py' }, '=====  ======\n wave  response\n=====  ======\n'),
      does('submit', {}, 'diff --git a/astropy/io/ascii/rst.py b/astropy/io/ascii/rst.py'),
    ],
  });
  story('Codex reads with sed, patches, tests', {
    run: laps(6, (i) => [
      does('exec_command', { cmd: `rg -n "fn part_${i}" src` }, `src/lib.rs:${i * 40 + 3}: fn part_${i}() {`),
      does(
        'exec_command',
        { cmd: `sed -n '${i * 40 + 1},${i * 40 + 40}p' src/lib.rs` },
        page(i * 40 + 1, 40),
      ),
      does(
        'apply_patch',
        { input: `*** Begin Patch\n*** Update File: src/lib.rs\n@@ fn part_${i}\n-a\n+b\n*** End Patch` },
        'Success. Updated the following files:\nM src/lib.rs\n',
      ),
      does(
        'exec_command',
        { cmd: 'cargo test -q' },
        `running 34 tests\n..................................\ntest result: ok. 34 passed; finished in ${seconds(i)}\n`,
      ),
    ]),
  });
  story('Gemini translates one file into twelve languages, and reads the source before each', {
    run: laps(12, (i) => [
      does(
        'read_file',
        { absolute_path: '/app/i18n/en.json' },
        '{\n  "hello": "Hello",\n  "bye": "Goodbye",\n  "cart": "Cart"\n}\n',
      ),
      does(
        'write_file',
        { file_path: `/app/i18n/l${i}.json`, content: `{"hello":"${hex(i, 6)}"}` },
        `Successfully created and wrote to new file: /app/i18n/l${i}.json`,
      ),
    ]),
  });
  story('Cline changes ten components, each read before and checked after', {
    run: laps(10, (i) => [
      does('read_file', { path: `src/ui/C${i}.tsx` }, file(`C${i}.tsx`)),
      does(
        'replace_in_file',
        { path: `src/ui/C${i}.tsx`, diff: `SEARCH ${i} REPLACE ${i + 1}` },
        'The content was successfully saved.',
      ),
      does(
        'execute_command',
        { command: 'npx tsc --noEmit', requires_approval: false },
        'Command executed.\nOutput:\n',
      ),
    ]),
  });
  story('a rebase with a conflict in the same file at every commit', {
    run: laps(6, (i) => [
      fails(
        'Bash',
        { command: i === 0 ? 'git rebase main' : 'git rebase --continue' },
        `CONFLICT (content): Merge conflict in CHANGELOG.md\nerror: could not apply ${hex(i, 7)}... ${prose(i)}`,
      ),
      does(
        'Read',
        { file_path: '/app/CHANGELOG.md' },
        `<<<<<<< HEAD\n- ${prose(i + 30)}\n=======\n- ${prose(i)}\n>>>>>>> ${hex(i, 7)}\n`,
      ),
      does(
        'Edit',
        {
          file_path: '/app/CHANGELOG.md',
          old_string: prose(i + 30),
          new_string: `${prose(i + 30)}\n- ${prose(i)}`,
        },
        edited('/app/CHANGELOG.md'),
      ),
      does('Bash', { command: 'git add CHANGELOG.md' }, ''),
    ]),
  });
  story('a formatter complains of fewer files each time', {
    run: laps(8, (i) => [
      fails(
        'bash',
        { command: 'npx prettier --check src' },
        `Checking formatting...\n${times(8 - i, (k) => `[warn] src/f${k + i}.ts`).join('\n')}\n[warn] Code style issues found in ${8 - i} files.`,
      ),
      does('edit_file', { path: `src/f${i}.ts`, instructions: 'format' }, 'The edit was applied.'),
    ]),
  });
  story('print debugging: a line in, a run, another line in', {
    run: laps(7, (i) => [
      does(
        'str_replace_based_edit_tool',
        {
          command: 'insert',
          path: '/app/run.js',
          insert_line: i * 3,
          insert_text: `console.log('${i}', v${i});`,
        },
        'The file /app/run.js has been edited successfully.',
      ),
      does(
        'bash',
        { command: 'node run.js' },
        `${times(i + 1, (k) => `${k} ${hex(k, 3)}x`).join('\n')}\nundefined\n`,
      ),
    ]),
  });
  story('packages installed one after the other', {
    run: ['numpy', 'pandas', 'scipy', 'torch', 'polars', 'duckdb'].map((name, i) =>
      does(
        'run_in_terminal',
        { command: `pip install ${name}`, explanation: 'Install' },
        `Collecting ${name}\n  Downloading ${name}-1.${i}.0.whl (12.${i} MB)\n     ━━━━━━━━━━ 12.${i}/12.${i} MB 8.1 MB/s eta 0:00:00\nSuccessfully installed ${name}-1.${i}.0\n`,
      ),
    ),
  });
  story('a review: the diff, the files, a comment for each finding', {
    run: [
      does(
        'Bash',
        { command: 'gh pr view 81 --json title,body' },
        '{"title":"Coupons","body":"Adds coupons."}',
      ),
      does('Bash', { command: 'gh pr diff 81' }, times(30, (i) => `+${codeLine(i)}`).join('\n')),
      ...times(7, (i) =>
        does(
          'Bash',
          { command: `gh api repos/a/b/pulls/81/comments -f body="${prose(i)}" -F line=${i * 4}` },
          `{"id":${1_900_000_000 + i},"created_at":"${timeOf(i)}"}`,
        ),
      ),
    ],
  });
  story('tests picked by name, most of them green', {
    run: times(12, (i) =>
      does(
        'bash',
        { command: `pytest -q -k case_${i}` },
        `.                                        [100%]\n1 passed, 83 deselected in ${seconds(i)}\n`,
      ),
    ),
  });
  story('a word renamed everywhere, the places left counted', {
    run: laps(8, (i) => [
      does('Bash', { command: `sed -i 's/oldName/newName/g' src/part${i}/*.ts` }, ''),
      does('Bash', { command: 'grep -rc oldName src | grep -v ":0" | wc -l' }, `${40 - i * 5}\n`),
    ]),
  });
  story('infrastructure: planned, applied, planned again', {
    run: [
      does('run_shell_command', { command: 'terraform plan' }, 'Plan: 3 to add, 1 to change, 0 to destroy.'),
      does(
        'run_shell_command',
        { command: 'terraform apply -auto-approve' },
        `aws_s3_bucket.logs: Creation complete after 3s [id=${hex(1, 12)}]\nApply complete! Resources: 3 added.`,
      ),
      does(
        'run_shell_command',
        { command: 'terraform plan' },
        'No changes. Your infrastructure matches the configuration.',
      ),
      does('run_shell_command', { command: 'terraform output' }, 'bucket = "logs"\n'),
    ],
  });
  story('ten turns with a person, each about the same file', {
    run: laps(10, (i) => [
      person(`Question ${i}: ${prose(i)}`),
      does('Read', { file_path: '/app/src/core.ts' }, file('core.ts', 30)),
      says(`In short, for question ${i}: ${prose(i * 3 + 1)}`),
    ]),
  });
  story('a session that is only talk, with no tools at all', {
    run: laps(12, (i) => [person(prose(i)), says(`${prose(i * 7)} ${prose(i * 7 + 3)}`)]),
  });
  story('new lines of a log, read with one and the same command', {
    run: times(10, (i) =>
      does(
        'Bash',
        { command: 'journalctl -u api -n 3 --no-pager' },
        times(3, (k) => `Mar 09 08:3${i % 10}:0${k} host api[411]: ${prose(i * 3 + k)}`).join('\n'),
      ),
    ),
  });
  openStory('a benchmark run six times, because its numbers are what is asked for', {
    run: [
      person('Run the benchmark six times and tell me how much it varies.'),
      ...times(6, (i) =>
        does(
          'Bash',
          { command: 'node bench.js' },
          `parse      ${(12.4 + ((i * 7) % 5) / 3).toFixed(2)} ms\nstringify  ${(8.1 + ((i * 3) % 4) / 5).toFixed(2)} ms\n`,
        ),
      ),
    ],
    runsThrough: true,
  });
});

describe('agents of other trades', () => {
  story('a shop assistant looks up four orders and changes two of them', {
    run: [
      person('I want to exchange two things.'),
      does('find_user_id_by_email', { email: 'mia@example.com' }, 'mia_li_3668'),
      does(
        'get_user_details',
        { user_id: 'mia_li_3668' },
        '{"name":"Mia Li","orders":["#W1","#W2","#W3","#W4"]}',
      ),
      ...times(4, (i) =>
        does(
          'get_order_details',
          { order_id: `#W${i + 1}` },
          `{"order_id":"#W${i + 1}","status":"${i < 2 ? 'pending' : 'delivered'}","items":["${prose(i)}"]}`,
        ),
      ),
      person('Yes, please.'),
      ...times(2, (i) =>
        does(
          'modify_pending_order_items',
          { order_id: `#W${i + 1}`, new_item_ids: [`${7000 + i}`] },
          `{"order_id":"#W${i + 1}","status":"pending (item modified)"}`,
        ),
      ),
      says('Both orders are changed.'),
    ],
  });
  story('a mailbox sorted: thirty letters read and put away', {
    run: [
      does('list_emails', { folder: 'inbox', limit: 30 }, times(30, (i) => `${i}: ${prose(i)}`).join('\n')),
      ...laps(30, (i) => [
        does('read_email', { id: `m${i}` }, `Subject: ${prose(i)}\n\n${prose(i * 2 + 1)}`),
        does('archive_email', { id: `m${i}` }, 'Email archived.'),
      ]),
    ],
  });
  story('eight dates put into a calendar', {
    run: times(8, (i) =>
      does(
        'create_event',
        { title: `Session ${i + 1}`, start: `2026-04-0${i + 1}T10:00` },
        'Event created and invitations sent to 4 people.',
      ),
    ),
  });
  story('lamps switched in every room', {
    run: ['hall', 'kitchen', 'bath', 'study', 'attic', 'cellar'].map((room) =>
      does('turn_on_light', { room }, 'ok'),
    ),
  });
  story('research: searches, pages, two of which are closed to robots', {
    run: laps(8, (i) => [
      does(
        'WebSearch',
        { query: `heat pump efficiency ${prose(i)}` },
        `1. ${prose(i * 2)} - example.org/${i}\n2. ${prose(i * 2 + 1)} - example.net/${i}`,
      ),
      i % 4 === 1
        ? fails(
            'WebFetch',
            { url: `https://example.net/${i}` },
            `Request failed with status code 403 for https://example.net/${i}`,
          )
        : does('WebFetch', { url: `https://example.org/${i}` }, times(6, (k) => prose(i * 6 + k)).join('\n')),
    ]),
  });
  story('a notebook: cell after cell, many of them without output', {
    run: times(20, (i) =>
      does(
        'execute_cell',
        { code: `df = df.assign(c${i}=df.a * ${i})` },
        i % 4 === 3 ? `   a  c${i}\n0  1  ${i}\n1  2  ${i * 2}\n` : '',
      ),
    ),
  });
  story('a spreadsheet filled in row by row', {
    run: times(40, (i) =>
      does(
        'update_cells',
        { range: `A${i + 2}:C${i + 2}`, values: [[i, prose(i), i * 7]] },
        '{"updatedCells":3}',
      ),
    ),
  });
  story('a browser fills in a form of many pages', {
    run: laps(8, (i) => [
      does('browser_type', { ref: `e${i * 3 + 1}`, text: prose(i) }, `Typed into e${i * 3 + 1}`),
      does(
        'browser_click',
        { ref: 'e99', element: 'Next' },
        `### Page state\n- Page URL: https://example.com/form?step=${i + 2}\n- heading "${prose(i + 50)}"`,
      ),
    ]),
  });
  story('a keyboard: tab, tab, tab, enter', {
    run: [
      ...times(9, () => does('browser_press_key', { key: 'Tab' }, 'Pressed Tab')),
      does('browser_press_key', { key: 'Enter' }, 'Pressed Enter'),
    ],
  });
  story('a cluster looked over, pod by pod', {
    run: [
      does('kubectl_get', { resource: 'pods' }, times(9, (i) => `api-${i}   1/1   Running`).join('\n')),
      ...laps(9, (i) => [
        does(
          'kubectl_describe',
          { pod: `api-${i}` },
          `Name: api-${i}\nNode: n${i % 3}\nEvents: <none>\n${prose(i)}`,
        ),
        does(
          'kubectl_logs',
          { pod: `api-${i}`, tail: 5 },
          times(5, (k) => `${timeOf(i * 5 + k)} ${prose(i * 5 + k)}`).join('\n'),
        ),
      ]),
    ],
  });
  story('fastclaw PR#80: one question asked over and over while its answer shrinks', {
    run: laps(9, (i) => [
      does('list_open_tickets', {}, times(9 - i, (k) => `#${k + i}: ${prose(k + i)}`).join('\n')),
      does('close_ticket', { id: i }, 'Ticket closed.'),
    ]),
  });
  story('downloads with bars and rates', {
    run: times(10, (i) =>
      does(
        'bash',
        { command: `wget -q --show-progress https://example.com/d${i}.zip` },
        `d${i}.zip  100%[===================>]  ${12 + i}.4M  8.${i}MB/s    in 1.${i}s\n`,
      ),
    ),
  });
  story('a calculator asked for twenty sums, many of which come to nothing', {
    run: times(20, (i) => does('calculator', { expression: `${i} - ${i}` }, '0')),
  });
  story('OpenHands#10350: "continue" four times, while a build is quiet', {
    run: [
      does('execute_bash', { command: 'make -j2' }, '[no output for 10 s]'),
      ...times(4, () => does('execute_bash', { command: '' }, '[no output for 10 s]')),
      does('execute_bash', { command: '' }, 'LD vmlinux\n[exit code 0]'),
    ],
  });
  story('gemini-cli#7950: a table worked through with one query a row', {
    run: times(25, (i) =>
      does(
        'run_sql',
        {
          sql: `select sum(amount) from sales where month = ${i % 12} and year = ${2020 + Math.floor(i / 12)}`,
        },
        `[{"sum":${9000 + i * 371}}]`,
      ),
    ),
  });
  story('gemini-cli#8232: one word mended in forty places of a book', {
    run: times(40, (i) =>
      does(
        'replace',
        { file_path: `book/ch${i}.md`, old_string: 'teh', new_string: 'the', expected_replacements: 1 },
        'Successfully modified file (1 replacements).',
      ),
    ),
  });
  story('gemini-cli#8234: a hundred small files made from one pattern', {
    run: times(100, (i) =>
      does(
        'write_file',
        { file_path: `data/item-${i}.json`, content: `{"id":${i},"name":"${prose(i)}"}` },
        'Successfully created and wrote to new file.',
      ),
    ),
  });
  story('two helpers ask a server for the same, each for itself', {
    run: laps(2, () =>
      ['left', 'right'].map((agent) =>
        by(agent, does('mcp__docs__search', { query: 'retry policy' }, `${prose(3)}\n${uuid(1)}`)),
      ),
    ),
  });
  story('a plan said aloud before each step, and each step brings something', {
    run: times(14, (i) =>
      saying(
        `Next I will open the part ${i} of the handbook and note what it says about refunds.`,
        does('open_page', { page: i }, `${prose(i * 5)} ${prose(i * 5 + 2)}`),
      ),
    ),
  });
});
