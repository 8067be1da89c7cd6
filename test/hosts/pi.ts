import { deloop, type PiAgent } from '../../src/adapters/pi/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedModel } from '../../src/testing/adapter-host.ts';

type Block = { readonly type: string; readonly [name: string]: unknown };
type Message = {
  readonly role: string;
  readonly content: readonly Block[];
  readonly stopReason?: string;
  readonly toolsAdded?: readonly unknown[];
};
export type PiStream = { push(part: object): void; end(message?: object): void };
export type RunningAgent = PiAgent & {
  readonly state: {
    readonly tools: readonly { readonly name: string }[];
    readonly messages: readonly Message[];
    readonly isStreaming: boolean;
  };
  prompt(input: string | object): Promise<void>;
  continue(): Promise<void>;
  steer(message: object): void;
  followUp(message: object): void;
  hasQueuedMessages(): boolean;
  clearFollowUpQueue(): void;
  abort(): void;
  subscribe(listener: (event: { readonly type: string }) => Promise<void>): () => void;
};

/** The real packages of one version. */
export type Pi = {
  readonly name: string;
  createAgent(options: object): RunningAgent;
  createStream(): PiStream;
};

export const MODEL = { api: 'scripted', provider: 'scripted', id: 'scripted', input: ['text'] };

/** A stream function that answers from a script, in pieces. */
export function scriptedStream(pi: Pi, script: ScriptedModel) {
  return (
    _model: object,
    { messages, tools = [] }: { messages: readonly Message[]; tools?: readonly unknown[] },
    options: { readonly signal?: AbortSignal } = {},
  ): PiStream => {
    if (options.signal?.aborted === true) return abortedStream(pi);
    const offered = [...tools, ...messages.flatMap(({ toolsAdded = [] }) => toolsAdded)];
    const sent = JSON.stringify(messages.map(({ role, content }) => ({ role, content })));
    const { text, reasoning, calls = [], usage } = script({ sent, tools: offered.length > 0 });
    const content: Block[] = [];
    const { input = 0, output = 0 } = usage ?? {};
    const base = messageOf(calls.length > 0 ? 'toolUse' : 'stop', input, output);
    const partial = () => ({ ...base, content: structuredClone(content) });
    const stream = pi.createStream();
    const speak = async () => {
      stream.push({ type: 'start', partial: partial() });
      for (const [kind, field, words] of [
        ['thinking', 'thinking', reasoning],
        ['text', 'text', text],
      ] as const) {
        if (words === undefined) continue;
        const signed = { type: kind, [`${kind}Signature`]: `${kind}_1` };
        const contentIndex = content.push({ ...signed, [field]: '' }) - 1;
        for (const delta of words.match(/.{1,7}/gs) ?? []) {
          await null;
          if (options.signal?.aborted === true) return;
          content[contentIndex] = { ...signed, [field]: `${content[contentIndex]?.[field]}${delta}` };
          stream.push({ type: `${kind}_delta`, contentIndex, delta, partial: partial() });
        }
      }
      for (const { id, tool, args } of calls)
        content.push({ type: 'toolCall', id, name: tool, arguments: args });
      const message = partial();
      stream.push({ type: 'done', reason: base.stopReason, message });
      stream.end(message);
    };
    speak().catch((error: unknown) => stream.end({ ...base, stopReason: 'error', errorMessage: `${error}` }));
    return stream;
  };
}

/** As the providers of pi answer to a signal that is aborted already. */
function abortedStream(pi: Pi): PiStream {
  const stream = pi.createStream();
  const message = { ...messageOf('aborted'), content: [] };
  stream.push({ type: 'error', reason: 'aborted', error: message });
  stream.end(message);
  return stream;
}

function messageOf(stopReason: string, input = 0, output = 0) {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    api: 'scripted',
    provider: 'scripted',
    model: 'scripted',
    usage: { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost: none },
    stopReason,
    timestamp: 0,
  };
}

export function wordsIn(message: Message | undefined): string {
  return (message?.content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('');
}

/** One way of running an agent, as the contract suite drives it. */
export function piHost(pi: Pi, toolExecution: 'parallel' | 'sequential'): AdapterHost {
  return {
    name: `${pi.name}, ${toolExecution}`,
    cannot: {
      hold: 'pi has no way of its own to ask a person',
      'tool-errors': 'pi tells errors of tools only as text',
    },
    open({ model, tools, options, onOwnHook }: HostSetup) {
      const guard = options && deloop(options);
      const told = (name: string) => async () => {
        onOwnHook?.(name);
        return undefined;
      };
      const bare = pi.createAgent({
        streamFn: scriptedStream(pi, model),
        toolExecution,
        initialState: {
          systemPrompt: 'Find things.',
          model: MODEL,
          thinkingLevel: 'off',
          messages: [],
          tools: Object.entries(tools).map(([name, execute]) => ({
            name,
            label: name,
            description: name,
            parameters: { type: 'object', additionalProperties: true },
            async execute(_id: string, args: unknown) {
              const result = await execute(args);
              const text = typeof result === 'string' ? result : JSON.stringify(result);
              return { content: [{ type: 'text', text }], details: result };
            },
          })),
        },
        ...(onOwnHook && {
          beforeToolCall: told('beforeToolCall'),
          afterToolCall: told('afterToolCall'),
          prepareNextTurn: told('prepareNextTurn'),
          transformContext: async (messages: unknown) => {
            onOwnHook('transformContext');
            return messages;
          },
        }),
      });
      const agent = guard === null ? bare : guard(bare);
      agent.subscribe(async ({ type }) => onOwnHook?.(type));

      async function send(text: string): Promise<Ending> {
        await agent.prompt(text);
        const reason = guard?.stopped ?? null;
        return {
          ended: reason === null ? 'done' : 'stopped',
          text: wordsIn(agent.state.messages.at(-1)),
          reason,
          partial: agent.state.messages,
        };
      }

      return {
        send,
        resume() {
          guard?.run().resume();
          return send('Go on.');
        },
        state: () => guard?.run().state,
      };
    },
  };
}
