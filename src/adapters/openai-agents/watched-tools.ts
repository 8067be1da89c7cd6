import type { Run } from '../run.ts';
import type { Invocation } from './invocation.ts';
import type { Agent, Context, FunctionTool, InputGuardrail, OutputGuardrail } from './shapes.ts';

const ALLOW = { behavior: { type: 'allow' } } as const;
/** What the SDK tells the model when a tool has thrown, where the tool has no error function of its own. */
export const FAILED = 'An error occurred while running the tool. Please try again.';

/** The invocation that a tool is called in. */
export type InvocationOf = (context: Context, agent?: Agent) => Invocation;

/** The same tool with guardrails after its own. Tools that the provider runs stay as they are. */
export function watchedTool<Tool extends object>(tool: Tool, of: InvocationOf, canHold: boolean): Tool {
  if (!isFunctionTool(tool)) return tool;
  const { inputGuardrails = [], outputGuardrails = [] } = tool;
  const same = Object.create(
    Object.getPrototypeOf(tool) as object,
    Object.getOwnPropertyDescriptors(tool),
  ) as Tool;
  return Object.assign(same, {
    isEnabled: enabled(tool, of),
    inputGuardrails: [...inputGuardrails, inputGuardrail(of)],
    outputGuardrails: [...outputGuardrails, outputGuardrail(of)],
    ...(canHold && { needsApproval: approval(tool, of) }),
  });
}

function isFunctionTool(tool: object): tool is FunctionTool {
  return 'type' in tool && tool.type === 'function';
}

/** In its last turn the model has no tools. */
function enabled(tool: FunctionTool, of: InvocationOf) {
  const isAllowed = async (own: boolean | Promise<boolean>, run: Run, id: string | undefined) => {
    if (!(await own)) return false;
    if (!run.isReady) await run.ready();
    if (run.questionFor(id) !== null) await run.settle(id);
    return run.stoppedFor(id) === null || run.isOver(id);
  };
  return (context: Context, agent: Agent): boolean | Promise<boolean> => {
    const { isEnabled = true } = tool;
    const own = typeof isEnabled === 'function' ? isEnabled.call(tool, context, agent) : isEnabled;
    const { run, idOf } = of(context, agent);
    const id = idOf(agent);
    // Asked for every tool before every response: most of the time there is nothing to wait for.
    return run.isIdle(id) && run.stoppedFor(id) === null ? own : isAllowed(own, run, id);
  };
}

function approval(tool: FunctionTool, of: InvocationOf) {
  return async (context: Context, input: unknown, callId?: string): Promise<boolean> => {
    if (await tool.needsApproval?.(context, input, callId)) return true;
    const invocation = of(context);
    const agent = invocation.agentIn(context);
    if (callId === undefined || agent === undefined) return false;
    const call = invocation.callOf(agent, callId, tool.name, input);
    return (await invocation.check(call, context)).do === 'hold';
  };
}

function inputGuardrail(of: InvocationOf): InputGuardrail {
  return {
    type: 'tool_input',
    name: 'deloop',
    async run({ context, agent, toolCall }) {
      const invocation = of(context, agent);
      const { run } = invocation;
      const call = invocation.callOf(agent, toolCall.callId, toolCall.name, toolCall.arguments);
      if (!run.isReady) await run.ready();
      // A call that was held comes here only when a person has approved it.
      if (run.questionFor(call.agent)?.held?.includes(toolCall.callId)) run.answer(true, call.agent);
      const verdict = await invocation.check(call, context);
      if (verdict.do === 'run' || verdict.do === 'hold') return ALLOW;
      await run.saved();
      return { behavior: { type: 'rejectContent', message: verdict.text } };
    },
  };
}

function outputGuardrail(of: InvocationOf): OutputGuardrail {
  return {
    type: 'tool_output',
    name: 'deloop',
    async run({ context, agent, toolCall, output }) {
      const invocation = of(context, agent);
      const { callId, name, arguments: args } = toolCall;
      const call = invocation.open.get(callId) ?? invocation.callOf(agent, callId, name, args);
      const stub = invocation.finish(call, output, output === FAILED ? 'error' : 'ok');
      if (!invocation.run.isIdle(call.agent)) await invocation.run.saved();
      return stub === null ? ALLOW : { behavior: { type: 'rejectContent', message: stub } };
    },
  };
}
