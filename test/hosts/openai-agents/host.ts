import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type RunToolApprovalItem,
  run as runAgent,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel as OneResponse } from '@openai/agents/testing';
import { deloop, findLoopHalted } from '../../../src/adapters/openai-agents/index.ts';
import type {
  AdapterHost,
  Ending,
  ModelRequest,
  ScriptedModel,
  ScriptedTool,
} from '../../../src/testing/adapter-host.ts';

setTracingDisabled(true);

export const WAYS = ['run', 'run with a session', 'watched model', 'watched model, streamed'] as const;
export type Way = (typeof WAYS)[number];

type State = {
  getInterruptions(): RunToolApprovalItem[];
  approve(item: RunToolApprovalItem): void;
  reject(item: RunToolApprovalItem): void;
};
/** What a run gives back, as far as the suite looks at it. */
type Result = {
  readonly history: AgentInputItem[];
  readonly interruptions: readonly unknown[];
  readonly finalOutput?: string;
  readonly state: State;
};
type Streamed = Result & AsyncIterable<unknown> & { readonly completed: Promise<void> };
type Run = (agent: Agent, input: unknown, options: object) => Promise<Result>;

type Model = Exclude<Agent['model'], string>;
type Request = Parameters<Model['getResponse']>[0];

export const anything = {
  type: 'object' as const,
  properties: {},
  required: [],
  additionalProperties: true as const,
};

/** A model of the SDK that follows a script; each response is made by the SDK's own scripted model. */
export function scriptedModel(script: ScriptedModel): Model {
  const respond = (request: Request) => {
    const { text, reasoning, calls = [], usage } = script(requestOf(request));
    const inputTokens = (usage?.input ?? 0) + (usage?.cachedInput ?? 0);
    const outputTokens = usage?.output ?? 0;
    return new OneResponse([
      {
        usage: new Usage({
          requests: 1,
          inputTokens,
          outputTokens,
          totalTokens: inputTokens + outputTokens,
          inputTokensDetails: [{ cached_tokens: usage?.cachedInput ?? 0 }],
        }),
        output: [
          ...(reasoning === undefined
            ? []
            : [{ type: 'reasoning' as const, content: [{ type: 'input_text' as const, text: reasoning }] }]),
          ...(text === undefined ? [] : [assistantMessage(text)]),
          ...calls.map(({ id, tool: name, args }) =>
            functionCall(name, typeof args === 'string' ? args : JSON.stringify(args), { callId: id }),
          ),
        ],
      },
    ]);
  };
  return {
    getResponse: async (request) => respond(request).getResponse(request),
    getStreamedResponse: (request) => respond(request).getStreamedResponse(request),
  };
}

function requestOf({ systemInstructions, input, tools, handoffs }: Request): ModelRequest {
  return { sent: JSON.stringify([systemInstructions, input]), tools: tools.length + handoffs.length > 0 };
}

/** One way of running the OpenAI Agents SDK, as the contract suite drives it. */
export function openAiAgentsHost(way: Way): AdapterHost {
  return {
    name: `OpenAI Agents SDK, ${way}`,
    cannot: { 'same-ids': 'the SDK refuses a call whose id it has seen' },
    open({ model, tools, options, onOwnHook }) {
      const guard = options && deloop(options);
      const session = options?.session ?? 'one';
      let toolErrors: unknown[] = [];
      let items: AgentInputItem[] = [];
      let interrupted: State | null = null;
      const memory = new MemorySession({ sessionId: session });
      const failed = (_context: unknown, error: unknown) => {
        toolErrors.push(error);
        return `Error: ${error instanceof Error ? error.message : error}`;
      };

      const made = Object.entries(tools).map(([name, execute]: [string, ScriptedTool]) => ({
        ...tool({
          name,
          description: name,
          parameters: anything,
          strict: false,
          execute: async (args) => execute(args),
          errorFunction: guard ? guard.errorFunction(failed) : failed,
        }),
        ...(onOwnHook && {
          inputGuardrails: [
            {
              type: 'tool_input' as const,
              name: 'own',
              async run() {
                onOwnHook(`inputGuardrail ${name}`);
                return { behavior: { type: 'allow' as const } };
              },
            },
          ],
          outputGuardrails: [
            {
              type: 'tool_output' as const,
              name: 'own',
              async run() {
                onOwnHook(`outputGuardrail ${name}`);
                return { behavior: { type: 'allow' as const } };
              },
            },
          ],
          needsApproval: async () => {
            onOwnHook(`needsApproval ${name}`);
            return false;
          },
          isEnabled: async () => {
            onOwnHook(`isEnabled ${name}`);
            return true;
          },
        }),
      }));
      const agent = new Agent({
        name: 'Finder',
        instructions: 'Find it.',
        model: guard && way.startsWith('watched') ? guard.model(scriptedModel(model)) : scriptedModel(model),
        tools: guard ? guard.tools(made) : made,
      });
      for (const event of ['agent_start', 'agent_end', 'agent_tool_start', 'agent_tool_end'] as const)
        agent.on(event, () => onOwnHook?.(event));
      const run = (guard ? guard.wrap(runAgent, { session }) : runAgent) as unknown as Run;

      async function go(input: string | AgentInputItem[] | State): Promise<Ending> {
        toolErrors = [];
        const given = {
          maxTurns: 60,
          toolNotFoundBehavior: 'return_error_to_model' as const,
          ...(way === 'run with a session' && { session: memory }),
          ...(onOwnHook && {
            callModelInputFilter({ modelData }: { modelData: { input: AgentInputItem[] } }) {
              onOwnHook(`filter ${modelData.input.length}`);
              return modelData;
            },
          }),
        };
        try {
          const result =
            way === 'watched model, streamed'
              ? await consumed((await run(agent, input, { ...given, stream: true })) as Streamed)
              : await run(agent, input, given);
          items = result.history;
          interrupted = result.interruptions.length > 0 ? result.state : null;
          const reason = guard?.run(session).stopped ?? null;
          return {
            ended: interrupted !== null ? 'held' : reason === null ? 'done' : 'stopped',
            text: interrupted === null ? (result.finalOutput ?? '') : '',
            reason,
            toolErrors,
          };
        } catch (error) {
          const halted = findLoopHalted(error);
          if (halted === null) throw error;
          items = halted.partial as AgentInputItem[];
          return { ended: 'stopped', text: '', reason: halted.reason, partial: items, error, toolErrors };
        }
      }

      const isKept = way === 'run with a session';
      return {
        send: (prompt) => go(isKept ? prompt : [...items, { role: 'user', content: prompt }]),
        answer(yes) {
          const state = interrupted;
          if (state === null) throw new Error('nobody was asked');
          for (const item of state.getInterruptions()) {
            if (yes) state.approve(item);
            else state.reject(item);
          }
          return go(state);
        },
        resume() {
          guard?.run(session).resume();
          return go(isKept ? [] : items);
        },
        state: () => guard?.run(session).state,
      };
    },
  };
}

async function consumed(result: Streamed): Promise<Result> {
  for await (const _event of result);
  await result.completed;
  return result;
}
