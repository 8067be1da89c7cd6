import { expect, it } from 'vitest';
import { continueDev } from '../../src/transcripts/formats/continue.ts';
import { readText, tallied } from './read.ts';
import { readHostileRecords, recordsOf } from './records.ts';

const HEAD = { sessionId: 'c-1', title: 'A session', workspaceDirectory: '/work/site' };
const USAGE = {
  prompt_tokens: 500,
  completion_tokens: 20,
  prompt_tokens_details: { cached_tokens: 400 },
  model: 'model-1',
};

function session(...history: readonly object[]): string {
  return JSON.stringify({ ...HEAD, history, usage: { promptTokens: 500 } }, null, 1);
}

function said(text: string): object {
  return { message: { role: 'user', content: text }, contextItems: [] };
}

function called(state: object, usage: object = USAGE): object {
  const toolCall = { id: 'one', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } };
  return {
    message: { role: 'assistant', content: 'so', toolCalls: [toolCall], usage },
    toolCallStates: [{ toolCallId: 'one', toolCall, ...state }],
  };
}

function done(content: string, status = 'done'): object {
  return { status, output: [{ content, name: 'Tool Result' }] };
}

function usageOf(usage: object): unknown {
  const { events } = readText(session(called({ status: 'generated' }, usage)));
  return events.flatMap((event) => (event.type === 'turn' ? [event.usage] : []))[0];
}

const SESSION = session(said('mend it'), called(done('a.txt')), {
  message: { role: 'assistant', content: 'done' },
});

it('gives the person, the responses with their tokens, the calls and their ends', () => {
  const { format, events, facts, problems } = readText(SESSION);
  expect({ format, problems }).toEqual({ format: 'continue', problems: [] });
  expect(events).toEqual([
    { type: 'user', text: 'mend it' },
    { type: 'turn', text: 'so', usage: { input: 100, output: 20, cachedInput: 400 } },
    { type: 'tool-call', id: 'one', tool: 'Bash', args: { command: 'ls' } },
    { type: 'tool-result', id: 'one', tool: 'Bash', status: 'ok', output: 'a.txt' },
    { type: 'turn', text: 'done' },
  ]);
  expect(facts).toEqual({ session: 'c-1', project: '/work/site', model: 'model-1' });
});

it('is the same whatever the pieces it comes in', () => {
  for (const size of [1, 7, 64]) expect(readText(SESSION, { size })).toEqual(readText(SESSION));
});

it('tells how a call ended', () => {
  const statuses = [
    done('fine'),
    done('Error executing tool Bash: Error (exit code 2): no', 'errored'),
    done('Tool paint not found', 'errored'),
    done('Required parameter "command" missing for tool "Bash"', 'errored'),
    done('Permission denied by user', 'canceled'),
    done('Command blocked by security policy', 'canceled'),
    done('', 'canceled'),
    { status: 'calling' },
  ].map((state) => {
    const { events } = readText(session(called(state)));
    return events.flatMap((event) => (event.type === 'tool-result' ? [event.status] : []))[0];
  });
  expect(statuses).toEqual([
    'ok',
    'error',
    'unknown-tool',
    'invalid',
    'denied',
    'blocked',
    'cancelled',
    undefined,
  ]);
});

it('counts cached input once, however the provider counts it', () => {
  expect({
    within: usageOf({
      prompt_tokens: 500,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 400 },
    }),
    beside: usageOf({
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 400, cache_read_tokens: 400, cache_write_tokens: 30 },
    }),
    editor: usageOf({ promptTokens: 500, completionTokens: 20 }),
    editorBeside: usageOf({
      promptTokens: 100,
      completionTokens: 20,
      promptTokensDetails: { cachedTokens: 400, cacheWriteTokens: 0 },
    }),
  }).toEqual({
    within: { input: 100, output: 20, cachedInput: 400 },
    beside: { input: 130, output: 20, cachedInput: 400 },
    editor: { input: 500, output: 20 },
    editorBeside: { input: 100, output: 20, cachedInput: 400 },
  });
});

it('reads what the editor writes: thoughts apart, results as messages, a folder as an address', () => {
  const toolCalls = [{ id: 'two', function: { name: 'read_file', arguments: '{"path":' } }];
  const document = {
    ...HEAD,
    workspaceDirectory: 'file:///work/my%20site',
    history: [
      { message: { role: 'system', content: 'you are' } },
      { message: { role: 'thinking', content: 'hm' } },
      { message: { role: 'assistant', content: '', toolCalls } },
      { message: { role: 'tool', content: 'text of a', toolCallId: 'two' } },
      called(done('a.txt')),
      { message: { role: 'tool', content: 'a.txt', toolCallId: 'one' } },
    ],
  };
  const { events, facts } = readText(JSON.stringify(document));
  expect(facts.project).toBe('/work/my site');
  expect(events).toEqual([
    { type: 'turn', reasoning: 'hm' },
    { type: 'tool-call', id: 'two', tool: 'read_file', args: '{"path":' },
    { type: 'tool-result', id: 'two', status: 'unknown', output: 'text of a' },
    { type: 'turn', text: 'so', usage: { input: 100, output: 20, cachedInput: 400 } },
    { type: 'tool-call', id: 'one', tool: 'Bash', args: { command: 'ls' } },
    { type: 'tool-result', id: 'one', tool: 'Bash', status: 'ok', output: 'a.txt' },
  ]);
});

it('tells of a compaction', () => {
  const summary = { message: { role: 'assistant', content: 'so far' }, conversationSummary: 'so far' };
  expect(readText(session(summary)).events.map(({ type }) => type)).toEqual(['turn', 'compaction']);
});

it('keeps what came before a file that breaks off', () => {
  const { events, problems } = readText(SESSION.slice(0, SESSION.indexOf('"done",') + 40));
  expect(tallied(events)).toEqual({ user: 1 });
  expect(problems).toEqual(['5: the document is not finished']);
});

it('takes neither the index of the sessions nor other documents for a session', () => {
  const index = [
    { sessionId: 'c-1', title: 'x', dateCreated: '1', workspaceDirectory: '/x', messageCount: 2 },
  ];
  const other = { sessionId: 'x', updated_at: 'x', agent: 'lead', messages: [] };
  const strange = { ...HEAD, history: ['x'] };
  for (const document of [index, other, strange]) {
    expect(readText(JSON.stringify(document), { formats: [continueDev] }).format).toBeNull();
  }
  expect(readText(JSON.stringify(index)).format).toBeNull();
  for (const begun of [session(), session(said('hello'))]) expect(readText(begun).format).toBe('continue');
});

it('never throws, whatever Continue wrote', () => {
  const history = [
    called(done('x', 'canceled')),
    { message: { role: 'tool', content: [{ text: 'x' }], toolCallId: 'x' } },
  ];
  expect(readHostileRecords(continueDev, recordsOf({ ...HEAD, history, usage: {} }))).toBeGreaterThan(300);
});
