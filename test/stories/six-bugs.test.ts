import { describe } from 'vitest';
import { atOnce, COMPACTION, does, fails, laps, person, says, times } from './beats.ts';
import { file, hex, page, pid, seconds, timeOf, uuid } from './noise.ts';
import { story } from './story.ts';

/** The same call with the same result, over and over, as most stories about loops begin and end. */
const REPEAT = ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'];

const EDIT_MISSES =
  'The SEARCH block does not match anything in the file src/cart.ts. Read the file again before you try to change it.';

describe('A. blind to results: what kills those who wait', () => {
  story('gemini-cli#8237: an analysis that runs one script again and again, each time on new rows', {
    run: times(30, (i) =>
      does(
        'run_shell_command',
        { command: 'python analyse_next.py' },
        `batch ${i + 1} of 30\nrows read: ${2000 + i * 131}\nmean basket: ${(31.4 + i * 0.7).toFixed(2)}\n`,
      ),
    ),
  });

  story('OpenHands#5355: ten empty commands, waiting for a training run', {
    run: [
      does(
        'execute_bash',
        { command: 'python train.py --epochs 3' },
        'Epoch 1/3\n[no new output after 30 s]',
      ),
      ...times(10, () =>
        does(
          'execute_bash',
          { command: '', is_input: 'false' },
          '[The command has no new output after 30 s. Send an empty command to wait longer.]',
        ),
      ),
      does('execute_bash', { command: '' }, 'Epoch 3/3 done, loss 0.113'),
    ],
  });

  story('software-agent-sdk#762: told to look at a deployment every five minutes', {
    run: times(12, (i) =>
      does(
        'terminal',
        { command: 'kubectl rollout status deployment/api --timeout=1s' },
        `Waiting for deployment "api" rollout to finish: ${Math.floor(i / 4)} of 3 updated replicas are available...`,
      ),
    ),
    pace: 300_000,
  });

  story('typeclaw PR#669: three sub-agents watched in turn until each is done', {
    run: [
      ...laps(9, (i) =>
        ['scout', 'builder', 'critic'].map((name) =>
          does(
            'TaskOutput',
            { task_id: `${name}-${hex(7, 4)}`, block: false },
            `{"status":"running","elapsed":"${40 + i * 9}s"}`,
          ),
        ),
      ),
      ...['scout', 'builder', 'critic'].map((name) =>
        does(
          'TaskOutput',
          { task_id: `${name}-${hex(7, 4)}` },
          `{"status":"completed","result":"${name} found 3 places"}`,
        ),
      ),
    ],
    pace: 9000,
  });

  story('DeepSeek-Reasonix#3732: a snapshot without arguments shows another page each time', {
    run: laps(12, (i) => [
      does('browser_click', { ref: `e${31 + i}` }, `Clicked e${31 + i}`),
      does(
        'browser_snapshot',
        {},
        `- heading "Step ${i + 1} of 12"\n- textbox "answer ${i + 1}"\n- button "Next" [ref=e${32 + i}]`,
      ),
    ]),
  });
});

describe('B. results compared too strictly: what changes on every run hides a loop', () => {
  story('cortex#50173: a health check whose every answer has a new time and a new id', {
    run: times(40, (i) =>
      does(
        'exec',
        { command: 'curl -s http://localhost:8080/health' },
        `{"status":"starting","request_id":"${uuid(i)}","time":"${timeOf(i)}"}`,
      ),
    ),
    hears: ['6 nudge waiting', '24 ask waiting'],
  });

  story('the same with plain numbers under the names of JSON fields', {
    run: times(40, (i) =>
      does(
        'exec',
        { command: 'curl -s http://localhost:8080/health' },
        `{"status":"starting","uptime":${(41.7 + i * 2.3).toFixed(1)},"latency_ms":${3 + ((i * 7) % 11)},"pid":${pid(0)}}`,
      ),
    ),
    toldBy: 6,
    endsBy: 30,
  });

  story('openclaw#89090: the same message sent again, with a new message id each time', {
    run: times(20, (i) =>
      does(
        'message',
        { action: 'send', to: '#deploys', text: 'The deployment is done.' },
        `{"ok":true,"messageId":"${hex(i, 24)}","ts":"${timeOf(i)}"}`,
      ),
    ),
    hears: REPEAT,
  });

  story('hermes#124072: a notebook cell that does nothing, run 186 times; only its counter moves', {
    run: times(186, (i) =>
      does('execute_cell', { notebook: 'eda.ipynb', cell: 14 }, `{"execution_count":${i + 21},"outputs":[]}`),
    ),
    toldBy: 6,
    endsBy: 30,
  });

  story('hermes#124072: the same, where the counter is declared to say nothing', {
    run: times(186, (i) =>
      does('execute_cell', { notebook: 'eda.ipynb', cell: 14 }, `{"execution_count":${i + 21},"outputs":[]}`),
    ),
    config: { tools: { execute_cell: { volatile: ['execution_count'] } } },
    hears: REPEAT,
  });

  story('a number that falls is progress: a queue that empties, errors that get fewer', {
    run: laps(14, (i) => [
      does('bash', { command: 'redis-cli llen jobs' }, `(integer) ${912 - i * 61}`),
      does(
        'bash',
        { command: 'npx tsc --noEmit | tail -1' },
        `Found ${64 - i * 4} errors in ${17 - i} files.`,
      ),
    ]),
  });
});

describe('C. only what follows directly: cycles and fan-outs slip through', () => {
  story('cindy#2721: two searches that alternate for an hour', {
    run: laps(70, () => [
      does(
        'grep_files',
        { pattern: 'createSession', path: 'src' },
        'src/session.ts:41: export function createSession() {\nsrc/index.ts:9: createSession();',
      ),
      does(
        'grep_files',
        { pattern: 'destroySession', path: 'src' },
        'src/session.ts:88: export function destroySession() {',
      ),
    ]),
    hears: ['5 nudge no-progress', '8 block stale-rounds', '11 ask stale-rounds'],
  });

  story('openclacky PR#447: four calls in a ring, nine times', {
    run: laps(9, (i) => [
      does('file_reader', { path: 'config/app.yml' }, file('config/app.yml')),
      does('list_files', { path: 'config' }, 'app.yml\ndatabase.yml\nroutes.rb\nsecrets.yml\n'),
      does(
        'grep',
        { pattern: 'SECRET_KEY', path: '.' },
        'config/secrets.yml:3: SECRET_KEY: <%= ENV["KEY"] %>',
      ),
      does(
        'safe_shell',
        { command: 'bundle exec rails runner "puts 1"' },
        `Running via Spring preloader in process ${pid(i)}\n1\n`,
      ),
    ]),
    hears: ['7 nudge stale-rounds', '10 block stale-rounds', '12 ask stale-rounds'],
  });

  story('the same fan-out of three reads in every round', {
    run: times(20, () =>
      atOnce(
        ...['a', 'b', 'c'].map((name) =>
          does('Read', { file_path: `/app/src/${name}.ts` }, file(`${name}.ts`)),
        ),
      ),
    ),
    hears: ['7 nudge no-progress', '13 block no-progress', '16 ask refusals'],
  });

  story('a fan-out that a person lets go on runs again, and is watched from the beginning', {
    run: times(20, () =>
      atOnce(
        ...['a', 'b', 'c'].map((name) =>
          does('Read', { file_path: `/app/src/${name}.ts` }, file(`${name}.ts`)),
        ),
      ),
    ),
    approvals: 1,
    hears: [
      '7 nudge no-progress',
      '13 block no-progress',
      '16 ask refusals',
      '22 nudge same-result',
      '29 block no-progress',
      '34 ask refusals',
    ],
  });

  story('qwen-code PR#3236: five reads at once are no loop, nor is the same read twice in one round', {
    run: times(8, (i) =>
      atOnce(
        ...times(5, (k) => does('read_file', { path: `src/part${i}/f${k}.ts` }, file(`part${i}/f${k}.ts`))),
        does('read_file', { path: `src/part${i}/f0.ts` }, file(`part${i}/f0.ts`)),
      ),
    ),
  });

  story('agentic-dev-team#708: edit, test, edit, test: each failure another one', {
    run: laps(10, (i) => [
      does(
        'Edit',
        { file_path: '/app/src/cart.ts', old_string: `total${i}`, new_string: `sum${i}` },
        'The file /app/src/cart.ts has been updated.',
      ),
      fails(
        'Bash',
        { command: 'npm test' },
        `FAIL src/cart.test.ts\n  x rounds case ${i + 1} (${seconds(i)})\n  expected ${i * 3} to be ${i * 4}\nTests: ${20 - i} failed`,
      ),
    ]),
  });
});

describe('D. counters that are reset at the wrong time', () => {
  story('cline PR#8787: reading the file in between does not make a failing edit new', {
    run: laps(12, () => [
      fails(
        'replace_in_file',
        { path: 'src/cart.ts', diff: '------- SEARCH\nlet total;\n=======\nlet sum;\n+++++++ REPLACE' },
        EDIT_MISSES,
      ),
      does('read_file', { path: 'src/cart.ts' }, file('src/cart.ts')),
    ]),
    hears: ['5 nudge no-progress', '8 block stale-rounds', '11 ask refusals'],
  });

  story('codex#31928: a loop goes on behind a compaction, and is told at its third round all the same', {
    run: laps(8, (i) => [
      does('exec_command', { cmd: 'git status --short' }, ' M src/cart.ts\n?? notes.md\n'),
      ...(i % 2 === 1 ? [COMPACTION] : []),
    ]),
    hears: REPEAT,
  });

  story('after a compaction an agent may read again, once, what it has lost', {
    run: [
      ...times(6, (i) => does('Read', { file_path: `/app/src/m${i}.ts` }, file(`m${i}.ts`, 20 + i))),
      COMPACTION,
      ...times(6, (i) => does('Read', { file_path: `/app/src/m${i}.ts` }, file(`m${i}.ts`, 20 + i))),
      does(
        'Edit',
        { file_path: '/app/src/m1.ts', old_string: 'a', new_string: 'b' },
        'The file /app/src/m1.ts has been updated.',
      ),
    ],
  });

  story('n8n#37779: retries of the provider do not give the budget back', {
    run: laps(40, (i) => [
      { acts: [], text: `Looking at part ${i} of the table.`, usage: { input: 9000, output: 1000 } },
      { type: 'rewind' },
    ]),
    config: { detectors: { budget: { tokens: 200_000 } } },
    hears: ['0 nudge budget', '0 ask budget'],
  });

  story('n8n#37779: nor does a person who says "try again"', {
    run: laps(40, (i) => [
      person('Try again.'),
      {
        ...does('http_request', { url: `https://api.example.com/rows?page=${i}` }, `{"rows":${i * 50}}`),
        usage: { input: 9000, output: 1000 },
      },
    ]),
    config: { detectors: { budget: { tokens: 200_000 } } },
    hears: ['15 nudge budget', '19 ask budget'],
  });

  story('a new instruction makes an old look worth another one', {
    run: laps(6, (i) => [
      person(`Now do item ${i + 1} of the list.`),
      does(
        'Read',
        { file_path: '/app/TODO.md' },
        '# To do\n- [ ] login\n- [ ] logout\n- [ ] reset\n- [ ] profile\n',
      ),
      does('Bash', { command: 'git status --short' }, ''),
    ]),
  });
});

describe('E. a guard that warns, and the run goes on', () => {
  story('openclaw#70546: warned, and nothing follows', {
    run: times(21, () =>
      does('exec', { command: 'openclaw gateway status' }, 'Gateway: not reachable at ws://127.0.0.1:18789'),
    ),
    hears: REPEAT,
  });

  story('openclaw#34574: the same exec 121 times', {
    run: times(121, (i) =>
      does('exec', { command: 'node scripts/sync.js' }, `synced 0 items in ${seconds(i)}\n`),
    ),
    hears: REPEAT,
  });

  story('openclaw#106231: the blocked call comes back between other work; the run still ends', {
    run: [
      ...times(6, () => does('exec', { command: 'npm run lint' }, '2 problems (2 errors, 0 warnings)\n')),
      ...laps(200, (i) => [
        does('read', { path: `src/f${i}.ts` }, file(`f${i}.ts`)),
        does('exec', { command: 'npm run lint' }, '2 problems (2 errors, 0 warnings)\n'),
      ]),
    ],
    hears: ['3 nudge no-progress', '5 block no-progress', '8 ask no-progress'],
  });

  story('openclaw#64500: with one of a pair blocked, going on with the other ends the run too', {
    run: laps(40, () => [
      does('web_fetch', { url: 'https://docs.example.com/auth' }, `# Auth\n${page(1, 6)}`),
      does('memory_search', { query: 'auth token' }, 'No memories matched "auth token" in 214 entries.'),
    ]),
    hears: ['5 nudge no-progress', '8 block stale-rounds', '11 ask stale-rounds'],
  });

  story('gemini-for-kubernetes-development#680: with nobody to ask the run is halted, not left to end well', {
    run: times(21, () =>
      does('run_shell_command', { command: 'make verify' }, 'verify: nothing to be done for target "all".'),
    ),
    config: { attended: false },
    hears: ['3 nudge no-progress', '5 block no-progress', '7 halt no-progress'],
  });

  story('gemini-cli#19958: the agent is told first, listens, and hears no more', {
    run: [
      ...times(3, () =>
        does(
          'run_shell_command',
          { command: 'git log --oneline -5' },
          '9c1f2ab Fix rounding\n77ab310 Add coupon\n',
        ),
      ),
      does('read_file', { path: 'src/coupon.ts' }, file('coupon.ts')),
      does(
        'replace',
        { file_path: 'src/coupon.ts', old_string: 'x', new_string: 'y' },
        'Successfully modified file: src/coupon.ts',
      ),
      does('run_shell_command', { command: 'npm test' }, 'Tests  41 passed (41)'),
    ],
    hears: ['3 nudge no-progress'],
  });

  story('OpenHands#5480: a block is no end: who then takes another way is left alone', {
    run: [
      ...times(5, () =>
        does(
          'execute_bash',
          { command: 'cat /var/log/app.log | tail -3' },
          'app started\nlistening on 8080\nready to serve\n',
        ),
      ),
      ...times(30, (i) =>
        does('execute_bash', { command: `grep -c "code ${400 + i}" /var/log/app.log` }, `${i * 7}\n`),
      ),
    ],
    hears: ['3 nudge no-progress', '5 block no-progress'],
  });
});

describe('F. advice that teaches evasion, blocked calls that do not count, memory without end', () => {
  story('senpi PR#1118: a word more in the command does not make it another one', {
    run: times(60, (i) =>
      does(
        'bash',
        { command: `npm run check # attempt ${i + 1}` },
        'check: 3 files differ from the snapshot in test/__snapshots__\n',
      ),
    ),
    toldBy: 6,
    endsBy: 30,
  });

  story('xalgorix PR#226: calls that were blocked count', {
    run: laps(30, (i) => [
      atOnce(
        does('nmap_scan', { host: '10.0.0.5' }, 'PORT 22/tcp open ssh\nPORT 80/tcp open http\n'),
        does('nmap_scan', { host: '10.0.0.6' }, 'PORT 22/tcp open ssh\nPORT 443/tcp open https\n'),
        does(
          'http_probe',
          { url: 'http://10.0.0.5' },
          `HTTP/1.1 200 OK\nDate: ${timeOf(i)}\nServer: nginx\n`,
        ),
      ),
    ]),
    hears: ['7 nudge no-progress', '13 block no-progress', '16 ask refusals'],
  });

  story('cline PR#12543: a long run of real work leaves a small memory', {
    run: laps(100, (i) => [
      does('read_file', { path: `src/gen/${i}.ts` }, file(`gen/${i}.ts`)),
      does(
        'write_to_file',
        { path: `src/gen/${i}.ts`, content: file(`gen/${i}.ts`, 13) },
        'The content was successfully saved.',
      ),
      says(`Part ${i} of the migration is written; ${hex(i, 8)} comes next.`),
    ]),
  });
});
