import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import type { ToolHooks } from '@mastra/core/tools';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/mastra/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedModel } from '../../../src/testing/adapter-host.ts';

type ModelOptions = {
  readonly prompt: unknown;
  readonly tools?: readonly unknown[];
  readonly toolChoice?: { readonly type: string };
};
export type Result = {
  readonly steps: readonly { readonly text: string }[];
  readonly finishReason?: string;
  readonly runId?: string;
  readonly suspendPayload?: { readonly toolCallId?: string };
  readonly response: { readonly messages?: readonly object[] };
};

export function scriptedModel(script: ScriptedModel, specificationVersion: 'v2' | 'v3' = 'v2'): never {
  const answer = ({ prompt, tools = [], toolChoice }: ModelOptions) => {
    // Mastra writes the time into what it sends.
    const sent = JSON.stringify(prompt).replaceAll(/"createdAt":\d+/g, '"createdAt":0');
    const offered = tools.length > 0 && toolChoice?.type !== 'none';
    const { text, reasoning, calls = [], usage } = script({ sent, tools: offered });
    const { input = 0, output = 0 } = usage ?? {};
    const reason = calls.length > 0 ? 'tool-calls' : 'stop';
    const isNew = specificationVersion === 'v3';
    return {
      content: [
        ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, tool, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: tool,
          input: typeof args === 'string' ? args : JSON.stringify(args),
        })),
      ],
      finishReason: isNew ? { unified: reason, raw: reason } : reason,
      usage: isNew
        ? {
            inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: output, text: output, reasoning: 0 },
          }
        : { inputTokens: input, outputTokens: output, totalTokens: input + output },
      warnings: [],
    };
  };
  const model = {
    specificationVersion,
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async (options: ModelOptions) => answer(options),
    async doStream(options: ModelOptions) {
      const { content, finishReason, usage } = answer(options);
      const parts = content.flatMap((part, index): object[] => {
        if (part.type === 'tool-call') return [part];
        const { text } = part as { text: string };
        return [
          { type: `${part.type}-start`, id: `${index}` },
          ...(text.match(/.{1,7}/gs) ?? []).map((delta) => ({
            type: `${part.type}-delta`,
            id: `${index}`,
            delta,
          })),
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
  };
  return model as never;
}

export const WAYS = ['generate', 'stream'] as const;

/** One way of running an agent, as the contract suite drives it. */
export function mastraHost(way: (typeof WAYS)[number], specificationVersion: 'v2' | 'v3'): AdapterHost {
  return {
    name: `Mastra, ${way}, model ${specificationVersion}`,
    open({ model, tools, options, onOwnHook }: HostSetup) {
      const guard = options && deloop({ session: 'one', ...options });
      const errors: unknown[] = [];
      const hooks: ToolHooks = {
        beforeToolCall() {
          onOwnHook?.('beforeToolCall');
        },
        afterToolCall({ error }) {
          onOwnHook?.('afterToolCall');
          if (error instanceof Error) errors.push(error.cause);
        },
      };
      const own = {
        id: 'own',
        async processInputStep() {
          onOwnHook?.('processInputStep');
        },
        async processLLMResponse() {
          onOwnHook?.('processLLMResponse');
        },
      };
      const agent = new Agent({
        id: 'main',
        name: 'main',
        instructions: 'Find things.',
        model: scriptedModel(model, specificationVersion),
        tools: Object.fromEntries(
          Object.entries(tools).map(([name, execute]) => [
            name,
            createTool({
              id: name,
              description: name,
              inputSchema: z.object({}).loose(),
              execute: async (args) => execute(args),
            }),
          ]),
        ),
        hooks,
        inputProcessors: onOwnHook ? [own] : [],
      });
      guard?.(agent);
      // Mastra keeps suspended runs in its storage.
      const mastra = new Mastra({ agents: { main: agent }, storage: new InMemoryStore(), logger: false });
      const main = mastra.getAgent('main');
      const history: object[] = [];
      const settings = {
        maxSteps: 60,
        ...(onOwnHook && {
          onIterationComplete: () => onOwnHook('onIterationComplete'),
          onStepFinish: () => onOwnHook('onStepFinish'),
          prepareStep: () => onOwnHook('prepareStep'),
        }),
      };
      let suspended: { runId: string; toolCallId: string } | null = null;

      function ending(result: Result): Ending {
        history.push(...(result.response.messages ?? []));
        const { finishReason, runId, suspendPayload, steps } = result;
        const isHeld = finishReason === 'suspended' && runId !== undefined;
        suspended = isHeld ? { runId, toolCallId: suspendPayload?.toolCallId ?? '' } : null;
        const reason = guard?.stopped ?? null;
        return {
          ended: isHeld ? 'held' : reason === null ? 'done' : 'stopped',
          text: steps.at(-1)?.text ?? '',
          reason,
          partial: history,
          toolErrors: errors,
        };
      }

      async function go(): Promise<Ending> {
        const messages = [...history] as never;
        if (way === 'generate') return ending((await main.generate(messages, settings as never)) as never);
        return ending(await settled(await main.stream(messages, settings as never)));
      }

      return {
        send(content) {
          history.push({ role: 'user', content });
          return go();
        },
        async answer(yes) {
          if (suspended === null) throw new Error('nothing is suspended');
          const call = { ...settings, ...suspended } as never;
          if (way === 'generate')
            return ending(
              (await (yes
                ? main.approveToolCallGenerate(call)
                : main.declineToolCallGenerate(call))) as never,
            );
          return ending(await settled(await (yes ? main.approveToolCall(call) : main.declineToolCall(call))));
        },
        resume() {
          guard?.run().resume();
          return go();
        },
        state: () => guard?.run().state,
      };
    },
  };
}

async function settled(stream: unknown): Promise<Result> {
  const { getFullOutput } = stream as { getFullOutput(): Promise<Result> };
  return getFullOutput.call(stream);
}
