import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeModel, type Script, startFakeModel } from './fake-model.ts';

const USAGE = { input: 100, cachedInput: 900, output: 30, reasoning: 10 };
const SCRIPT: Script = {
  conversations: [
    { name: 'child', when: 'count them', turns: [{ text: 'Two.' }] },
    {
      name: 'main',
      turns: [
        {
          text: 'I look.',
          reasoning: 'Where?',
          calls: [
            { tool: 'bash', args: { command: 'ls' } },
            { tool: 'read', args: { path: 'a' } },
          ],
          usage: USAGE,
        },
        { text: 'Done.' },
      ],
    },
  ],
  aside: { text: 'A title' },
};

const APIS = {
  'openai-chat': {
    path: '/v1/chat/completions',
    request: (text: string) => ({
      model: 'm',
      tools: [{ type: 'function', function: { name: 'bash' } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text }] },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a1', function: { name: 'bash', arguments: '{"command":"pwd"}' } }],
        },
        { role: 'tool', tool_call_id: 'a1', content: '/home' },
      ],
    }),
    usage: { prompt_tokens: 1000, completion_tokens: 30, total_tokens: 1030 },
  },
  'openai-responses': {
    path: '/v1/responses',
    request: (text: string) => ({
      model: 'm',
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'bash' }],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
        { type: 'function_call', call_id: 'a1', name: 'bash', arguments: '{"command":"pwd"}' },
        { type: 'function_call_output', call_id: 'a1', output: '/home' },
      ],
    }),
    usage: { input_tokens: 1000, output_tokens: 30, total_tokens: 1030 },
  },
  'anthropic-messages': {
    path: '/v1/messages',
    request: (text: string) => ({
      model: 'm',
      system: 'Be brief.',
      tools: [{ name: 'bash' }],
      messages: [
        { role: 'user', content: text },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a1', name: 'bash', input: { command: 'pwd' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a1', content: '/home' }] },
      ],
    }),
    usage: { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 30 },
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    request: (text: string) => ({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'bash' }] }],
      contents: [
        { role: 'user', parts: [{ text }] },
        { role: 'model', parts: [{ functionCall: { id: 'a1', name: 'bash', args: { command: 'pwd' } } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'a1', response: { output: '/home' } } }] },
      ],
    }),
    usage: { promptTokenCount: 1000, candidatesTokenCount: 20, thoughtsTokenCount: 10 },
  },
};

let model: FakeModel | undefined;
afterEach(async () => {
  await model?.close();
  model = undefined;
});

async function ask(path: string, body: object): Promise<string> {
  model ??= await startFakeModel({ script: SCRIPT });
  const response = await fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.text();
}

describe.each(Object.entries(APIS))('%s', (name, { path, request, usage }) => {
  const stream = (text: string) =>
    name === 'gemini'
      ? ask(path.replace('generateContent', 'streamGenerateContent'), request(text))
      : ask(path, { ...request(text), stream: true });

  it('answers with the text, the calls and the tokens of the script', async () => {
    const text = await ask(path, request('Look around.'));
    for (const part of ['I look.', 'Where?', 'bash', 'read', 'call_0001', 'call_0002']) {
      expect(text).toContain(part);
    }
    const answer: { usage?: object; usageMetadata?: object } = JSON.parse(text);
    expect(answer.usage ?? answer.usageMetadata).toMatchObject(usage);
  });

  it('streams the same in pieces', async () => {
    const events = (await stream('Look around.'))
      .split('\n')
      .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
      .map((line) => JSON.parse(line.slice(6)));
    expect(events.length).toBeGreaterThan(3);
    const text = JSON.stringify(events);
    for (const [key, value] of Object.entries(usage)) expect(text).toContain(`"${key}":${value}`);
    for (const part of ['bash', 'read', 'call_0001', 'call_0002']) expect(text).toContain(part);
  });

  it('goes on to the next turn, and says when the script is at an end', async () => {
    await ask(path, request('Look around.'));
    expect(await ask(path, request('Look around.'))).toContain('Done.');
    expect(await ask(path, request('Look around.'))).toContain('There is nothing left to do.');
  });

  it('knows a conversation by its words, and answers without tools in an aside', async () => {
    expect(await ask(path, request('Please count them.'))).toContain('Two.');
    expect(await ask(path, { ...request('Look around.'), tools: [] })).toContain('A title');
    expect(model?.requests.map(({ conversation, turn }) => [conversation, turn])).toEqual([
      ['child', 1],
      ['aside', 1],
    ]);
  });

  it('logs what the model received, the same for every wire format', async () => {
    await ask(path, request('Look around.'));
    expect(model?.requests).toMatchObject([
      {
        path,
        model: 'm',
        stream: false,
        tools: ['bash'],
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'user', text: 'Look around.' },
          { role: 'assistant', calls: [{ id: 'a1', tool: 'bash', args: { command: 'pwd' } }] },
          { role: 'tool', results: [{ id: 'a1', output: '/home' }] },
        ],
        answer: { text: 'I look.', calls: [{ id: 'call_0001' }, { id: 'call_0002' }], usage: USAGE },
      },
    ]);
  });
});

it('writes its log to a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-fake-llm-'));
  try {
    const log = join(folder, 'log.jsonl');
    model = await startFakeModel({ script: SCRIPT, log });
    await ask(APIS.gemini.path, APIS.gemini.request('Look around.'));
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(model.requests)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('has no other address than this machine', async () => {
  model = await startFakeModel({ script: SCRIPT });
  expect(new URL(model.url).hostname).toBe('127.0.0.1');
  expect((await fetch(`${model.url}/elsewhere`)).status).toBe(404);
});
