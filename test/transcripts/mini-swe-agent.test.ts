import { describe, expect, it } from 'vitest';
import { miniSweAgent } from '../../src/transcripts/formats/mini-swe-agent.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, recordsOf } from './records.ts';

/** Built from what mini-swe-agent says of its output (docs/usage/output_files.md): no recording of it is at hand. */

const AT = 1_790_000_000;
const INFO = {
  model_stats: { instance_cost: 0.1, api_calls: 2 },
  config: { model: { model_name: 'model-1' }, environment: { cwd: '/work/site' } },
  mini_version: '2.0.0',
  exit_status: 'Submitted',
};
const USAGE = { prompt_tokens: 500, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 400 } };
const TASK = [
  { role: 'system', content: 'you are' },
  { role: 'user', content: 'mend it' },
];

function run(messages: readonly object[], info: object = INFO): string {
  return JSON.stringify(
    { info, messages: [...TASK, ...messages], trajectory_format: 'mini-swe-agent-1.1' },
    null,
    2,
  );
}

function asked(command: string, id: string): object {
  const tool_calls = [{ id, function: { name: 'bash', arguments: JSON.stringify({ command }) } }];
  const actions = [{ command, tool_call_id: id }];
  const extra = { actions, response: { usage: USAGE }, cost: 0.01, timestamp: AT + 0.5 };
  return { role: 'assistant', content: 'so', reasoning_content: 'hm', tool_calls, extra };
}

function answered(
  id: string,
  returncode: number,
  content = `<returncode>${returncode}</returncode>`,
): object {
  return {
    role: 'tool',
    tool_call_id: id,
    content,
    extra: { raw_output: '', returncode, timestamp: AT + 1 },
  };
}

const SESSION = run([
  asked('ls', 'one'),
  answered('one', 0, '<returncode>0</returncode>\n<output>\na.txt</output>'),
  asked('submit', 'two'),
  { role: 'exit', content: 'the patch', extra: { exit_status: 'Submitted', submission: 'the patch' } },
]);

describe('a trajectory of mini-swe-agent', () => {
  it('gives the person, the responses with their tokens, the calls and their ends', () => {
    const { format, events, facts, problems } = readText(SESSION);
    expect({ format, problems }).toEqual({ format: 'mini-swe-agent', problems: [] });
    const turn = {
      type: 'turn',
      at: AT * 1e3 + 500,
      text: 'so',
      reasoning: 'hm',
      usage: { input: 100, output: 20, cachedInput: 400 },
    };
    expect(events).toEqual([
      { type: 'user', text: 'mend it' },
      turn,
      { type: 'tool-call', id: 'one', tool: 'bash', args: { command: 'ls' }, at: AT * 1e3 + 500 },
      {
        type: 'tool-result',
        id: 'one',
        status: 'ok',
        output: '<returncode>0</returncode>\n<output>\na.txt</output>',
        at: AT * 1e3 + 1000,
      },
      turn,
      { type: 'tool-call', id: 'two', tool: 'bash', args: { command: 'submit' }, at: AT * 1e3 + 500 },
      { type: 'tool-result', id: 'two', status: 'ok', output: 'the patch' },
    ]);
    expect(facts).toEqual({ version: '2.0.0', model: 'model-1', project: '/work/site' });
  });

  it('is the same whatever the pieces it comes in', () => {
    for (const size of [1, 7, 64]) expect(readText(SESSION, { size })).toEqual(readText(SESSION));
  });

  it('tells how a call ended', () => {
    const stopped = (interrupt_type: string) => ({ role: 'user', content: 'no', extra: { interrupt_type } });
    const endings = [
      answered('one', 2),
      stopped('UserRejection'),
      stopped('UserInterruption'),
      { role: 'exit', content: 'LimitsExceeded', extra: { exit_status: 'LimitsExceeded' } },
    ].map((ending) => {
      const { events } = readText(run([asked('ls', 'one'), ending]));
      return events.slice(3).map((event) => ('status' in event ? event.status : event.type));
    });
    expect(endings).toEqual([['error'], ['denied', 'user'], ['cancelled', 'user'], []]);
  });

  it('counts a response that could not be used, and its calls', () => {
    const refused = (error: string, tool_calls: readonly object[]) => ({
      role: 'user',
      content: error,
      extra: {
        interrupt_type: 'FormatError',
        response: { choices: [{ message: { content: 'so', tool_calls } }], usage: USAGE },
      },
    });
    const call = { id: 'x', function: { name: 'paint', arguments: '{"colour":' } };
    const { events } = readText(
      run([
        refused("Unknown tool 'paint'.", [call]),
        refused('Missing argument', [call]),
        refused('No tool calls found', []),
      ]),
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'turn', text: 'so', usage: { input: 100 } },
      { type: 'tool-call', id: 'x', tool: 'paint', args: '{"colour":' },
      { type: 'tool-result', id: 'x', status: 'unknown-tool', output: "Unknown tool 'paint'." },
      { type: 'turn', usage: { input: 100 } },
      { type: 'tool-call', id: 'x' },
      { type: 'tool-result', status: 'invalid' },
      { type: 'turn', usage: { input: 100 } },
      { type: 'user', by: 'host', text: 'No tool calls found' },
    ]);
  });

  it('reads responses of the other API', () => {
    const response = {
      object: 'response',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'so' }] },
        { type: 'function_call', call_id: 'one', name: 'bash', arguments: '{"command":"ls"}' },
      ],
      usage: { input_tokens: 500, output_tokens: 20, input_tokens_details: { cached_tokens: 400 } },
      extra: { actions: [{ command: 'ls', tool_call_id: 'one' }], timestamp: AT },
    };
    const output = {
      type: 'function_call_output',
      call_id: 'one',
      output: 'a.txt',
      extra: { returncode: 0, timestamp: AT + 1 },
    };
    const { events } = readText(run([response, output]));
    expect(events.slice(1)).toMatchObject([
      { type: 'turn', text: 'so', usage: { input: 100, output: 20, cachedInput: 400 } },
      { type: 'tool-call', id: 'one', args: { command: 'ls' } },
      { type: 'tool-result', id: 'one', status: 'ok', output: 'a.txt' },
    ]);
  });

  it('finds the command in the text, as the first versions had it', () => {
    const { events } = readText(
      run([
        { role: 'assistant', content: 'THOUGHT: so\n\n```bash\nls `pwd`\n```' },
        { role: 'user', content: '<returncode>1</returncode>\n<output>\nno</output>' },
        { role: 'assistant', content: '```bash\nls\n```\n```bash\npwd\n```' },
        { role: 'user', content: 'Please always provide EXACTLY ONE action' },
        { role: 'assistant', content: '```mswea_bash_command\nsleep 99\n```' },
        { role: 'user', content: 'The last command timed out' },
      ]),
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'turn' },
      { type: 'tool-call', args: { command: 'ls `pwd`' } },
      { type: 'tool-result', status: 'error' },
      { type: 'turn' },
      { type: 'user', text: 'Please always provide EXACTLY ONE action', by: 'host' },
      { type: 'turn' },
      { type: 'tool-call', args: { command: 'sleep 99' } },
      { type: 'tool-result', status: 'unknown', output: 'The last command timed out' },
    ]);
  });

  it('does not take a command of the person for one of the model', () => {
    const { events } = readText(
      run([
        { role: 'user', content: 'User command: ls', extra: { actions: [{ command: 'ls' }] } },
        { role: 'user', content: '<returncode>0</returncode>', extra: { returncode: 0 } },
      ]),
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'user', by: undefined },
      { type: 'user', by: 'host' },
    ]);
  });

  it('keeps what came before a file that breaks off', () => {
    const { events, problems } = readText(SESSION.slice(0, SESSION.indexOf('"submit"')));
    expect(tallied(events)).toEqual({ user: 1, turn: 1, 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual(['6: the document is not finished']);
  });

  it('does not take other documents for it', () => {
    const others = [
      { info: { model_stats: {} }, messages: TASK },
      { messages: TASK },
      { trajectory_format: 'x' },
    ];
    for (const other of others)
      expect(readText(JSON.stringify(other), { formats: [miniSweAgent] }).format).toBeNull();
    expect(readText(run([])).format).toBe('mini-swe-agent');
  });

  it('never throws, whatever mini-swe-agent wrote', () => {
    const { info, messages } = JSON.parse(SESSION);
    const refused = {
      role: 'user',
      content: 'x',
      extra: {
        interrupt_type: 'FormatError',
        response: {
          choices: [{ message: { tool_calls: [{ id: 'x', function: { name: 'x', arguments: '{}' } }] } }],
        },
      },
    };
    const response = {
      object: 'response',
      output: [{ call_id: 'x', name: 'x', content: 'x' }],
      usage: USAGE,
      extra: { actions: [{}] },
    };
    const records = recordsOf({ info, messages: [...messages, refused, response], trajectory_format: 'x' });
    expect(readHostileRecords(miniSweAgent, records)).toBeGreaterThan(800);
  });
});
