import { type ChatMessage, deloop } from '../../src/adapters/generic/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedCall } from '../../src/testing/adapter-host.ts';

type Result = { readonly id: string; readonly text: string; readonly failed: boolean };

/** How an API writes what was said. */
type Dialect = {
  readonly name: string;
  answer(text: string, reasoning: string, calls: readonly ScriptedCall[]): readonly ChatMessage[];
  results(results: readonly Result[]): readonly ChatMessage[];
};

const openai: Dialect = {
  name: 'OpenAI',
  answer: (text, reasoning, calls) => [
    {
      role: 'assistant',
      content: text,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, tool, args }) => ({
          id,
          type: 'function',
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      }),
    },
  ],
  results: (results) =>
    results.map(({ id, text, failed }) => ({
      role: 'tool',
      tool_call_id: id,
      content: failed ? `Error: ${text}` : text,
    })),
};

/** Items of the Responses API: those of one response stand side by side. */
const responses: Dialect = {
  name: "OpenAI's Responses API",
  answer: (text, reasoning, calls) => [
    {
      type: 'reasoning',
      id: 'rs',
      summary: reasoning === '' ? [] : [{ type: 'summary_text', text: reasoning }],
    },
    ...(text === ''
      ? []
      : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] } as ChatMessage]),
    ...calls.map(({ id, tool, args }) => {
      const call = { call_id: id, name: tool, arguments: JSON.stringify(args) };
      return { type: 'function_call', id: `fc-${id}`, ...call };
    }),
  ],
  results: (results) =>
    results.map(({ id, text, failed }) => ({
      type: 'function_call_output',
      call_id: id,
      output: failed ? `Error: ${text}` : text,
    })),
};

const anthropic: Dialect = {
  name: 'Anthropic',
  answer: (text, reasoning, calls) => [
    {
      role: 'assistant',
      content: [
        ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'signed' }]),
        { type: 'text', text },
        ...calls.map(({ id, tool, args }) => ({ type: 'tool_use', id, name: tool, input: args })),
      ],
    },
  ],
  results: (results) => [
    {
      role: 'user',
      content: results.map(({ id, text, failed }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text }],
        is_error: failed,
      })),
    },
  ],
};

const isFailure = ({ content }: ChatMessage) => String(content).startsWith('Error: ');

/** A loop that shows its messages to the guard and does what it says. */
function messageHost({ name, answer, results }: Dialect): AdapterHost {
  return {
    name: `generic, messages of ${name}`,
    cannot: {
      hold: 'a hand-written loop has no way of its own to ask',
      usage: 'messages do not say what they cost',
      'unknown-tool': 'messages do not say why a call failed',
    },
    open({ model, tools, options, onOwnHook }: HostSetup) {
      const guard = options && deloop(options);
      const run = guard?.of(options?.session ?? 'one') ?? null;
      const messages: ChatMessage[] = [];
      const toolErrors: unknown[] = [];

      async function execute({ id, tool, args }: ScriptedCall): Promise<Result> {
        try {
          return { id, text: JSON.stringify(await tools[tool]?.(args)), failed: false };
        } catch (error) {
          toolErrors.push(error);
          return { id, text: String((error as Error).message), failed: true };
        }
      }

      async function go(): Promise<Ending> {
        let withTools = true;
        for (;;) {
          onOwnHook?.('step');
          const request = { sent: JSON.stringify(messages), tools: withTools };
          const { text = '', reasoning = '', calls = [] } = model(request);
          messages.push(...answer(text, reasoning, calls));
          const asked = await run?.read(messages, { isFailure });
          const todo = calls.map(async (call): Promise<Result> => {
            const verdict = asked?.calls.find(({ id }) => id === call.id)?.verdict;
            if (verdict === undefined || verdict.do === 'run') return execute(call);
            return { id: call.id, text: verdict.text, failed: true };
          });
          if (calls.length > 0) messages.push(...results(await Promise.all(todo)));
          const { nudge, over, lastTurn, stopped } = (await run?.read(messages, { isFailure })) ?? {};
          if (nudge) messages.push({ role: 'user', content: nudge });
          withTools = lastTurn !== true;
          if (calls.length === 0 || over === true) {
            const ended = stopped ? 'stopped' : 'done';
            return { ended, text, reason: stopped ?? null, toolErrors };
          }
        }
      }

      return {
        async send(prompt) {
          await run?.begin();
          messages.push({ role: 'user', content: prompt });
          return go();
        },
        resume() {
          run?.resume();
          return go();
        },
        state: () => run?.state,
      };
    },
  };
}

export const messageHosts: readonly AdapterHost[] = [openai, responses, anthropic].map(messageHost);
