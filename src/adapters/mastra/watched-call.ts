import { type Listener, watchedModel } from '../ai-sdk/watched-model.ts';
import { CallBlocked } from '../call-blocked.ts';
import type { HostCall, Run } from '../run.ts';
import { type Invocation, invocationsIn, type Message, type Tool, type ToolOptions } from './shapes.ts';

/** One call of `generate` or `stream` under a run. */
export type WatchedCall = {
  readonly run: Run;
  readonly agent: string | undefined;
  /** A step begins: what the messages tell that came to nobody else, and which tools there are now. */
  begin(messages: readonly Message[], tools: object): void;
  /** The same model, listened to; the same object for every step. */
  model(model: object): unknown;
  /** The same tools, each asked for before it runs. */
  tools(tools: { readonly [name: string]: Tool }): { [name: string]: Tool };
};

/** `agent` = its name in the run; absent for the main agent. */
export function watchCall(run: Run, agent: string | undefined): WatchedCall {
  const presented = new Set<string>();
  const models = new WeakMap<object, unknown>();
  const tools = new WeakMap<Tool, { readonly name: string; readonly same: Tool }>();
  /** The tools of the step before; null = there was none. */
  let known: object | null = null;
  let told = true;

  const callOf = (id: string | undefined, tool: string, args: unknown): HostCall => ({
    id,
    tool,
    args,
    agent,
  });

  function present(id: string | undefined): void {
    // Its model was not heard, because somebody has put another one in its place.
    if (!told) run.turn({ agent });
    told = true;
    if (id !== undefined) presented.add(id);
  }

  /** What became of calls that wait for a person: Mastra runs them, or not, without a word to us. */
  function hearAnswer(invocations: readonly Invocation[]): void {
    for (const id of run.questionFor(agent)?.held ?? []) {
      const ended = invocations.find(({ toolCallId, state }) => toolCallId === id && hasEnded(state));
      if (ended === undefined) continue;
      const { toolName, args, state, result } = ended;
      const isDenied = state === 'output-denied';
      run.answer(!isDenied, agent);
      if (!isDenied) run.after(callOf(id, toolName, args), { output: result });
    }
  }

  /** Calls of tools that do not exist come to no tool. */
  function hearMissing({ toolCallId, toolName, args, state, result, errorText }: Invocation): void {
    if (!hasEnded(state)) return;
    // What was there when the call began is history.
    if (known === null) presented.add(toolCallId);
    else present(toolCallId);
    if (known === null || Object.hasOwn(known, toolName)) return;
    const call = callOf(toolCallId, toolName, args);
    run.before(call);
    run.after(call, { output: errorText ?? result, status: 'unknown-tool' });
  }

  async function execute(tool: Tool, call: HostCall, options: ToolOptions): Promise<unknown> {
    if (!run.isReady) await run.ready();
    present(call.id);
    // A call that was held comes back when it is approved.
    if (call.id !== undefined && run.questionFor(agent)?.held?.includes(call.id)) run.answer(true, agent);
    const verdict = await run.judge(call);
    if (verdict.do === 'hold' && options.suspend !== undefined)
      return options.suspend({ question: verdict.text }, { requireToolApproval: true });
    if (verdict.do !== 'run') throw new CallBlocked(call.tool, verdict.text);
    let result: unknown;
    try {
      result = await tool.execute?.(call.args, options);
    } catch (error) {
      run.failed(call, causeOf(error));
      await run.saved();
      throw error;
    }
    const status = isRefusal(result) ? 'invalid' : 'ok';
    const stub = run.after(call, { output: result, status }, { replaceable: typeof result === 'string' });
    if (!run.isIdle(agent)) await run.saved();
    return stub ?? result;
  }

  const listener: Listener = {
    turn({ text, reasoning, usage }) {
      told = true;
      run.turn({ text, reasoning, usage, agent });
    },
    delta: (channel, text) => run.delta(channel, text, agent),
    spent: (usage) => run.spent(usage, agent),
  };

  /** Mastra gives the same tools to every step. */
  function watched(name: string, tool: Tool): Tool {
    if (typeof tool?.execute !== 'function') return tool;
    const before = tools.get(tool);
    if (before?.name === name) return before.same;
    const same: Tool = {
      ...tool,
      execute: (args, options) => execute(tool, callOf(options.toolCallId, name, args), options),
    };
    tools.set(tool, { name, same });
    return same;
  }

  return {
    run,
    agent,
    begin(messages, offered) {
      const invocations = invocationsIn(messages);
      if (run.questionFor(agent) !== null) hearAnswer(invocations);
      for (const invocation of invocations)
        if (!presented.has(invocation.toolCallId)) hearMissing(invocation);
      if (!told) run.turn({ agent });
      told = false;
      known = offered;
    },
    model(model) {
      const same = models.get(model) ?? watchedModel(model, listener);
      models.set(model, same);
      return same;
    },
    tools: (offered) =>
      Object.fromEntries(Object.entries(offered).map(([name, tool]) => [name, watched(name, tool)])),
  };
}

function hasEnded(state: string): boolean {
  return state === 'result' || state.startsWith('output-');
}

/** Mastra throws an error of its own around that of a tool. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Arguments that a tool's schema refuses are told as a result. */
function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'validationErrors' in result;
}
