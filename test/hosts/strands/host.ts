import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AfterToolCallEvent,
  AfterToolsEvent,
  Agent,
  type AgentConfig,
  type AgentResult,
  type BaseModelConfig,
  BeforeInvocationEvent,
  BeforeModelCallEvent,
  BeforeToolCallEvent,
  BeforeToolsEvent,
  FunctionTool,
  type HookableEventConstructor,
  InterventionActions,
  InterventionHandler,
  InvokeModelStage,
  type JSONValue,
  type Message,
  MessageAddedEvent,
  Model,
  type ModelStreamEvent,
  type StreamOptions,
} from '@strands-agents/sdk';
import { deloop } from '../../../src/adapters/strands/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedModel } from '../../../src/testing/adapter-host.ts';

export class StubModel extends Model<BaseModelConfig> {
  readonly #script: ScriptedModel;

  constructor(script: ScriptedModel) {
    super();
    this.#script = script;
  }

  updateConfig(): void {}

  getConfig(): BaseModelConfig {
    return { modelId: 'scripted' };
  }

  async *stream(
    messages: Message[],
    { toolSpecs = [] }: StreamOptions = {},
  ): AsyncIterable<ModelStreamEvent> {
    const sent = JSON.stringify(messages.map(({ role, content }) => ({ role, content })));
    const { text, reasoning, calls = [], usage } = this.#script({ sent, tools: toolSpecs.length > 0 });
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    for (const [type, words] of [
      ['reasoningContentDelta', reasoning],
      ['textDelta', text],
    ] as const) {
      if (words === undefined) continue;
      yield { type: 'modelContentBlockStartEvent' };
      for (const piece of words.match(/.{1,7}/gs) ?? [])
        yield { type: 'modelContentBlockDeltaEvent', delta: { type, text: piece } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    for (const { id, tool, args } of calls) {
      yield {
        type: 'modelContentBlockStartEvent',
        start: { type: 'toolUseStart', name: tool, toolUseId: id },
      };
      const input = JSON.stringify(args);
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } };
      yield { type: 'modelContentBlockStopEvent' };
    }
    yield { type: 'modelMessageStopEvent', stopReason: calls.length > 0 ? 'toolUse' : 'endTurn' };
    if (usage === undefined) return;
    const { input: inputTokens, output: outputTokens } = usage;
    const totalTokens = inputTokens + outputTokens;
    yield { type: 'modelMetadataEvent', usage: { inputTokens, outputTokens, totalTokens } };
  }
}

const EVENTS: readonly HookableEventConstructor[] = [
  BeforeInvocationEvent,
  AfterInvocationEvent,
  BeforeModelCallEvent,
  AfterModelCallEvent,
  BeforeToolsEvent,
  AfterToolsEvent,
  BeforeToolCallEvent,
  AfterToolCallEvent,
  MessageAddedEvent,
];

/** The user's own hooks, middleware and interventions. */
class OwnInterventions extends InterventionHandler {
  readonly name = 'own';
  readonly #tell: (name: string) => void;

  constructor(tell: (name: string) => void) {
    super();
    this.#tell = tell;
  }

  override beforeToolCall(): ReturnType<typeof InterventionActions.proceed> {
    this.#tell('intervention beforeToolCall');
    return InterventionActions.proceed();
  }

  override beforeModelCall(): ReturnType<typeof InterventionActions.proceed> {
    this.#tell('intervention beforeModelCall');
    return InterventionActions.proceed();
  }
}

export const WAYS = ['invoke', 'stream', 'sequential'] as const;

/** One way of running an agent, as the contract suite drives it. */
export function strandsHost(way: (typeof WAYS)[number]): AdapterHost {
  return {
    name: `Strands, ${way}`,
    open({ model, tools, options, onOwnHook }: HostSetup) {
      const guard = options && deloop(options);
      const config: AgentConfig = {
        model: new StubModel(model),
        printer: false,
        toolExecutor: way === 'sequential' ? 'sequential' : 'concurrent',
        tools: Object.entries(tools).map(
          ([name, execute]) =>
            new FunctionTool({
              name,
              description: name,
              inputSchema: { type: 'object', additionalProperties: true },
              callback: (args) => execute(args) as JSONValue,
            }),
        ),
        interventions: [
          ...(onOwnHook ? [new OwnInterventions(onOwnHook)] : []),
          ...(guard === null ? [] : [guard]),
        ],
      };
      const agent = new Agent(config);
      if (onOwnHook !== undefined) {
        for (const event of EVENTS) agent.addHook(event, () => onOwnHook(event.name));
        agent.addMiddleware(InvokeModelStage, async function* own(context, next) {
          onOwnHook('middleware');
          return yield* next(context);
        });
      }
      let interrupts: AgentResult['interrupts'];

      async function go(args: Parameters<Agent['invoke']>[0]): Promise<Ending> {
        const result = await (way === 'stream' ? drained(agent.stream(args)) : agent.invoke(args));
        interrupts = result.interrupts;
        const reason = guard?.stopped ?? null;
        return {
          ended: result.stopReason === 'interrupt' ? 'held' : reason === null ? 'done' : 'stopped',
          text: result.toString(),
          reason,
          partial: agent.messages,
          toolErrors: agent.messages.flatMap(({ content }) =>
            content.flatMap((block) =>
              block.type === 'toolResultBlock' && block.error ? [block.error] : [],
            ),
          ),
        };
      }

      return {
        send: go,
        answer: (response) =>
          go((interrupts ?? []).map(({ id }) => ({ interruptResponse: { interruptId: id, response } }))),
        resume() {
          guard?.run().resume();
          return go([]);
        },
        state: () => guard?.run().state,
      };
    },
  };
}

async function drained(stream: AsyncGenerator<unknown, AgentResult>): Promise<AgentResult> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return value;
  }
}
