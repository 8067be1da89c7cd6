import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { readFixture } from '../transcripts/read.ts';
import { newSession, type Session, word } from './play.ts';

// What real agents wrote, line by line, as their hooks would have found it. The model took 8285, 8752, 9219, 9686, 10153 ... tokens.

type Call = Extract<AgentEvent, { readonly type: 'tool-call' }>;
type Way = {
  readonly names: readonly [prompt: string, before: string, after: string];
  /** What a payload says of a call. */
  about(call: Call): object;
  result(output: unknown): object;
};

const WAYS: { readonly [agent: string]: Way } = {
  'gemini-cli': {
    names: ['BeforeAgent', 'BeforeTool', 'AfterTool'],
    about: ({ tool, args }) => ({ tool_name: tool, tool_input: args }),
    result: (output) => ({ tool_response: { llmContent: output } }),
  },
  codex: {
    names: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
    about: ({ tool, args, id }) => ({ tool_name: tool, tool_input: args, tool_use_id: id }),
    result: (output) => ({ tool_response: output }),
  },
  'qwen-code': {
    names: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
    about: ({ tool, args, id }) => ({ tool_name: tool, tool_input: args, tool_call_id: id }),
    result: (output) => ({ tool_response: { llmContent: output } }),
  },
};

function withBudget(budget: object): { readonly files: { readonly [path: string]: string } } {
  return { files: { 'deloop.config.json': JSON.stringify({ detectors: { budget } }) } };
}

/** Plays a recording of an agent: what its hooks were answered before each call. `late` = its lines come after its hooks. */
function played(agent: string, budget: object | null, late = false): readonly string[] {
  const way = WAYS[agent] as Way;
  const [promptName, before, after] = way.names;
  const session = newSession(agent, budget === null ? {} : withBudget(budget));
  const path = join(session.folder, 'session.jsonl');
  const recording = `recorded/${agent}/varied.jsonl`;
  const lines = readFileSync(new URL(`../transcripts/fixtures/${recording}`, import.meta.url), 'utf8').split(
    '\n',
  );
  const { events, lines: at } = readFixture(recording);
  let written = 0;
  let time = Date.parse('2026-11-15T12:00:00Z');
  const writeTo = (line: number) => {
    appendFileSync(
      path,
      lines
        .slice(written, line)
        .map((one) => `${one}\n`)
        .join(''),
    );
    written = Math.max(written, line);
  };
  const send = (event: string, more: object) => {
    time += 3000;
    const common = { session_id: 's', transcript_path: path, cwd: session.folder, hook_event_name: event };
    return word(session.send({ ...common, timestamp: new Date(time).toISOString(), ...more }));
  };
  send(promptName, { prompt: 'Go on.' });
  const answers: string[] = [];
  const open = new Map<string, Call>();
  for (const [index, event] of events.entries()) {
    const line = at[index] as number;
    if (event.type === 'tool-call') {
      const result = events.findIndex((one) => one.type === 'tool-result' && one.id === event.id);
      if (!late) writeTo((at[result] as number) - 1);
      answers.push(send(before, way.about(event)));
      open.set(event.id ?? '', event);
    } else if (event.type === 'tool-result') {
      writeTo(line);
      const call = open.get(event.id ?? '');
      if (call !== undefined) send(after, { ...way.about(call), ...way.result(event.output) });
    }
  }
  return answers;
}

describe.each(Object.keys(WAYS))('tokens in the transcript of %s', (agent) => {
  it('count once each: the budget is used up at the call whose response goes beyond it', () => {
    const stop = { 'gemini-cli': 'halt', codex: 'deny', 'qwen-code': 'ask' }[agent];
    // Two calls are of the first response, and 46,095 tokens are reached by the fifth.
    expect(played(agent, { tokens: 46_095 }).indexOf(stop as string)).toBe(5);
    expect(played(agent, { tokens: 46_096 }).indexOf(stop as string)).toBe(6);
    expect(played(agent, { tokens: 79_252 })).not.toContain(stop);
  });

  it('count where they are written down after the hook was asked', () => {
    expect(played(agent, { tokens: 46_095 }, true).findIndex((answer) => answer !== '-')).toBe(6);
  });

  it('are money where there are prices', () => {
    const prices = { inputPrice: 1_000_000, cachedPrice: 100_000, outputPrice: 2_000_000 };
    const all = played(agent, { money: 1_000_000_000, ...prices });
    expect(all.every((answer) => answer === '-')).toBe(true);
    // 8200 + 2 x 85, 468 + 819 + 2 x 92, 544 + 857 + 2 x 99: 8370, 9842, 11440 millionths, each rounded up.
    expect(
      played(agent, { money: 9_842, ...prices }).findIndex((answer) => answer !== '-' && answer !== 'tell'),
    ).toBe(2);
    expect(
      played(agent, { money: 9_843, ...prices }).findIndex((answer) => answer !== '-' && answer !== 'tell'),
    ).toBe(3);
  });

  it('are not looked for where nobody has set a limit', () => {
    expect(played(agent, null)).not.toContain('halt');
    expect(played(agent, { calls: 100 }).every((answer) => answer === '-')).toBe(true);
  });
});

/** Lines of a transcript that come as the test says. */
function written(session: Session, name: string): (...records: readonly object[]) => string {
  const path = join(session.folder, name);
  mkdirSync(dirname(path), { recursive: true });
  return (...records) => {
    appendFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return path;
  };
}

describe('tokens in the transcript of claude-code', () => {
  let uuids = 0;
  const response = (id: string, output_tokens: number, more: object = {}, message: object = {}) => {
    uuids += 1;
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 90,
      cache_read_input_tokens: 800,
      output_tokens,
    };
    const said = { id, role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage, ...message };
    return { type: 'assistant', uuid: `u${uuids}`, sessionId: 's', message: said, ...more };
  };

  function open(tokens: number) {
    const session = newSession('claude-code', withBudget({ tokens }));
    const write = written(session, 'session.jsonl');
    const transcript_path = join(session.folder, 'session.jsonl');
    const common = { session_id: 's', transcript_path, cwd: session.folder };
    session.send({ ...common, hook_event_name: 'UserPromptSubmit', prompt: 'Go on.' });
    let calls = 0;
    const call = () => {
      calls += 1;
      const made = { tool_name: 'Bash', tool_input: { command: `ls ${calls}` }, tool_use_id: `t${calls}` };
      const before = word(session.send({ ...common, hook_event_name: 'PreToolUse', ...made }));
      const tool_response = { stdout: `${calls}`, stderr: '' };
      session.send({ ...common, hook_event_name: 'PostToolUse', ...made, tool_response });
      session.send({ ...common, hook_event_name: 'PostToolBatch', tool_calls: [{ ...made, tool_response }] });
      return before;
    };
    return { write, call };
  }

  it('count once, although a response is written down block by block, and its output grows', () => {
    const { write, call } = open(1950);
    write(response('m1', 1), response('m1', 1));
    expect(call()).toBe('-');
    // 950 and 950, which becomes 999 and at last 1000 when the rest of the second is there.
    write(response('m1', 50), response('m2', 50));
    expect(call()).toBe('tell');
    write(response('m2', 99));
    expect(call()).toBe('-');
    write(response('m2', 100));
    expect(call()).toBe('ask');
  });

  it('are not those of sub-agents, of copies, or of what the agent says itself', () => {
    const { write, call } = open(900);
    write(
      response('m1', 5, { isSidechain: true }),
      response('m2', 5, { forkedFrom: { sessionId: 'r' } }),
      response('m3', 5, { isApiErrorMessage: true }),
      response('m4', 5, {}, { model: '<synthetic>' }),
      { type: 'user', message: { content: 'my "usage" is {' } },
    );
    expect(call()).toBe('-');
    write(response('m5', 5));
    expect(call()).toBe('ask');
  });
});

describe('tokens in the transcript of copilot-cli', () => {
  it('count once, whichever record tells of a response', () => {
    const session = newSession('copilot-cli', withBudget({ tokens: 250 }));
    const write = written(session, '.copilot/session-state/abc/events.jsonl');
    let time = Date.parse('2026-11-15T12:00:00Z');
    const send = (more: object) => {
      time += 3000;
      return word(session.send({ sessionId: 'abc', timestamp: time, cwd: session.folder, ...more }));
    };
    const event = (type: string, data: object, more: object = {}) => ({
      type,
      data,
      id: `e${time}`,
      timestamp: new Date(time).toISOString(),
      parentId: null,
      ...more,
    });
    const usage = (apiCallId: string) => ({
      inputTokens: 100,
      cacheReadTokens: 40,
      outputTokens: 25,
      apiCallId,
    });
    let calls = 0;
    const call = () => {
      calls += 1;
      const made = { toolName: 'view', toolArgs: { path: `/nowhere/${calls}` } };
      const before = send(made);
      send({ ...made, toolResult: { resultType: 'success', textResultForLlm: `${calls}` } });
      return before;
    };
    send({ prompt: 'Go on.' });
    write(event('session.start', { sessionId: 'abc' }), event('assistant.usage', usage('r1')));
    write(event('session.usage_record', { usage: usage('r1') }));
    write(event('assistant.usage', usage('r2'), { agentId: 'helper' }));
    expect(call()).toBe('-');
    write(event('session.usage_record', { usage: usage('r3') }));
    expect(call()).toBe('ask');
  });
});

it('tokens of the last word count for the task that it ends', () => {
  const session = newSession('qwen-code', withBudget({ tokens: 100, per: 'task' }));
  const write = written(session, 'session.jsonl');
  const common = {
    session_id: 's',
    transcript_path: join(session.folder, 'session.jsonl'),
    cwd: session.folder,
  };
  const response = (uuid: string, promptTokenCount: number) => ({
    uuid,
    sessionId: 's',
    type: 'assistant',
    message: { role: 'model', parts: [] },
    usageMetadata: { promptTokenCount, candidatesTokenCount: 5, totalTokenCount: promptTokenCount + 5 },
  });
  const prompt = (id: string) =>
    session.send({ ...common, hook_event_name: 'UserPromptSubmit', prompt: 'Go on.', prompt_id: id });
  const call = (id: string) =>
    word(
      session.send({
        ...common,
        hook_event_name: 'PreToolUse',
        tool_name: 'read_file',
        tool_input: { path: id },
        tool_call_id: id,
      }),
    );
  prompt('p1');
  write(response('r1', 40));
  expect(call('c1')).toBe('-');
  write(response('r2', 80));
  prompt('p2');
  write(response('r3', 40));
  expect(call('c2')).toBe('-');
  write(response('r4', 50));
  expect(call('c3')).toBe('ask');
});
