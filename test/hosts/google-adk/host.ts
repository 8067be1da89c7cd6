import type { BaseLlmConnection, Event, LlmRequest, LlmResponse } from '@google/adk';
import * as latest from '@google/adk';
import type { Content, FunctionDeclaration } from '@google/genai';
import { deloop } from '../../../src/adapters/google-adk/index.ts';
import type {
  AdapterHost,
  Ending,
  HostSetup,
  ScriptedModel,
  ScriptedTool,
} from '../../../src/testing/adapter-host.ts';

export const CONFIRMATION = 'adk_request_confirmation';

export const WAYS = ['runAsync', 'streaming'] as const;

/** What drives ADK, made of the packages of one version. */
export function driverOf(adk: typeof latest) {
  const { BaseLlm, BasePlugin, BaseTool, getFunctionCalls, InMemoryRunner, LlmAgent, LogLevel } = adk;
  const { StreamingMode, setLogLevel, stringifyContent } = adk;
  setLogLevel(LogLevel.ERROR);

  class StubModel extends BaseLlm {
    readonly #script: ScriptedModel;

    constructor(script: ScriptedModel) {
      super({ model: 'scripted' });
      this.#script = script;
    }

    async *generateContentAsync(
      { contents, config }: LlmRequest,
      stream = false,
    ): AsyncGenerator<LlmResponse, void> {
      const tools = (config?.tools?.length ?? 0) > 0;
      const { text, reasoning, calls = [], usage } = this.#script({ sent: JSON.stringify(contents), tools });
      const words = [
        ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
        ...(text === undefined ? [] : [{ text }]),
      ];
      if (stream)
        for (const { text: whole, ...kind } of words)
          for (const piece of whole.match(/.{1,7}/gs) ?? [])
            yield { content: { role: 'model', parts: [{ text: piece, ...kind }] }, partial: true };
      yield {
        content: {
          role: 'model',
          parts: [
            ...words,
            ...calls.map(({ id, tool, args }) => ({
              functionCall: { id, name: tool, args: args as Record<string, unknown> },
            })),
          ],
        },
        ...(usage && {
          usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
        }),
      };
    }

    connect(): Promise<BaseLlmConnection> {
      return Promise.reject(new Error('not here'));
    }
  }

  /** A tool whose errors reach ADK as they are; `FunctionTool` makes new ones of them. */
  class PlainTool extends BaseTool {
    readonly #execute: ScriptedTool;

    constructor(name: string, execute: ScriptedTool) {
      super({ name, description: name });
      this.#execute = execute;
    }

    override _getDeclaration(): FunctionDeclaration {
      return { name: this.name, description: this.description };
    }

    override async runAsync({ args }: { args: Record<string, unknown> }): Promise<unknown> {
      return this.#execute(args);
    }
  }

  /** The user's own plugin. */
  class OwnPlugin extends BasePlugin {
    readonly errors: Error[] = [];
    readonly #tell: (name: string) => void;

    constructor(tell: (name: string) => void = () => {}) {
      super('own');
      this.#tell = tell;
    }

    async #told(name: string): Promise<undefined> {
      this.#tell(`plugin ${name}`);
      return undefined;
    }

    override onUserMessageCallback = () => this.#told('onUserMessage');
    override beforeRunCallback = () => this.#told('beforeRun');
    override onEventCallback = () => this.#told('onEvent');
    override afterRunCallback = () => this.#told('afterRun');
    override beforeAgentCallback = () => this.#told('beforeAgent');
    override afterAgentCallback = () => this.#told('afterAgent');
    override beforeModelCallback = () => this.#told('beforeModel');
    override afterModelCallback = () => this.#told('afterModel');
    override beforeToolCallback = () => this.#told('beforeTool');
    override afterToolCallback = () => this.#told('afterTool');
    override onToolErrorCallback = ({ error }: { error: Error }) => {
      this.errors.push(error);
      return this.#told('onToolError');
    };
  }

  /** One way of running an agent, as the contract suite drives it. */
  function googleAdkHost(way: (typeof WAYS)[number]): AdapterHost {
    return {
      name: `Google ADK ${adk.version}, ${way}`,
      async open({ model, tools, options, onOwnHook }: HostSetup) {
        const guard = options && deloop(options);
        const own = new OwnPlugin(onOwnHook);
        const told = (name: string) => () => {
          onOwnHook?.(name);
          return undefined;
        };
        const agent = new LlmAgent({
          name: 'main',
          model: new StubModel(model),
          tools: Object.entries(tools).map(([name, execute]) => new PlainTool(name, execute)),
          ...(onOwnHook && {
            beforeModelCallback: told('beforeModelCallback'),
            afterModelCallback: told('afterModelCallback'),
            beforeToolCallback: told('beforeToolCallback'),
            afterToolCallback: told('afterToolCallback'),
          }),
        });
        const runner = new InMemoryRunner({
          agent,
          appName: 'test',
          plugins: [...(guard === null ? [] : [guard]), own],
        });
        const { id: sessionId } = await runner.sessionService.createSession({
          appName: 'test',
          userId: 'one',
        });
        let asked: readonly string[] = [];

        async function go(newMessage: Content): Promise<Ending> {
          const events: Event[] = [];
          const streamingMode = way === 'streaming' ? StreamingMode.SSE : StreamingMode.NONE;
          const run = runner.runAsync({ userId: 'one', sessionId, newMessage, runConfig: { streamingMode } });
          for await (const event of run) events.push(event);
          asked = events
            .flatMap((event) => getFunctionCalls(event))
            .flatMap(({ name, id }) => (name === CONFIRMATION && id !== undefined ? [id] : []));
          const reason = guard?.stopped ?? null;
          const last = events.findLast(({ partial }) => partial !== true);
          const error = events.find(({ errorMessage }) => errorMessage !== undefined)?.errorMessage;
          return {
            ended: asked.length > 0 ? 'held' : reason === null ? 'done' : 'stopped',
            text: last === undefined ? '' : stringifyContent(last),
            reason,
            partial: events,
            toolErrors: own.errors,
            ...(error !== undefined && { error }),
          };
        }

        return {
          send: (text) => go({ role: 'user', parts: [{ text }] }),
          answer: (confirmed) =>
            go({
              role: 'user',
              parts: asked.map((id) => ({
                functionResponse: { id, name: CONFIRMATION, response: { confirmed } },
              })),
            }),
          resume() {
            guard?.run().resume();
            return go({ role: 'user', parts: [{ text: 'Go on.' }] });
          },
          state: () => guard?.run().state,
        };
      },
    };
  }

  return { StubModel, PlainTool, googleAdkHost };
}

export const { StubModel, PlainTool, googleAdkHost } = driverOf(latest);
export type StubModel = InstanceType<typeof StubModel>;
