import { deloop, isCallBlocked } from '../../src/adapters/ai-sdk/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedModel } from '../../src/testing/adapter-host.ts';

/** What both majors give back, as far as the suite looks at it. */
type Result = {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly response: { readonly messages: readonly object[] };
  /** AI SDK 7: those of all steps. */
  readonly responseMessages?: readonly object[];
  /** What was asked for with the setting `output`. */
  readonly output?: unknown;
};
type Step = {
  readonly text: string;
  readonly content: readonly {
    readonly type: string;
    readonly error?: unknown;
    readonly output?: unknown;
    readonly approvalId?: string;
    readonly isAutomatic?: boolean;
  }[];
};
type Streamed = { readonly [name in keyof Result]: PromiseLike<Result[name]> } & {
  consumeStream(): PromiseLike<void>;
  readonly fullStream: AsyncIterable<{
    readonly type: string;
    readonly text?: string;
    readonly output?: unknown;
    readonly preliminary?: boolean;
  }>;
};

/** The real package of one major, with its own mock of a model. */
export type AiSdk = {
  readonly name: string;
  generateText(settings: object): Promise<Result>;
  streamText(settings: object): Streamed;
  readonly ToolLoopAgent: new (
    settings: object,
  ) => { generate(call: object): Promise<Result>; stream(call: object): Promise<Streamed> };
  jsonSchema(schema: object): unknown;
  mockModel(functions: { readonly doGenerate: ModelFunction; readonly doStream: ModelFunction }): unknown;
};
/** What only cases of its own need of it, too. */
export type WholeAiSdk = AiSdk & {
  /** The output setting of a list. */
  listOf(element: unknown): unknown;
  generateObject(settings: object): Promise<{ readonly object: unknown }>;
  streamObject(settings: object): {
    readonly object: Promise<unknown>;
    readonly partialObjectStream: AsyncIterable<unknown>;
  };
  pruneMessages(options: object): object;
  /** An error of a provider. */
  readonly APICallError: new (settings: {
    message: string;
    url: string;
    requestBodyValues: unknown;
    statusCode: number;
    isRetryable: boolean;
    responseHeaders: Record<string, string>;
  }) => Error;
};
type ModelFunction = (options: ModelOptions) => Promise<object>;
type ModelOptions = {
  readonly prompt: unknown;
  readonly tools?: readonly unknown[];
  readonly toolChoice?: { readonly type: string };
};

export const WAYS = ['generateText', 'streamText', 'agent.generate', 'agent.stream'] as const;
export type Way = (typeof WAYS)[number];

export function scriptedModel(sdk: AiSdk, model: ScriptedModel): unknown {
  const answer = ({ prompt, tools = [], toolChoice }: ModelOptions) => {
    const {
      text,
      reasoning,
      calls = [],
      usage,
    } = model({
      sent: JSON.stringify(prompt),
      tools: tools.length > 0 && toolChoice?.type !== 'none',
    });
    return {
      content: [
        ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, tool, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: tool,
          input: JSON.stringify(args),
        })),
      ],
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: usage?.input, noCache: usage?.input, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: usage?.output, text: usage?.output, reasoning: 0 },
      },
      warnings: [],
    };
  };
  return sdk.mockModel({
    doGenerate: async (options) => answer(options),
    async doStream(options) {
      const { content, finishReason, usage } = answer(options);
      const parts = content.flatMap((part, index): object[] => {
        if (part.type === 'tool-call') return [part];
        const { text } = part as { text: string };
        const pieces = text.match(/.{1,7}/gs) ?? [];
        return [
          { type: `${part.type}-start`, id: `${index}` },
          ...pieces.map((delta) => ({ type: `${part.type}-delta`, id: `${index}`, delta })),
          { type: `${part.type}-end`, id: `${index}` },
        ];
      });
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            for (const part of parts) controller.enqueue(part);
            controller.enqueue({ type: 'finish', finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  });
}

/** One way of running the AI SDK, as the contract suite drives it. */
export function aiSdkHost(sdk: AiSdk, way: Way): AdapterHost {
  return {
    name: `${sdk.name}, ${way}`,
    open({ model, tools, options, onOwnHook }: HostSetup) {
      const guard = options && deloop(options);
      const session = options?.session ?? 'one';
      const history: object[] = [];
      let asked: readonly string[] = [];

      const settings = {
        model: scriptedModel(sdk, model),
        tools: Object.fromEntries(
          Object.entries(tools).map(([name, execute]) => [
            name,
            {
              inputSchema: sdk.jsonSchema({ type: 'object', additionalProperties: true }),
              execute: async (args: unknown) => {
                onOwnHook?.(`execute ${name}`);
                return execute(args);
              },
            },
          ]),
        ),
        maxRetries: 0,
        onError() {},
        stopWhen({ steps }: { steps: readonly unknown[] }) {
          onOwnHook?.('stopWhen');
          return steps.length >= 60;
        },
        ...(onOwnHook && {
          prepareStep({ steps }: { steps: readonly unknown[] }) {
            onOwnHook(`prepareStep ${steps.length}`);
            return undefined;
          },
          onStepFinish() {
            onOwnHook('onStepFinish');
          },
        }),
      };

      async function result(): Promise<Result> {
        const call = { messages: [...history] };
        if (way === 'agent.generate' || way === 'agent.stream') {
          const agent = new sdk.ToolLoopAgent({
            ...settings,
            ...(guard && { prepareCall: (prepared: object) => guard(prepared, { session }) }),
          });
          return way === 'agent.generate' ? agent.generate(call) : streamed(await agent.stream(call));
        }
        const all = guard ? guard({ ...settings, ...call }, { session }) : { ...settings, ...call };
        return way === 'generateText' ? sdk.generateText(all) : streamed(sdk.streamText(all));
      }

      async function go(): Promise<Ending> {
        const { text, steps, response, responseMessages } = await result();
        history.push(...(responseMessages ?? response.messages));
        const requests = steps.at(-1)?.content.filter(({ type }) => type === 'tool-approval-request') ?? [];
        asked = requests.flatMap(({ approvalId, isAutomatic }) =>
          approvalId === undefined || isAutomatic === true ? [] : [approvalId],
        );
        const reason = guard?.run(session).stopped ?? null;
        return {
          ended: asked.length > 0 ? 'held' : reason === null ? 'done' : 'stopped',
          text,
          reason,
          partial: steps.map((step) => step.text),
          toolErrors: steps.flatMap(({ content }) =>
            content.flatMap(({ type, error }) =>
              type === 'tool-error' && !isCallBlocked(error) ? [error] : [],
            ),
          ),
        };
      }

      return {
        send(prompt) {
          history.push({ role: 'user', content: prompt });
          return go();
        },
        answer(approved) {
          const content = asked.map((approvalId) => ({
            type: 'tool-approval-response',
            approvalId,
            approved,
          }));
          history.push({ role: 'tool', content });
          return go();
        },
        resume() {
          guard?.run(session).resume();
          return go();
        },
        state: () => guard?.run(session).state,
      };
    },
  };
}

async function streamed(result: Streamed): Promise<Result> {
  await result.consumeStream();
  const [text, steps, response, responseMessages] = await Promise.all([
    result.text,
    result.steps,
    result.response,
    result.responseMessages,
  ]);
  return { text, steps, response, ...(responseMessages && { responseMessages }) };
}
