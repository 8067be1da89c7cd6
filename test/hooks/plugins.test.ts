import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The plugins as they are shipped. Needs `dist/`. */
async function load(agent: string): Promise<(given: unknown, options?: object) => unknown> {
  const file = new URL(`../../dist/plugins/${agent}.js`, import.meta.url).href;
  const plugin = (await import(file)) as { readonly deloop: (given: unknown, options?: object) => unknown };
  return plugin.deloop;
}

let state = '';

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'deloop-plugin-'));
  process.env['DELOOP_STATE_DIR'] = state;
});

afterEach(() => {
  delete process.env['DELOOP_STATE_DIR'];
  delete process.env['DELOOP_MANAGED_CONFIG'];
});

/** A budget of so many tokens, wherever the agent works. */
function allow(tokens: number): void {
  const file = join(state, 'managed.json');
  writeFileSync(file, JSON.stringify({ detectors: { budget: { tokens } } }));
  process.env['DELOOP_MANAGED_CONFIG'] = file;
}

function log(): readonly { readonly [field: string]: unknown }[] {
  return readdirSync(join(state, 'log'))
    .flatMap((day) =>
      readFileSync(join(state, 'log', day), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
}

const LIST = { command: 'ls' };

describe('opencode', () => {
  type Hook = (input: object, output?: object) => Promise<void>;
  type Hooks = { readonly [name: string]: Hook };
  type Result = { title: string; output: string; metadata: object };

  async function open(options?: object) {
    const aborted: string[] = [];
    const toasts: object[] = [];
    const client = {
      session: { abort: async ({ path }: { path: { id: string } }) => aborted.push(path.id) },
      tui: { showToast: async ({ body }: { body: object }) => toasts.push(body) },
    };
    const deloop = await load('opencode');
    const hooks = (await deloop({ client, directory: state, project: {} }, options)) as Hooks;
    let calls = 0;
    const begin = (sessionID: string, args: object, tool: string) => {
      const input = { tool, sessionID, callID: `call_${++calls}` };
      return { input, begun: hooks['tool.execute.before']?.(input, { args }) };
    };
    return {
      hooks,
      aborted,
      toasts,
      /** One model response with one call: what the model is told of it. */
      async call(
        args: object = LIST,
        tool = 'bash',
        sessionID = 's',
        output = 'a\nb',
        exit = 0,
      ): Promise<string> {
        await hooks['chat.params']?.({ sessionID, agent: 'build' });
        const { input, begun } = begin(sessionID, args, tool);
        try {
          await begun;
        } catch (error) {
          return `refused: ${(error as Error).message}`;
        }
        const result: Result = { title: '', output, metadata: { exit } };
        await hooks['tool.execute.after']?.({ ...input, args }, result);
        return result.output;
      },
      /** The same, of a tool that throws. */
      async fail(args: object, error: string, sessionID = 's'): Promise<string> {
        await hooks['chat.params']?.({ sessionID, agent: { name: 'build' } });
        const { input, begun } = begin(sessionID, args, 'edit');
        const part = { type: 'tool', ...input, state: { status: 'error', input: args, error } };
        try {
          await begun;
        } catch (thrown) {
          part.state.error = (thrown as Error).message;
        }
        await hooks['event']?.({ event: { type: 'message.part.updated', properties: { part } } });
        await hooks['experimental.chat.messages.transform']?.({}, { messages: [{ parts: [part] }] });
        return part.state.error;
      },
    };
  }

  it('tells at the end of a result, throws, and aborts', async () => {
    const { call, aborted, toasts, hooks } = await open();
    await hooks['chat.message']?.(
      { sessionID: 's' },
      { message: {}, parts: [{ type: 'text', text: 'Go.' }] },
    );
    const told: string[] = [];
    for (let n = 0; n < 7; n++) told.push(await call());
    expect(told.slice(0, 2)).toEqual(['a\nb', 'a\nb']);
    expect(told[2]).toMatch(/^a\nb\n\n\[deloop\] bash has given the same result 3 times/);
    expect(told[4]).toMatch(/^refused: \[deloop\] Not run: /);
    expect(told[5]).toMatch(/^refused: /);
    expect(aborted).toEqual(['s']);
    expect(toasts).toHaveLength(1);
    expect(told[6]).toMatch(/^refused: \[deloop\] Stopped: /);
    expect(log().map(({ did }) => did)).toEqual(['nudge', 'block', 'block', 'halt']);
  });

  it('tells at the end of the error of a tool that threw', async () => {
    const { fail } = await open();
    const told: string[] = [];
    for (let n = 0; n < 5; n++)
      told.push(await fail({ filePath: 'a', oldString: 'x' }, 'Could not find oldString'));
    expect(told.slice(0, 2)).toEqual(['Could not find oldString', 'Could not find oldString']);
    expect(told[2]).toMatch(/^Could not find oldString\n\n\[deloop\] edit has failed/);
    expect(told[4]).toMatch(/^\[deloop\] Not run: /);
  });

  it('takes sub-agents for agents of their session, and tools that are not there for what they were meant to be', async () => {
    const { call, hooks } = await open();
    const info = { id: 'child', parentID: 's' };
    await hooks['event']?.({ event: { type: 'session.created', properties: { info } } });
    for (let n = 0; n < 2; n++) await call();
    for (let n = 0; n < 2; n++) await call(LIST, 'bash', 'child');
    expect(readdirSync(join(state, 'sessions'))).toEqual(['opencode-s.json']);
    const missing = { tool: 'no_such_tool', error: "Model tried to call unavailable tool 'no_such_tool'." };
    for (let n = 0; n < 3; n++) await call(missing, 'invalid', 'other', 'The arguments are invalid');
    expect(log()).toMatchObject([{ session: 'other', subject: expect.stringContaining('no_such_tool') }]);
  });

  it('adds to the blocks of MCP tools', async () => {
    const { hooks } = await open();
    const results: { content: object[] }[] = [];
    for (let n = 0; n < 3; n++) {
      const input = { tool: 'ev_echo', sessionID: 's', callID: `${n}` };
      const result = { content: [{ type: 'text', text: 'Echo: same' }] };
      await hooks['tool.execute.before']?.(input, { args: { message: 'same' } });
      await hooks['tool.execute.after']?.({ ...input, args: { message: 'same' } }, result);
      results.push(result);
    }
    expect(results.map(({ content }) => content.length)).toEqual([1, 1, 2]);
  });

  it('counts the tokens of each step once', async () => {
    allow(400);
    const { call, hooks } = await open();
    const finish = (id: string, tokens: object) => {
      const part = {
        type: 'step-finish',
        id,
        sessionID: 's',
        messageID: 'm',
        reason: 'tool-calls',
        cost: 0,
        tokens,
      };
      return hooks['event']?.({
        event: { type: 'message.part.updated', properties: { sessionID: 's', part } },
      });
    };
    const told: string[] = [];
    for (let n = 1; n <= 4; n++) {
      told.push(await call({ command: `cat ${n}` }, 'bash', 's', `${n}`));
      await finish(`part ${n}`, { input: 10, output: 5, reasoning: 5, cache: { read: 100, write: 30 } });
      await finish(`part ${n}`, { input: 10, output: 5, reasoning: 5, cache: { read: 100, write: 30 } });
    }
    expect(told.slice(0, 3)).toEqual(['1', '2', '3']);
    expect(told[3]).toMatch(/^refused: \[deloop\] Stopped: the budget of tokens is used up \(450 of 400\)/);
  });

  it('does nothing in shadow, and says so', async () => {
    const { call } = await open({ shadow: true });
    for (let n = 0; n < 6; n++) expect(await call()).toBe('a\nb');
    expect(log()).toMatchObject([
      { action: 'nudge', did: 'none', mode: 'shadow' },
      { action: 'block', did: 'none', refused: false },
      { action: 'block' },
    ]);
  });

  it('lets everything pass where nothing can be kept', async () => {
    process.env['DELOOP_STATE_DIR'] = '/dev/null/nowhere';
    const { call } = await open();
    for (let n = 0; n < 6; n++) expect(await call()).toBe('a\nb');
  });
});

describe('pi', () => {
  type Handler = (event: object, context: object) => unknown;

  async function open({ hasUI = false, answer = false } = {}) {
    const handlers: { [event: string]: Handler } = {};
    const sent: object[] = [];
    const questions: string[] = [];
    let aborted = 0;
    const deloop = await load('pi');
    deloop({
      on: (event: string, handler: Handler) => {
        handlers[event] = handler;
      },
      sendMessage: (...message: object[]) => sent.push(message),
    });
    const context = {
      hasUI,
      cwd: state,
      sessionManager: { getSessionId: () => 'p' },
      ui: {
        confirm: async (_title: string, question: string) => {
          questions.push(question);
          return answer;
        },
      },
      abort: () => {
        aborted++;
      },
    };
    const tell = async (type: string, more: object = {}) =>
      await handlers[type]?.({ type, ...more }, context);
    let calls = 0;
    await tell('input', { text: 'Go.', source: 'interactive' });
    return {
      tell,
      sent,
      questions,
      aborted: () => aborted,
      async call(input: object = LIST, text = 'a'): Promise<unknown> {
        const about = { toolName: 'bash', toolCallId: `call_${++calls}` };
        await tell('turn_start', { turnIndex: calls });
        await tell('tool_execution_start', { ...about, args: input });
        const refusal = await tell('tool_call', { ...about, input });
        if (refusal !== undefined) return refusal;
        const content = [{ type: 'text', text }];
        const told = await tell('tool_result', { ...about, input, content, isError: false });
        await tell('tool_execution_end', { ...about, result: { content }, isError: false });
        return told;
      },
      /** A call that it does not run, and tells no extension of. */
      async missed(tool: string, text: string): Promise<void> {
        const about = { toolName: tool, toolCallId: `call_${++calls}` };
        await tell('turn_start', { turnIndex: calls });
        await tell('tool_execution_start', { ...about, args: { wrong: 1 } });
        await tell('tool_execution_end', {
          ...about,
          result: { content: [{ type: 'text', text }], details: {} },
          isError: true,
        });
      },
    };
  }

  it('tells at the end of a result, refuses with a reason, and aborts', async () => {
    const { call, aborted } = await open();
    const told: unknown[] = [];
    for (let n = 0; n < 7; n++) told.push(await call());
    expect(told.slice(0, 2)).toEqual([undefined, undefined]);
    expect(told[2]).toMatchObject({
      content: [{ text: 'a' }, { type: 'text', text: expect.stringMatching(/^\[deloop\] bash has given/) }],
    });
    expect(told[4]).toMatchObject({ block: true, reason: expect.stringMatching(/^\[deloop\] Not run/) });
    expect(aborted()).toBe(1);
    expect(told[6]).toMatchObject({ block: true, reason: expect.stringMatching(/Stopped/) });
  });

  it.each([
    [true, 0, undefined],
    [false, 1, { block: true, reason: expect.stringMatching(/Stopped: .*Report/) }],
  ])('asks whoever sits before it: %s', async (answer, ended, reply) => {
    const { call, questions, aborted } = await open({ hasUI: true, answer });
    let last: unknown;
    for (let n = 0; n < 7; n++) last = await call();
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(/The agent may be stuck: .*go on\?$/);
    expect(aborted()).toBe(ended);
    if (reply === undefined) expect(last).toBe(undefined);
    else expect(last).toMatchObject(reply);
  });

  it('hears of tools that do not exist, and steers', async () => {
    const { missed, sent } = await open();
    for (let n = 0; n < 3; n++) await missed('no_such_tool', 'Tool no_such_tool not found');
    expect(sent).toEqual([
      [
        { customType: 'deloop', content: expect.stringMatching(/no_such_tool/), display: true },
        { deliverAs: 'steer' },
      ],
    ]);
  });

  it('counts the tokens of a response before its calls', async () => {
    allow(450);
    const { call, tell } = await open();
    const told: unknown[] = [];
    for (let n = 1; n <= 3; n++) {
      const usage = { input: 15, output: 5, cacheRead: 100, cacheWrite: 30, totalTokens: 150 };
      await tell('message_end', { message: { role: 'user', content: [], timestamp: n } });
      await tell('message_end', { message: { role: 'assistant', content: [], usage, timestamp: n } });
      told.push(await call({ command: `cat ${n}` }, `${n}`));
    }
    expect(told.slice(0, 2)).toEqual([undefined, undefined]);
    expect(told[2]).toMatchObject({ block: true, reason: expect.stringContaining('450 of 450') });
  });

  it('begins anew when a person writes', async () => {
    const { call, tell } = await open();
    for (let n = 0; n < 2; n++) await call();
    await tell('input', { text: 'And again.', source: 'interactive' });
    expect(await call()).toBe(undefined);
  });
});

describe('OpenClaw', () => {
  type Handler = (event: object, context: object) => unknown;
  type Refusal = { readonly block: boolean; readonly blockReason: string } | undefined;
  const SESSION = { agentId: 'main', sessionKey: 'agent:main:main' };

  async function open() {
    const handlers: { [event: string]: Handler } = {};
    const deloop = await load('openclaw');
    deloop({
      on: (event: string, handler: Handler) => {
        handlers[event] = handler;
      },
    });
    let calls = 0;
    return {
      write: (message: object) => handlers['before_message_write']?.({ message, ...SESSION }, SESSION),
      async call(runId: string, params: object = LIST, text = 'a'): Promise<Refusal> {
        const context = { toolName: 'exec', ...SESSION, sessionId: 'o', runId };
        const event = { toolName: 'exec', params, runId, toolCallId: `call_${++calls}` };
        const refusal = (await handlers['before_tool_call']?.(event, context)) as Refusal;
        const result =
          refusal === undefined
            ? {
                content: [{ type: 'text', text }],
                details: { status: 'completed', exitCode: 0, durationMs: calls },
              }
            : { content: [{ type: 'text', text: 'no' }], details: { status: 'blocked', deniedReason: 'x' } };
        await handlers['after_tool_call']?.({ ...event, result, durationMs: calls }, context);
        return refusal;
      },
    };
  }

  it('refuses with a reason, and goes on refusing until another run begins', async () => {
    const { call } = await open();
    const answers: Refusal[] = [];
    for (let n = 0; n < 9; n++) answers.push(await call('first'));
    expect(answers.map((answer) => answer?.block ?? false)).toEqual([
      ...[false, false, false, false],
      ...[true, true, true, true, true],
    ]);
    expect(answers[4]?.blockReason).toMatch(/^\[deloop\] Not run/);
    expect(answers[8]?.blockReason).toMatch(/No tool will run until the user has written/);
    expect(await call('second')).toBe(undefined);
  });

  it('counts the tokens of messages as they are written down, and lets them be written', async () => {
    allow(450);
    const { call, write } = await open();
    const answers: Refusal[] = [];
    for (let n = 1; n <= 3; n++) {
      const usage = { input: 15, output: 5, cacheRead: 100, cacheWrite: 30 };
      expect(write({ role: 'toolResult', content: [], timestamp: n })).toBe(undefined);
      expect(write({ role: 'assistant', content: [], usage, timestamp: n })).toBe(undefined);
      answers.push(await call('first', { command: `cat ${n}` }, `${n}`));
    }
    expect(answers.slice(0, 2)).toEqual([undefined, undefined]);
    expect(answers[2]?.blockReason).toContain('450 of 450');
  });
});
