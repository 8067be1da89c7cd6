import type { Listener } from '../ai-sdk/watched-model.ts';
import { CallBlocked } from '../call-blocked.ts';
import type { HostCall, Run } from '../run.ts';
import { type Invocation, invocationsIn, type Message, type Tool, type ToolOptions } from './shapes.ts';

/** One call of `generate` or `stream` under a run. */
export type WatchedCall = {
  readonly run: Run;
  readonly agent: string | undefined;
  readonly listener: Listener;
  /** A step begins: what the messages tell that came to nobody else, and which tools there are now. */
  begin(messages: readonly Message[], tools: object): void;
  tool(name: string, tool: Tool): Tool;
};

/** `agent` = its name in the run; absent for the main agent. */
export function watchCall(run: Run, agent: string | undefined): WatchedCall {
  const presented = new Set<string>();
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
    if (presented.has(toolCallId) || !hasEnded(state)) return;
    // What was there when the call began is history.
    if (known === null) presented.add(toolCallId);
    else present(toolCallId);
    if (known === null || Object.hasOwn(known, toolName)) return;
    const call = callOf(toolCallId, toolName, args);
    run.before(call);
    run.after(call, { output: errorText ?? result, status: 'unknown-tool' });
  }

  async function execute(tool: Tool, call: HostCall, options: ToolOptions): Promise<unknown> {
    await run.ready();
    present(call.id);
    // A call that was held comes back when it is approved.
    if (call.id !== undefined && run.questionFor(agent)?.held?.includes(call.id)) run.answer(true, agent);
    const verdict = await run.check(call);
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
    await run.saved();
    return stub ?? result;
  }

  return {
    run,
    agent,
    listener: {
      turn(said) {
        told = true;
        run.turn({ ...said, agent });
      },
      delta: (channel, text) => run.delta(channel, text, agent),
      spent: (usage) => run.spent(usage, agent),
    },
    begin(messages, tools) {
      if (run.questionFor(agent) !== null) hearAnswer([...invocationsIn(messages)]);
      for (const invocation of invocationsIn(messages)) hearMissing(invocation);
      if (!told) run.turn({ agent });
      told = false;
      known = tools;
    },
    tool(name, tool) {
      if (typeof tool?.execute !== 'function') return tool;
      return {
        ...tool,
        execute: (args, options) => execute(tool, callOf(options.toolCallId, name, args), options),
      };
    },
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
