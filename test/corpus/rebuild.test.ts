import { spawnSync } from 'node:child_process';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toLabel } from '../../src/report/label.ts';
import { readTrace } from '../../src/transcripts/trace.ts';
import { CHECKPOINTS, checkpoint, lines, makeClone } from './made-up-clones.ts';

const REBUILD = fileURLToPath(new URL('../../scripts/corpus/rebuild.mjs', import.meta.url));
const AT = '2026-01-02T03:04:05.678Z';
const AT_MS = Date.parse(AT);

let folder = '';
let clones = '';
let out = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deloop-test-'));
  clones = join(folder, 'clones');
  out = join(folder, 'out');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function rebuild(...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [REBUILD, ...flags], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

/** Rebuilds one source, whose clones must all be there; gives the names of its traces, which deloop must be able to read. */
async function rebuilt(source: string): Promise<readonly string[]> {
  const { status, err } = rebuild('--clones', clones, '--out', out, '--source', source);
  expect(err.replace(/^.*runs may differ\n/gm, '')).toBe('');
  expect(status).toBe(0);
  const names = readdirSync(join(out, source)).sort();
  for (const name of names)
    for await (const line of readTrace(createReadStream(join(out, source, name))))
      expect(line).not.toHaveProperty('error');
  return names;
}

function trace(source: string, name: string): readonly { readonly [name: string]: unknown }[] {
  const text = readFileSync(join(out, source, `${name}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('sources', () => {
  it('intercode: an action is a call, an observation its result', async () => {
    const record = (actions: readonly string[], history: object) => ({
      query: 'Which tables are there?',
      turn_history: { actions, ...history },
      summary: { max_reward: 0.5 },
    });
    makeClone(clones, 'princeton-nlp/intercode', 'master', {
      'data/results/sql/m/ic_sql_multiturn_m-1_10_turns_handicap.json': {
        7: record(['SHOW', 'SHOW TABLES'], {
          observations: ['Error executing query: bad', [1]],
          valid_action: [false, true],
        }),
        settings: {},
      },
      'data/results/bash/gpt-3.5/ic_bash_react_10_turns_fs_1.json': {
        0: record(['execute[cat a]'], {
          thoughts: ['I read it.'],
          observations: ['cat: a: No such file or directory'],
          valid_action: [true],
        }),
      },
      'data/sql/ic_sql_other_10_turns.json': {},
    });
    expect(await rebuilt('intercode')).toEqual([
      'ic-bash_react_10t_fs_1-0.jsonl',
      'ic-sql_m-1_10t_handicap-7.jsonl',
    ]);
    expect(trace('intercode', 'ic-sql_m-1_10t_handicap-7')).toEqual([
      {
        type: 'session',
        source: 'intercode',
        model: 'm-1',
        agentName: 'InterCode try-again',
        outcome: false,
        reward: 0.5,
      },
      { type: 'user', text: 'Which tables are there?' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c1', tool: 'sql', args: { code: 'SHOW' } },
      { type: 'tool-result', id: 'c1', ok: false, output: 'Error executing query: bad' },
      { type: 'turn' },
      { type: 'tool-call', id: 'c2', tool: 'sql', args: { code: 'SHOW TABLES' } },
      { type: 'tool-result', id: 'c2', ok: true, output: '1' },
    ]);
    expect(trace('intercode', 'ic-bash_react_10t_fs_1-0').slice(2)).toEqual([
      { type: 'turn', text: 'I read it.' },
      { type: 'tool-call', id: 'c1', tool: 'bash', args: { command: 'execute[cat a]' } },
      { type: 'tool-result', id: 'c1', ok: false, output: 'cat: a: No such file or directory' },
    ]);
  });

  it('tau-bench: ids that return are numbered', async () => {
    const call = { id: 'x', function: { name: 'find', arguments: '{"a":1}' } };
    const answered = (content: string) => ({ role: 'tool', tool_call_id: 'x', content });
    makeClone(clones, 'sierra-research/tau-bench', 'main', {
      'historical_trajectories/gpt-4o-airline.json': [
        {
          task_id: 4,
          trial: 1,
          reward: 1,
          traj: [
            { role: 'system', content: 'policy' },
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: null, tool_calls: [call] },
            answered('Error: none'),
            { role: 'assistant', content: 'Again.', tool_calls: [call] },
            answered('found'),
          ],
        },
      ],
    });
    expect(await rebuilt('tau-bench-gpt4o-airline')).toEqual(['taub-air-4-t1.jsonl']);
    expect(trace('tau-bench-gpt4o-airline', 'taub-air-4-t1').slice(1)).toEqual([
      { type: 'user', text: 'Hi' },
      { type: 'turn' },
      { type: 'tool-call', id: 'x', tool: 'find', args: { a: 1 } },
      { type: 'tool-result', id: 'x', ok: false, output: 'Error: none' },
      { type: 'turn', text: 'Again.' },
      { type: 'tool-call', id: 'x~2', tool: 'find', args: { a: 1 } },
      { type: 'tool-result', id: 'x~2', ok: true, output: 'found' },
    ]);
  });

  it('hotpotqa: runs are numbered through a trial, over its groups', async () => {
    const run = (question: string, answer: string) =>
      `\nQuestion: ${question}\nThought 1: Look.\nAction 1: Search[a [b]]\nObservation 1: Could not find [a].\nSimilar: c\n` +
      `Thought 2: Done.\nAction 2: Finish[c]\nObservation 2: Answer is ${answer}\nCorrect answer: d\n`;
    const trial = (number: number) =>
      `\n####\nBEGIN TRIAL ${number}\nTrial summary: Correct: 1\n####\n------------- BEGIN CORRECT AGENTS -------------\n` +
      `${run('One?', 'CORRECT')}------------- BEGIN INCORRECT AGENTS -----------\n${run('Two?\nAfter a reflection.', 'INCORRECT')}` +
      '------------- BEGIN HALTED AGENTS --------------\n';
    const folder = 'hotpotqa_runs/root/ReAct';
    makeClone(clones, 'noahshinn/reflexion', 'main', {
      [`${folder}/base/100_questions_5_trials.txt`]: trial(1) + trial(2),
    });
    expect(await rebuilt('hotpotqa-react')).toEqual([
      'hp-base-t1-c1.jsonl',
      'hp-base-t1-i2.jsonl',
      'hp-base-t2-c1.jsonl',
      'hp-base-t2-i2.jsonl',
    ]);
    expect(trace('hotpotqa-react', 'hp-base-t2-i2')).toEqual([
      {
        type: 'session',
        source: 'hotpotqa-react',
        model: 'text-davinci-003',
        agentName: 'ReAct',
        outcome: false,
      },
      { type: 'user', text: 'Question: Two?\nAfter a reflection.' },
      { type: 'turn', text: 'Look.' },
      { type: 'tool-call', id: 'c1', tool: 'Search', args: { q: 'a [b]' } },
      { type: 'tool-result', id: 'c1', ok: false, output: 'Could not find [a].\nSimilar: c' },
      { type: 'turn', text: 'Done.' },
      { type: 'tool-call', id: 'c2', tool: 'Finish', args: { q: 'c' } },
      { type: 'tool-result', id: 'c2', ok: true, output: 'Answer is INCORRECT' },
    ]);
  });

  it('trail: a step of the code agent is a call around the calls of its code', async () => {
    const span = (
      span_name: string,
      attributes: object,
      child_spans: readonly object[] = [],
      rest: object = {},
    ) => ({
      span_name,
      timestamp: AT,
      status_code: 'Ok',
      span_attributes: attributes,
      events: [],
      child_spans,
      ...rest,
    });
    const kind = (name: string) => ({ 'openinference.span.kind': name });
    const model = (content: string | null) =>
      span('Model', {
        ...kind('LLM'),
        'llm.model_name': 'm',
        'llm.token_count.prompt': '5',
        'llm.token_count.completion': 2,
        'output.value': JSON.stringify({ content }),
      });
    const failure = { 'exception.type': 'x.TypeError', 'exception.message': 'no such argument' };
    const down = span(
      'PageDownTool',
      { ...kind('TOOL'), 'tool.name': 'page_down', 'input.value': '{"args":[],"kwargs":{"":""}}' },
      [],
      { status_code: 'Error', events: [{ Name: 'exception', Attributes: failure }] },
    );
    const searching = span('ToolCallingAgent.run', kind('AGENT'), [
      span('Step 1', kind('CHAIN'), [model(null), down]),
    ]);
    const step = span('Step 1', { ...kind('CHAIN'), 'output.value': 'logs' }, [
      model('Ask.\n```py\nsearch_agent()\n```'),
      searching,
    ]);
    makeClone(clones, 'patronus-ai/trail-benchmark', 'main', {
      'benchmarking/data/GAIA/0123456789abcdef.json': {
        spans: [span('main', {}, [span('CodeAgent.run', kind('AGENT'), [step]), model('The end.')])],
      },
    });
    expect(await rebuilt('trail-smolagents')).toEqual(['trail-gaia-01234567.jsonl']);
    const usage = { input: 5, output: 2 };
    const manager = { at: AT_MS, agent: 'manager' };
    const search = { at: AT_MS, agent: 'search_agent' };
    expect(trace('trail-smolagents', 'trail-gaia-01234567').slice(1)).toEqual([
      { type: 'turn', ...manager, text: 'Ask.\n```py\nsearch_agent()\n```', usage },
      {
        type: 'tool-call',
        ...manager,
        id: 'c1',
        tool: 'python_interpreter',
        args: { code: 'search_agent()\n' },
      },
      { type: 'turn', ...search, text: '', usage },
      { type: 'tool-call', ...search, id: 'c2', tool: 'page_down', args: { '': '' } },
      { type: 'tool-result', ...search, id: 'c2', ok: false, output: 'TypeError: no such argument' },
      { type: 'tool-result', ...manager, id: 'c1', ok: true, output: 'logs' },
      { type: 'turn', at: AT_MS, text: 'The end.', usage },
    ]);
  });

  it('who-when: code that is run and work that is handed over are calls', async () => {
    const code = 'Run it.\n```python\nprint(1)\n```';
    makeClone(clones, 'mingyin1/Agents_Failure_Attribution', 'main', {
      'Who&When/Algorithm-Generated/3.json': {
        is_correct: false,
        history: [
          { name: 'Expert', content: code },
          { name: 'Computer_terminal', content: 'exitcode: 1 (execution failed)' },
          { name: 'Expert', content: code },
        ],
      },
      'Who&When/Hand-Crafted/4.json': {
        is_corrected: false,
        history: [
          { role: 'human', content: 'Find it.' },
          { role: 'Orchestrator (-> WebSurfer)', content: 'Search.' },
          { role: 'Orchestrator (thought)', content: 'Waiting.' },
          { role: 'Orchestrator (-> WebSurfer)', content: 'Search again.' },
          { role: 'WebSurfer', content: 'A page.' },
        ],
      },
    });
    expect(await rebuilt('who-when-multiagent')).toEqual(['ww-alg-3.jsonl', 'ww-hand-4.jsonl']);
    expect(trace('who-when-multiagent', 'ww-alg-3').slice(1)).toEqual([
      { type: 'turn', agent: 'Expert', text: code },
      { type: 'tool-call', agent: 'Expert', id: 'c1', tool: 'run_code', args: { code: 'print(1)\n' } },
      { type: 'tool-result', id: 'c1', ok: false, output: 'exitcode: 1 (execution failed)' },
      { type: 'turn', agent: 'Expert', text: code },
    ]);
    const delegated = { type: 'tool-call', agent: 'Orchestrator', tool: 'delegate:WebSurfer' };
    expect(trace('who-when-multiagent', 'ww-hand-4').slice(1)).toEqual([
      { type: 'user', text: 'Find it.' },
      { type: 'turn', agent: 'Orchestrator' },
      { ...delegated, id: 'c1', args: { instruction: 'Search.' } },
      { type: 'turn', agent: 'Orchestrator', text: 'Waiting.' },
      { type: 'tool-result', id: 'c1', ok: true, output: '' },
      { type: 'turn', agent: 'Orchestrator' },
      { ...delegated, id: 'c2', args: { instruction: 'Search again.' } },
      { type: 'tool-result', agent: 'WebSurfer', id: 'c2', ok: true, output: 'A page.' },
    ]);
  });

  it('tau2: the customer has tools of its own', async () => {
    const timestamp = AT.replace('Z', '');
    const call = { id: 'u', name: 'toggle', arguments: {} };
    const results = {
      info: { agent_info: { llm: 'm' } },
      simulations: [
        {
          id: 'abcdef01-2345',
          task_id: '[a|b]',
          trial: 0,
          reward_info: { reward: 0 },
          messages: [
            {
              role: 'assistant',
              content: 'Hello',
              timestamp,
              usage: { prompt_tokens: 3, completion_tokens: 1 },
            },
            { role: 'user', content: 'I try.', timestamp, tool_calls: [call], usage: { prompt_tokens: 9 } },
            { role: 'tool', id: 'u', content: 'off', timestamp, requestor: 'user', error: true },
          ],
        },
      ],
    };
    makeClone(clones, 'yoheinakajima/activegraph-tau2-bench', 'main', {
      'runs/20260102-030405-1/tau2_output/results.json': results,
    });
    makeClone(clones, 'hu-my/RedundancyBench', 'main', { 'LLM_judge/airline_resultstest.json': results });
    expect(await rebuilt('tau2-misc')).toEqual([
      't2ag-20260102-030405-1-_a_b_-0-abcdef.jsonl',
      't2red-_a_b_-0-abcdef.jsonl',
    ]);
    const customer = { at: AT_MS, agent: 'user_sim' };
    expect(trace('tau2-misc', 't2red-_a_b_-0-abcdef').slice(1)).toEqual([
      { type: 'turn', at: AT_MS, text: 'Hello', usage: { input: 3, output: 1 } },
      { type: 'user', at: AT_MS, text: 'I try.' },
      { type: 'turn', ...customer },
      { type: 'tool-call', ...customer, id: 'u', tool: 'toggle', args: {} },
      { type: 'tool-result', ...customer, id: 'u', ok: false, output: 'off' },
    ]);
  });
});

describe('checkpoints of coding sessions', () => {
  const SESSION = '00000000-0000-0000-0000-0123456789ab';
  const said = (id: string, ...content: readonly object[]) => ({
    type: 'assistant',
    timestamp: AT,
    message: {
      id,
      model: 'm',
      content,
      usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
    },
  });
  const asked = (content: unknown, rest: object = {}) => ({
    type: 'user',
    timestamp: AT,
    message: { content },
    ...rest,
  });
  const use = (id: string, input: object) => ({ type: 'tool_use', id, name: 'Bash', input });
  const result = (id: string, content: unknown) => asked([{ type: 'tool_result', tool_use_id: id, content }]);
  const usage = { input: 1, output: 2, cachedInput: 3 };

  it('claude code: one turn a response, the longest checkpoint of a session, and its sub-agents', async () => {
    const begun = [
      asked('Do it.'),
      asked('not from a person', { isMeta: true }),
      asked('what was before', { isCompactSummary: true }),
      said('r1', { type: 'thinking', thinking: 'hm' }),
      said('r1', { type: 'text', text: '\n\n' }),
      said('r1', { type: 'text', text: 'I will.' }),
      said('r1', use('t1', { command: 'a' })),
      said('r1', use('t2', { command: 'b' })),
      result('t1', [{ type: 'text', text: 'one' }]),
      asked([{ type: 'tool_result', tool_use_id: 't2', is_error: true, content: 'two' }]),
    ];
    const progress = (message: object) => ({
      type: 'progress',
      timestamp: AT,
      data: { type: 'agent_progress', agentId: 'a1', message },
    });
    const later = [progress(asked([{ type: 'text', text: 'Help.' }])), progress(said('r2', use('t3', {})))];
    makeClone(clones, 'entireio/cli', CHECKPOINTS, {
      ...checkpoint('aa/bb/0', SESSION, lines(...begun)),
      ...checkpoint('cc/dd/1', `2026-01-02-${SESSION}`, `${lines(...begun, ...later)}{"type":"us`),
      'README.md': 'no session',
    });
    expect(await rebuilt('claude-code-entireio')).toEqual([
      'ent-0123456789ab.jsonl',
      'ent-0123456789ab_a1.jsonl',
    ]);
    expect(trace('claude-code-entireio', 'ent-0123456789ab')).toEqual([
      { type: 'session', source: 'claude-code-entireio', model: 'm', agentName: 'Claude Code' },
      { type: 'user', at: AT_MS, text: 'Do it.' },
      { type: 'turn', at: AT_MS, text: 'I will.', usage },
      { type: 'tool-call', at: AT_MS, id: 't1', tool: 'Bash', args: { command: 'a' } },
      { type: 'tool-call', at: AT_MS, id: 't2', tool: 'Bash', args: { command: 'b' } },
      { type: 'tool-result', at: AT_MS, id: 't1', ok: true, output: 'one' },
      { type: 'tool-result', at: AT_MS, id: 't2', ok: false, output: 'two' },
    ]);
    expect(trace('claude-code-entireio', 'ent-0123456789ab_a1').slice(1)).toEqual([
      { type: 'user', at: AT_MS, text: 'Help.' },
      { type: 'turn', at: AT_MS, usage },
      { type: 'tool-call', at: AT_MS, id: 't3', tool: 'Bash', args: {} },
    ]);
  });

  it('codex and copilot', async () => {
    const item = (payload: object, type = 'response_item') => ({ type, timestamp: AT, payload });
    const codex = lines(
      item({}, 'session_meta'),
      item({ model: 'm' }, 'turn_context'),
      item({ type: 'user_message', message: 'Go.' }, 'event_msg'),
      item({ type: 'function_call', call_id: '1', name: 'exec', arguments: '{"cmd":"ls"}' }),
      item({ type: 'custom_tool_call', call_id: '2', name: 'apply_patch', input: 'patch' }),
      item({
        type: 'function_call_output',
        call_id: '1',
        output: 'Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\n',
      }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Again.' }] }),
      item({ type: 'function_call', call_id: '3', name: 'exec', arguments: 'not json' }),
    );
    const event = (type: string, data: object) => ({ type, timestamp: AT, data });
    const copilot = lines(
      event('session.start', {}),
      event('user.message', { content: 'Go.' }),
      event('assistant.message', {
        model: 'm',
        content: '',
        toolRequests: [{ toolCallId: '1', name: 'view', arguments: { path: 'a' } }],
      }),
      event('tool.execution_complete', { toolCallId: '1', success: false, error: { message: 'none' } }),
    );
    const other = checkpoint('aa/bb/0', SESSION, lines(said('r', use('t', {}))));
    makeClone(clones, 'EntityProcess/agentv', CHECKPOINTS, {
      ...checkpoint('aa/bb/0', '0000000c0de1', codex),
      ...checkpoint('aa/bb/1', '00000c0b1107', copilot),
    });
    makeClone(clones, 'FSM1/cipher-box', CHECKPOINTS, other);
    makeClone(clones, 'PackmindHub/context-evaluator', CHECKPOINTS, other);
    expect(await rebuilt('coding-sessions-oss')).toEqual([
      'agv-0000000c0de1.jsonl',
      'agv-00000c0b1107.jsonl',
      'cph-0123456789ab.jsonl',
      'pkm-0123456789ab.jsonl',
    ]);
    expect(trace('coding-sessions-oss', 'agv-0000000c0de1')).toEqual([
      { type: 'session', source: 'coding-sessions-oss', model: 'm', agentName: 'Codex CLI' },
      { type: 'user', at: AT_MS, text: 'Go.' },
      { type: 'turn', at: AT_MS },
      { type: 'tool-call', at: AT_MS, id: '1', tool: 'exec', args: { cmd: 'ls' } },
      { type: 'tool-call', at: AT_MS, id: '2', tool: 'apply_patch', args: { input: 'patch' } },
      {
        type: 'tool-result',
        at: AT_MS,
        id: '1',
        ok: false,
        output: 'Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\n',
      },
      { type: 'turn', at: AT_MS, text: 'Again.' },
      { type: 'tool-call', at: AT_MS, id: '3', tool: 'exec', args: 'not json' },
    ]);
    expect(trace('coding-sessions-oss', 'agv-00000c0b1107')).toEqual([
      { type: 'session', source: 'coding-sessions-oss', model: 'm', agentName: 'Copilot CLI' },
      { type: 'user', at: AT_MS, text: 'Go.' },
      { type: 'turn', at: AT_MS },
      { type: 'tool-call', at: AT_MS, id: '1', tool: 'view', args: { path: 'a' } },
      { type: 'tool-result', at: AT_MS, id: '1', ok: false, output: 'none' },
    ]);
  });

  it('masks people and keys, and nothing that looks like them', async () => {
    const key = `sk-${'a1'.repeat(12)}`;
    const told =
      `Author: Ann Lee <ann@work.test>\ncd /Users/ann/x /home/runner/y ~/.p/-Users-ann-x/ ${key} git@github.com:a/b a@b` +
      '<system-reminder>\nBe good.\n</system-reminder>';
    makeClone(clones, 'entireio/cli', CHECKPOINTS, {
      ...checkpoint(
        'aa/bb/0',
        SESSION,
        lines(said('r', use('t', { command: 'ls /home/ann/x' })), result('t', told)),
      ),
    });
    await rebuilt('claude-code-entireio');
    const [, , call, answer] = trace('claude-code-entireio', 'ent-0123456789ab');
    expect(call?.['args']).toEqual({ command: 'ls /home/user/x' });
    expect(answer?.['output']).toBe(
      'Author: A Developer <someone@example.com>\ncd /Users/user/x /home/runner/y ~/.p/-Users-user-x/ SECRET ' +
        'git@github.com:a/b a@b[system reminder]',
    );
  });

  it('cuts what is long and keeps long texts apart that begin alike', async () => {
    const long = (end: string) => 'x'.repeat(10_000) + end;
    const entries = [
      said('r1', use('t1', { a: long('1'), b: 'short' }), use('t2', { a: long('2'), b: 'short' })),
      result('t1', long('')),
      result('t2', long('2')),
      said('r2', use('t3', {})),
      result('t3', long('3')),
    ];
    makeClone(clones, 'entireio/cli', CHECKPOINTS, checkpoint('aa/bb/0', SESSION, lines(...entries)));
    await rebuilt('claude-code-entireio');
    const events = trace('claude-code-entireio', 'ent-0123456789ab');
    const args = events
      .filter(({ type }) => type === 'tool-call')
      .map((call) => call['args'] as { __cut: string });
    expect(args[0]).toEqual({
      a: 'x'.repeat(4000),
      b: 'short',
      __cut: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(args[0]?.__cut).not.toBe(args[1]?.__cut);
    const results = events.filter(({ type }) => type === 'tool-result');
    expect(results.map(({ outputLength }) => outputLength)).toEqual([undefined, 10_001, 10_001]);
    expect(results[0]?.['output']).toBe(long(''));
    expect(results[1]?.['output']).toMatch(/^x{10000}\n\[cut [0-9a-f]{12}\]$/);
    expect(results[1]?.['output']).not.toBe(results[2]?.['output']);
  });

  it('leaves out files of more than 4 MiB, as the corpus did', async () => {
    const padded = (bytes: number) => {
      const text = lines(said('r', use('t', {})));
      return `${text}${' '.repeat(bytes - text.length)}`;
    };
    makeClone(clones, 'entireio/cli', CHECKPOINTS, {
      ...checkpoint('aa/bb/0', '00000000000a', padded(4 * 1024 * 1024)),
      ...checkpoint('aa/bb/1', '00000000000b', padded(4 * 1024 * 1024 + 1)),
    });
    expect(await rebuilt('claude-code-entireio')).toEqual(['ent-00000000000a.jsonl']);
  });

  it('writes nowhere else, whatever a recording calls itself', () => {
    makeClone(
      clones,
      'entireio/cli',
      CHECKPOINTS,
      checkpoint('aa/bb/0', '/../../evil', lines(said('r', use('t', {})))),
    );
    const { status, err } = rebuild('--clones', clones, '--out', out, '--source', 'claude-code-entireio');
    expect(status).toBe(1);
    expect(err).toContain('ent-/../../evil cannot be the name of a file');
  });
});

describe('the command', () => {
  const REDUNDANCY = {
    'LLM_judge/airline_resultstest.json': { info: { agent_info: {} }, simulations: simulations(3) },
  };

  function simulations(count: number) {
    return Array.from({ length: count }, (_, index) => ({
      id: `id${index}`,
      task_id: index,
      trial: 0,
      messages: [],
    }));
  }

  it('explains itself', () => {
    const { status, out: text, err } = rebuild('--help');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(text).toContain('--clones DIR');
    expect(text).toContain('princeton-nlp/intercode');
  });

  it.each([
    [[], '--clones is missing'],
    [['--clones', 'a'], '--out is missing'],
    [
      ['--clones', 'a', '--out', 'b', '--source', 'c'],
      '--source is c; it must be one of claude-code-entireio, ',
    ],
    [['--clones', 'a', '--out', 'b', '--sample', '0'], '--sample is 0; it must be a whole number from 1'],
    [['--depth'], "Unknown option '--depth'"],
  ])('%j is wrong usage', (flags, why) => {
    const { status, out: text, err } = rebuild(...flags);
    expect({ status, text }).toEqual({ status: 2, text: '' });
    expect(err).toContain(why);
  });

  it('says how to clone what is missing and does the rest', () => {
    makeClone(clones, 'hu-my/RedundancyBench', 'main', REDUNDANCY);
    const { status, out: text, err } = rebuild('--clones', clones, '--out', out, '--source', 'tau2-misc');
    expect(status).toBe(1);
    expect(text).toBe('tau2-misc, hu-my/RedundancyBench: 3 runs, 0 calls\n');
    expect(err).toContain('tau2-misc needs yoheinakajima/activegraph-tau2-bench, branch main:\n  git clone ');
    expect(err).toContain(join(clones, 'yoheinakajima/activegraph-tau2-bench'));
    expect(err).toContain('runs may differ');
  });

  it('prints only the commands that are needed', () => {
    makeClone(clones, 'hu-my/RedundancyBench', 'main', REDUNDANCY);
    const { status, out: text } = rebuild('--clones', clones, '--commands');
    const commands = text.trimEnd().split('\n');
    expect(status).toBe(0);
    expect(commands).toHaveLength(10);
    expect(
      commands.every((command) => command.startsWith('git clone --bare --single-branch --branch ')),
    ).toBe(true);
    expect(text).not.toContain('RedundancyBench');
  });

  it('says when a clone is none', () => {
    mkdirSync(join(clones, 'sierra-research/tau-bench'), { recursive: true });
    const { status, err } = rebuild('--clones', clones, '--out', out, '--source', 'tau-bench-gpt4o-airline');
    expect(status).toBe(1);
    expect(err).toContain(`${join(clones, 'sierra-research/tau-bench')}: fatal: not a git repository`);
  });

  it('says when a clone holds no runs', () => {
    makeClone(clones, 'sierra-research/tau-bench', 'main', { 'README.md': 'moved' });
    const { status, err } = rebuild('--clones', clones, '--out', out, '--source', 'tau-bench-gpt4o-airline');
    expect(status).toBe(1);
    expect(err).toContain('no run was found at main');
  });

  it('writes blank labels for a sample, never over a file that is there', () => {
    makeClone(clones, 'hu-my/RedundancyBench', 'main', REDUNDANCY);
    makeClone(clones, 'yoheinakajima/activegraph-tau2-bench', 'main', {
      'runs/1/tau2_output/results.json': { info: { agent_info: {} }, simulations: simulations(1) },
    });
    const labels = join(folder, 'labels.jsonl');
    const flags = [
      '--clones',
      clones,
      '--out',
      out,
      '--source',
      'tau2-misc',
      '--labels',
      labels,
      '--sample',
      '2',
    ];
    expect(rebuild(...flags).status).toBe(0);
    const written = readFileSync(labels, 'utf8');
    const blank = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(blank).toHaveLength(2);
    for (const label of blank) {
      expect(toLabel(label)).toMatchObject({ verdict: 'unsure', source: 'tau2-misc' });
      expect(existsSync(join(out, label.source, `${label.trace}.jsonl`))).toBe(true);
    }
    rmSync(labels);
    rebuild(...flags);
    expect(readFileSync(labels, 'utf8')).toBe(written);
    writeFileSync(labels, 'mine');
    const again = rebuild(...flags);
    expect(again.status).toBe(1);
    expect(again.err).toContain(`--labels ${labels}: `);
    expect(readFileSync(labels, 'utf8')).toBe('mine');
  });
});
