import { describe } from 'vitest';
import { does, laps, times } from './beats.ts';
import { hex, pid, prose, seconds, timeOf, uuid } from './noise.ts';
import { story } from './story.ts';

describe('waiting that is allowed', () => {
  story('router PR#1123: Codex looks at a running command with empty input', {
    run: [
      does(
        'exec_command',
        { cmd: 'npm run e2e', yield_time_ms: 10_000 },
        `Chunk ID: ${hex(1, 6)}\nProcess running with session ID 41207\nOutput:\n`,
      ),
      ...times(25, (i) =>
        does(
          'write_stdin',
          { session_id: 41_207, chars: '', yield_time_ms: 30_000 },
          `Chunk ID: ${hex(i + 2, 6)}\nWall time: 30.0${i % 10} seconds\nProcess running with session ID 41207\nOutput:\n`,
        ),
      ),
      does(
        'write_stdin',
        { session_id: 41_207, chars: '' },
        'Process exited with code 0\nOutput:\n38 passed\n',
      ),
    ],
    pace: 30_000,
  });
  story('the same without a clock', {
    run: times(50, (i) =>
      does(
        'write_stdin',
        { session_id: 7, chars: '' },
        `Wall time: 30.0${i % 10} seconds\nProcess running with session ID 7\nOutput:\n`,
      ),
    ),
  });
  story('stella#359: output and a short sleep in turn, while a build runs', {
    run: laps(12, (i) => [
      does('read_output', { shell_id: 'build-1' }, `[${i * 4}/96] compiling ${hex(i, 5)}.o`),
      does('bash', { command: 'sleep 5' }, ''),
    ]),
    pace: 5000,
  });
  story('stella#359: the same, when the build says nothing meanwhile', {
    run: laps(20, () => [
      does('read_output', { shell_id: 'build-1' }, '(no new output)'),
      does('bash', { command: 'sleep 20' }, ''),
    ]),
    pace: 20_000,
  });
  story('qwen-code PR#9492: a task list looked at while others work', {
    run: times(20, (i) => does('task_list', {}, `1. build: running (${i * 7}s)\n2. docs: queued\n`)),
    pace: 7000,
  });
  story('openclaw#23874: a process polled every ten seconds until it ends', {
    run: [
      ...times(30, () =>
        does(
          'process',
          { action: 'poll', sessionId: 'calm-reef' },
          '(no new output)\n\nProcess still running.',
        ),
      ),
      does('process', { action: 'poll', sessionId: 'calm-reef' }, 'done\n\nProcess exited with code 0.'),
    ],
    pace: 10_000,
  });
  story('a pipeline watched through the shell', {
    run: times(18, (i) =>
      does(
        'Bash',
        { command: 'sleep 30 && gh run view 812 --json status,conclusion' },
        `{"conclusion":"","status":"in_progress","updatedAt":"${timeOf(i)}"}`,
      ),
    ),
    pace: 31_000,
  });
  story('pods that come up one after the other', {
    run: times(14, (i) =>
      does(
        'run_shell_command',
        { command: 'kubectl get pods -n shop' },
        `api-${hex(3, 5)}   ${i > 9 ? 1 : 0}/1   ${i > 9 ? 'Running' : 'ContainerCreating'}   0   ${i * 8}s\n`,
      ),
    ),
    pace: 8000,
  });
  story('openclaw#132021: a slow local model: every turn takes minutes, and the work goes on', {
    run: times(12, (i) => does('read', { path: `notes/${i}.md` }, `# Note ${i}\n${prose(i)}`)),
    pace: 240_000,
  });
  story('a tool of oh-my-opencode that shows how a task gets on, looked at twice a minute', {
    run: [
      ...times(15, (i) =>
        does(
          'background_output',
          { task_id: 'bg_4f1c' },
          `Task is still running (${i * 30}s).\nAgent: explore\nLast tool: grep`,
        ),
      ),
      does(
        'background_output',
        { task_id: 'bg_4f1c' },
        'Task completed.\nThe handler is in src/http/router.ts.',
      ),
    ],
    pace: 30_000,
  });
  story('the output of a process, looked at until it comes', {
    run: [
      ...times(12, () =>
        does(
          'read_process_output',
          { pid: 8841, timeout_ms: 10_000 },
          'Process 8841: no new output, still running.',
        ),
      ),
      does('read_process_output', { pid: 8841 }, 'Finished: 38 passed'),
    ],
    pace: 10_000,
  });
  story('a log looked at between two sleeps', {
    run: laps(12, () => [
      does('Bash', { command: 'sleep 240' }, ''),
      does('Bash', { command: 'tail -n 2 train.log' }, 'epoch 3 started\nsaving checkpoints to out/\n'),
    ]),
    pace: 240_000,
  });
});

describe('waiting that is none', () => {
  story('claude-code#13315: an output without content, asked for without end, at once', {
    run: times(300, () => does('BashOutput', { bash_id: 'bash_1' }, '<system>No new output</system>')),
    pace: 1500,
    hears: ['12 nudge waiting', '240 ask waiting'],
  });
  story('the same without a clock: said later, ended all the same', {
    run: times(300, () => does('BashOutput', { bash_id: 'bash_1' }, '<system>No new output</system>')),
    hears: ['60 nudge waiting', '240 ask waiting'],
  });
  story('oh-my-opencode-slim PR#1120: a status looked at as fast as it goes, its time printed each time', {
    run: times(300, (i) =>
      does(
        'task_output',
        { task_id: 'bg_1' },
        `status: running\nchecked: ${timeOf(i, 800)}\nelapsed: ${i + 3}s`,
      ),
    ),
    pace: 800,
    hears: ['12 nudge waiting', '240 ask waiting'],
  });
  story('a job that died: looked at for hours', {
    run: times(300, (i) =>
      does(
        'get_job_status',
        { job: 'nightly' },
        `{"job":"nightly","state":"lost","asked":"${timeOf(i)}","trace":"${uuid(i)}"}`,
      ),
    ),
    pace: 60_000,
    hears: ['60 nudge waiting', '240 ask waiting'],
  });
  story('a command that has nothing to do with waiting is not saved by a clock', {
    run: times(40, (i) =>
      does('Bash', { command: 'cat build.log' }, `build started by pid ${pid(i)}\nwaiting (${seconds(i)})\n`),
    ),
    pace: 2000,
    hears: ['3 nudge no-progress', '5 block no-progress', '7 ask no-progress'],
  });
});
