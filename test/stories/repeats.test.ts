import { describe } from 'vitest';
import { atOnce, does, laps, times } from './beats.ts';
import { file, hex, page, pid, seconds, timeOf, uuid } from './noise.ts';
import { openStory, story } from './story.ts';

const REPEAT = ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'];

describe('the same call again', () => {
  story('claude-code#35166: the same request every minute, for hours', {
    run: times(180, (i) =>
      does(
        'Bash',
        { command: 'curl -s https://api.example.com/v1/report', description: `Check the report (${i})` },
        `{"report":null,"served":"${timeOf(i)}"}`,
      ),
    ),
    pace: 60_000,
    hears: REPEAT,
  });
  story('openclaw PR#17118: 1,535 calls in two hours', {
    run: times(400, (i) =>
      does(
        'exec',
        { command: 'ls -la /workspace/out' },
        `total 8\ndrwxr-xr-x 2 node node 4096 Mar  9 08:${10 + (i % 50)} .\n`,
      ),
    ),
    hears: REPEAT,
  });
  story('pi#6158: the same ls six times', {
    run: times(11, () => does('bash', { command: 'ls' }, 'README.md\npackage.json\nsrc\ntest\n')),
    hears: REPEAT,
  });
  story('nanobot#3073: fifteen reads of one file', {
    run: times(15, () => does('read_file', { path: 'memory/MEMORY.md' }, file('MEMORY.md'))),
    hears: REPEAT,
  });
  story('openai-agents-js#512: the fetch tool that cannot be left alone', {
    run: times(30, (i) =>
      does(
        'fetch_page',
        { url: 'https://example.com/' },
        `<html><!-- ${uuid(i)} --><body><h1>Example Domain</h1></body></html>`,
      ),
    ),
    hears: REPEAT,
  });
  story('langgraph#4231: the same memory saved over and over', {
    run: times(20, (i) =>
      does('save_memory', { content: 'The user likes tea.' }, `Memory saved with id ${uuid(i)}`),
    ),
    hears: REPEAT,
  });
  story('n8n#22310: a data table that is asked the same for ever', {
    run: times(60, () => does('Get_row_s_in_Data_table', { filter: { email: 'a@example.com' } }, '[]')),
    hears: REPEAT,
  });
  story('superplane#4123: nothing found is taken for nothing asked', {
    run: times(30, () => does('search_docs', { query: 'canvas template', limit: 10 }, '[]')),
    hears: REPEAT,
  });
  story('mcp-memory-service#1096: a server asked the same a hundred thousand times', {
    run: times(300, (i) =>
      does(
        'mcp__memory__retrieve_memory',
        { query: 'deploy key', n_results: 5 },
        `{"memories":[],"query_time":"${seconds(i)}"}`,
      ),
    ),
    hears: REPEAT,
  });
  story('crush#3108: the reproducer that was filed against three agents: one identical call without end', {
    run: times(50, () => does('view', { file_path: 'README.md' }, '# Hello\n')),
    config: { attended: false },
    hears: ['3 nudge no-progress', '5 block no-progress', '7 halt no-progress'],
  });
  story('goose#5155: the depth grows for ever, what is shown stays the same', {
    run: times(30, (i) =>
      does(
        'developer__tree',
        { path: '/app', max_depth: i + 3 },
        `/app\n├── package.json\n├── src\n│   ├── index.ts\n│   ├── cart.ts\n│   └── price.ts\n├── test\n│   ├── cart.test.ts\n│   └── price.test.ts\n└── tsconfig.json\n\n3 directories, 8 files, 41 lines of output in all\n`,
      ),
    ),
    hears: ['3 nudge same-result', '8 ask same-result'],
  });
  story('openclaw#112479: two spellings of one path in turn', {
    run: laps(20, () => [
      does('read', { path: 'src/cart.ts' }, file('src/cart.ts')),
      does('read', { path: './src/cart.ts' }, file('src/cart.ts')),
    ]),
    hears: ['3 nudge same-result', '7 block stale-rounds', '9 ask stale-rounds'],
  });
  story('dmtools-agents PR#403: a throw-away word in every command, for eight hours', {
    run: times(300, (i) =>
      does(
        'bash',
        { command: `echo ${hex(i, 6)} > /dev/null; cat status.txt` },
        'tests: not started, waiting for the runner\n',
      ),
    ),
    toldBy: 6,
    endsBy: 30,
  });
  story('openclaw#112479: a note that says how often it was tried is no progress', {
    run: laps(60, (i) => [
      does(
        'write_file',
        { path: 'progress.md', content: `attempt ${i + 1}: looked at the jobs` },
        'File written: progress.md',
      ),
      does('list_jobs', { queue: 'exports' }, '[{"id":"nightly","state":"queued","owner":"reports"}]'),
    ]),
    toldBy: 24,
    endsBy: 80,
  });
  openStory('openclaw#112479: nor is a file of its own for every look', {
    run: times(200, (i) =>
      does(
        'exec',
        { command: `echo ${hex(i, 6)} > /tmp/probe-${i}; cat out/status.txt` },
        'export: not started, waiting for the runner to pick it up\n',
      ),
    ),
    toldBy: 12,
    endsBy: 60,
  });
  story('gsd-pi#783: one intent through bash, node and python in turn', {
    run: laps(20, () => [
      does('bash', { command: 'cat package.json' }, file('package.json')),
      does(
        'bash',
        { command: "node -e \"console.log(require('fs').readFileSync('package.json', 'utf8'))\"" },
        file('package.json'),
      ),
      does('bash', { command: 'python3 -c "print(open(\'package.json\').read())"' }, file('package.json')),
    ]),
    toldBy: 6,
    endsBy: 30,
  });
  story('deer-flow PR#1578: only the description of the call changes', {
    run: times(20, (i) =>
      does(
        'bash',
        { command: 'ls /mnt/data', description: `Look at the data folder, take ${i}` },
        'sales.csv\nusers.csv\n',
      ),
    ),
    hears: REPEAT,
  });
  story('gemini-cli PR#16954: the same empty answer from 26 folders, one after the other', {
    run: times(26, (i) =>
      does(
        'list_directory',
        { path: `/repo/packages/p${i}` },
        'Directory is empty or holds only files that are ignored.',
      ),
    ),
    hears: ['4 nudge stale-rounds', '17 ask stale-run'],
  });
  story('oh-my-opencode-slim PR#1120: busy waiting with the time printed each time', {
    run: times(50, (i) =>
      does(
        'bash',
        { command: 'cat .agent/status.json' },
        `{"state":"working","checked_at":"${timeOf(i, 900)}","pid":${pid(0)}}`,
      ),
    ),
    hears: ['6 nudge waiting', '24 ask waiting'],
  });
});

describe('much of the same, and all of it work', () => {
  story('gemini-cli#5873: forty files moved and their imports mended', {
    run: laps(20, (i) => [
      does('run_shell_command', { command: `git mv src/old/c${i}.tsx src/ui/c${i}.tsx` }, ''),
      does(
        'replace',
        { file_path: `src/ui/c${i}.tsx`, old_string: "'../old", new_string: "'../ui" },
        'Successfully modified file (1 replacements).',
      ),
    ]),
  });
  story('ANOLISA PR#2719: five different commands of one tool', {
    run: ['npm ci', 'npm run build', 'npm test', 'npm run lint', 'npm pack --dry-run'].map((command, i) =>
      does('terminal', { command }, `> shop@1.0.0\n> ${command}\n\ndone in ${seconds(i)}\n`),
    ),
  });
  story('deer-flow#2511: an experiment with thirty settings', {
    run: times(30, (i) =>
      does(
        'bash',
        { command: `python simulate.py --alpha ${(i / 30).toFixed(3)} --seed 7` },
        `alpha=${(i / 30).toFixed(3)} steady=${(0.41 + i * 0.013).toFixed(4)} (${seconds(i)})\n`,
      ),
    ),
  });
  story('QwenPaw#5906: a memory asked for many things', {
    run: times(16, (i) =>
      does(
        'memory_search',
        { query: `${['birthday', 'city', 'diet', 'pets'][i % 4]} of ${hex(i, 4)}` },
        i % 3 === 0 ? '[]' : `[{"text":"note ${hex(i, 8)}"}]`,
      ),
    ),
  });
  story('the same line added to thirty files', {
    run: times(30, (i) =>
      does(
        'Edit',
        {
          file_path: `/app/src/routes/r${i}.ts`,
          old_string: 'import express',
          new_string: "import 'source-map';\nimport express",
        },
        `The file /app/src/routes/r${i}.ts has been updated.`,
      ),
    ),
  });
  story('a batch of thirty orders cancelled, each answered alike', {
    run: times(30, (i) =>
      does(
        'cancel_order',
        { order_id: `#W${58_000 + i * 7}` },
        'The order was cancelled, and the refund is on its way.',
      ),
    ),
  });
  story('twenty screenshots, each read with the same words around it', {
    run: times(20, (i) =>
      does('view_image', { path: `/tmp/shots/page-${i}.png` }, `Image loaded: 1280x720, ${120 + i * 3} kB`),
    ),
  });
  story('thoughts and to-do lists between steps are no steps', {
    run: laps(12, (i) => [
      does(
        'TodoWrite',
        { todos: [{ content: 'Port the modules', status: 'in_progress' }] },
        'Todos have been modified successfully.',
      ),
      does('sequentialthinking', { thought: 'Next module.' }, '{"nextThoughtNeeded":true}'),
      does(
        'Write',
        { file_path: `/app/lib/m${i}.py`, content: file(`m${i}.py`) },
        `File created successfully at: /app/lib/m${i}.py`,
      ),
    ]),
  });
  story('OpenHands#7183: hello world: written, run, done', {
    run: [
      does(
        'str_replace_editor',
        { command: 'create', path: '/workspace/hello.sh', file_text: 'echo hello' },
        'File created successfully at: /workspace/hello.sh',
      ),
      does('execute_bash', { command: 'bash hello.sh' }, 'hello\n[Command finished with exit code 0]'),
      does('execute_bash', { command: 'bash hello.sh' }, 'hello\n[Command finished with exit code 0]'),
      does('finish', { message: 'hello.sh prints hello.' }, ''),
    ],
  });
  story('zeroclaw PR#7442: two spawns with the same prompt in one round are meant so', {
    run: [
      atOnce(
        ...times(2, (i) =>
          does('spawn_agent', { prompt: 'Propose a name for the library.' }, `Proposal: ${hex(i, 6)}`),
        ),
      ),
      atOnce(
        ...times(2, (i) =>
          does('spawn_agent', { prompt: 'Propose a logo for the library.' }, `Proposal: ${hex(i + 9, 6)}`),
        ),
      ),
    ],
  });
  story('eight names that nobody uses any more: nothing found, eight times', {
    run: times(8, (i) => does('Grep', { pattern: `legacyHelper${i}`, path: '/app/src' }, 'No files found')),
  });
  story('ids that were asked for are answers, not noise', {
    run: ['main', 'develop', 'release', 'hotfix', 'v1.0', 'v1.1', 'v2.0', 'v2.1'].map((ref, i) =>
      does('Bash', { command: `git rev-parse ${ref}` }, `${hex(i, 40)}\n`),
    ),
  });
  story('fifteen searches of the web, every one answered with other pages', {
    run: times(15, (i) =>
      does(
        'WebSearch',
        { query: `sqlite fts5 ranking ${hex(i, 5)}` },
        `1. ${hex(i, 10)} - example.org/${i}\n2. ${hex(i + 40, 10)} - example.net/${i}\n${page(i * 5, 3)}`,
      ),
    ),
  });
  story('the same list of things to do, written down again and again', {
    run: times(40, () =>
      does('TodoWrite', { todos: ['Read the plan', 'Follow the plan'] }, 'Todos have been modified.'),
    ),
    hears: ['4 nudge idle-repeat', '16 ask idle-repeat'],
  });
  story('a list of things to do that others work on, looked at by what is under way', {
    run: times(30, () => does('TaskList', { status: 'in_progress' }, '#1 api (agent a)\n#2 ui (agent b)')),
  });
  story('a list of things to do that nobody works on, looked at without end', {
    run: times(244, () => does('TodoRead', {}, '1. [ ] Read the plan\n2. [ ] Follow the plan')),
    hears: ['60 nudge idle-repeat', '240 ask idle-repeat'],
  });
  story('things to do are put down one by one, and none is overdue', {
    run: laps(30, (i) => [
      does('create_todo', { title: `Buy ${hex(i, 6)}` }, `Created ${i}.`),
      does('list_todos', { filter: 'overdue' }, '[]'),
    ]),
  });
  story('the same thought, and the tool counts along', {
    run: times(40, (i) =>
      does(
        'sequentialthinking',
        { thought: 'First the plan.', thoughtNumber: 1, totalThoughts: 5, nextThoughtNeeded: true },
        { thoughtNumber: 1, totalThoughts: 5, nextThoughtNeeded: true, thoughtHistoryLength: i + 1 },
      ),
    ),
    hears: ['4 nudge idle-repeat', '16 ask idle-repeat'],
  });
  story('the same ticket opened without end, under a new number each time', {
    run: times(36, (i) => does('create_ticket', { title: 'Printer' }, `Created ticket #${i + 100}.`)),
    hears: ['10 nudge repeated-write', '32 ask repeated-write'],
  });
  story('eight seats of one kind', {
    run: times(8, (i) => does('book_seat', { row: 'any' }, `Seat ${i + 1}A is booked.`)),
  });
  story('the same reply to each of many tickets that are read before', {
    run: laps(20, (i) => [
      does('get_next_ticket', {}, `Ticket ${hex(i, 6)}: how do I reset my password?`),
      does('reply_to_current', { template: 'password' }, `Reply ${i} was sent.`),
    ]),
  });
  story('one thought, and work in between', {
    run: laps(20, (i) => [
      does('think', { thought: 'Next file.' }, 'ok'),
      does('Read', { file_path: `/app/${i}.ts` }, page(i * 9, 9)),
    ]),
  });
  story('a chain of thoughts', {
    run: times(30, (i) => does('sequentialthinking', { thought: hex(i, 20), thoughtNumber: i }, 'ok')),
  });
  story('the same search five times in every response', {
    run: times(12, () =>
      atOnce(...times(5, () => does('search', { query: 'createSession' }, 'Nothing was found.'))),
    ),
    hears: ['11 nudge no-progress', '21 block no-progress', '31 ask no-progress'],
  });
});
