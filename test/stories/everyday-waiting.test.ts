import { describe } from 'vitest';
import { does, fails, laps, says, times } from './beats.ts';
import { hex } from './noise.ts';
import { story } from './story.ts';

/** So many looks, and then what was waited for. */
const looks = (n: number, tool: string, args: { [name: string]: string }, waiting: string, end: string) => [
  ...times(n, () => does(tool, args, waiting)),
  does(tool, args, end),
];
const REFUSED =
  'curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused\nExit code 7';

describe('something that takes its time', () => {
  for (const [tool, waiting, end] of [
    ['get_job', '{"id":"job_1","status":{"state":"RUNNING"}}', '{"id":"job_1","status":{"state":"DONE"}}'],
    ['get_workflow_run', '{"id":7,"status":"in_progress","conclusion":null}', '{"status":"completed"}'],
    ['list_workflow_runs', '[{"id":7,"status":"queued"},{"id":6,"status":"completed"}]', '[]'],
    ['check_approval', 'Approval is still pending.', 'Approved by Eva.'],
    ['check_upload', 'Upload is still being processed, please check back later.', 'Here it is.'],
    ['kubectl_get', 'NAME READY STATUS\napi-1 0/1 ContainerCreating 0', 'api-1 1/1 Running'],
  ] as const) {
    story(`${tool}, a look now and then`, {
      run: looks(14, tool, { id: '7' }, waiting, end),
      pace: 15_000,
    });
    story(`${tool}, looked at as fast as it goes`, {
      run: times(60, () => does(tool, { id: '7' }, waiting)),
      pace: 2000,
      hears: ['6 nudge waiting', '24 ask waiting'],
    });
  }
  for (const [command, waiting, end] of [
    ['aws cloudformation describe-stacks --stack-name app', '"CREATE_IN_PROGRESS"', '"CREATE_COMPLETE"'],
    ['gcloud builds describe 7 --format="value(status)"', 'WORKING', 'SUCCESS'],
    ['curl -s https://api.example/jobs/7', '{"status":"running"}', '{"status":"done"}'],
    ['dig +short app.example.com @8.8.8.8', '203.0.113.7', '198.51.100.9'],
    ['ps aux | grep train.py', 'root 77 python train.py', ''],
    ['wc -l out.jsonl', '1200 out.jsonl', '1400 out.jsonl'],
    ['tail -n 5 build.log', 'Building CXX object foo.o', 'Built'],
  ] as const)
    story(`a look in a shell now and then: ${command}`, {
      run: looks(10, 'bash', { command }, waiting, end),
      pace: 15_000,
    });
  story('a word about something that runs is no status', {
    run: times(40, () => does('read_file', { path: 'notes.txt' }, 'running tests, pending a review')),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
  story('what starts something does not look at it', {
    run: times(40, () => does('trigger_build', { branch: 'main' }, { status: 'queued' })),
    toldBy: 4,
    endsBy: 8,
  });
});

describe('something that is over', () => {
  for (const [tool, answer] of [
    ['check_job_status', { status: 'FAILED', error: 'out of memory' }],
    ['get_deployment_status', { status: 'ERROR', message: 'image not found' }],
    ['task_output', '<status>completed</status>'],
  ] as const)
    story(`${tool}: ${JSON.stringify(answer)}`, {
      run: times(60, () => does(tool, { id: 'j1' }, answer)),
      pace: 12_000,
      hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
    });
});

describe('something that is not up yet', () => {
  for (const [command, answer] of [
    ['sleep 5; curl -sf http://localhost:8080/health', 'Exit code 7'],
    ['sleep 5; curl -s http://localhost:8080/health', REFUSED],
    ['curl -s http://localhost:8080/health', REFUSED],
    ['gh pr checks 12', 'build\tpending\t0\thttps://x.example/1\ntest\tpending\t0\thttps://x.example/2'],
  ] as const)
    story(`a look that fails for a while: ${command}`, {
      run: [
        does('bash', { command: 'docker compose up -d' }, 'Started'),
        ...times(14, () => fails('bash', { command }, answer)),
        does('bash', { command }, '{"status":"UP"}'),
      ],
      pace: 9000,
      nudges: 1,
      runsThrough: true,
    });
  story('a service that never comes', {
    run: times(60, (i) => fails('bash', { command: `curl -s http://localhost:8080/p${i}` }, REFUSED)),
    pace: 4000,
    hears: ['6 nudge waiting', '24 ask waiting'],
  });
  story('a wait with a mistake in it', {
    run: times(40, () =>
      fails('bash', { command: "sleep 30; gh run view 7 --jq '.status +'" }, 'failed to parse jq expression'),
    ),
    pace: 30_000,
    toldBy: 6,
    endsBy: 12,
  });
  for (const command of ['sleep 1', 'sleep 5 && echo waiting'])
    story(`nothing but waits: ${command}`, {
      run: times(60, () => does('bash', { command }, command === 'sleep 1' ? '' : 'waiting')),
      pace: 10_000,
      hears: ['6 nudge waiting', '24 ask waiting'],
    });
  story('a wait before every look', {
    run: laps(30, () => [
      does('bash', { command: 'sleep 30' }, ''),
      does('get_job', { id: 1 }, { state: 'RUNNING' }),
    ]),
    pace: 17_000,
  });
});

describe('answers that are no failures, and failures that are no answers', () => {
  story('contacts of which all are there', {
    run: times(30, (i) =>
      fails(
        'create_contact',
        { email: `${hex(i, 6)}@x.com` },
        '409 Conflict: a contact with this email already exists',
      ),
    ),
    nudges: 1,
    runsThrough: true,
  });
  story('the same contact, which is there', {
    run: times(30, () =>
      fails('create_contact', { email: 'a@x.com' }, '409 Conflict: a contact with this email already exists'),
    ),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
  story('a test that is run five times to be sure', {
    run: times(5, () => does('bash', { command: 'npx playwright test a.spec.ts' }, '  1 passed (4.2s)')),
  });
  story('a test that is run without end, and passes', {
    run: times(40, () => does('bash', { command: 'npx playwright test a.spec.ts' }, '  1 passed (4.2s)')),
    hears: ['6 nudge no-progress', '10 block no-progress', '12 ask no-progress'],
  });
  story('a test that is run without end, and fails behind a pipe', {
    run: times(40, () => does('bash', { command: 'npm test | tail -3' }, 'Tests: 1 failed, 4 passed')),
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
  story('cells that change what the next one finds', {
    run: laps(10, (i) => [
      does('python_repl', { code: `df = df.assign(${hex(i, 6)}=df.price*${i})\nprint("done")` }, 'done\n'),
      does('python_repl', { code: 'print(df.duplicated().sum())' }, '0\n'),
    ]),
  });
  story('the same cell again', {
    run: times(40, () => does('python_repl', { code: 'df = df.dropna()\nprint(len(df))' }, '120\n')),
    toldBy: 4,
    endsBy: 8,
  });
  for (const [tool, said] of [
    ['run_sql', (name: string) => `Query failed: column "${name}" does not exist`],
    ['read_file', (name: string) => `Error: File not found: /app/${name}.ts`],
  ] as const)
    story(`guesses, of which ${tool} says in words that they failed`, {
      run: times(40, (i) => does(tool, { about: `${hex(i, 6)}` }, said(hex(i, 6)))),
      toldBy: 6,
      endsBy: 14,
    });
});

describe('looks that are no waiting', () => {
  const orders = (count: number) =>
    laps(count, (i) => [does('get_order', { id: i % 6 }, { id: i % 6, status: 'processing' })]);
  story('six things in turn, as fast as it goes', { run: orders(80), pace: 4000, toldBy: 32, endsBy: 40 });
  story('six things in turn, a minute apart', { run: orders(80), pace: 60_000 });
  story('a slow model that looks at every turn', {
    run: times(80, () => does('get_job', { id: 1 }, { state: 'RUNNING' })),
    pace: 12_000,
    toldBy: 30,
    endsBy: 60,
  });
  story('ports that nobody listens at, one after the other', {
    run: times(60, (i) =>
      fails(
        'bash',
        { command: `curl localhost:${3000 + i}` },
        `curl: (7) Failed to connect to localhost port ${3000 + i}: Connection refused`,
      ),
    ),
    toldBy: 8,
    endsBy: 24,
  });
  story('waits of a minute, behind which nothing is looked at', {
    run: times(40, () => does('bash', { command: 'sleep 60' }, '')),
    pace: 62_000,
  });
  story('a site that is down, looked at every minute until it is up', {
    run: looks(12, 'get_site_status', { id: '7' }, '{"status":"error"}', '{"status":"ok"}'),
    pace: 60_000,
  });
  story('the same few words after each look at what takes its time', {
    run: laps(12, () => [does('job_status', { id: 1 }, { status: 'running' }), says('It is not ready yet.')]),
    pace: 30_000,
  });
});
