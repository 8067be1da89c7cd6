import { DROPPED } from '../judging.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { HostCall, Run } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { refuseLate } from './endings.ts';
import { follow } from './follow.ts';
import { ABORTED, type Call, type Invocation, type ToolCall } from './invocation.ts';
import { isFailure, outputOf } from './items.ts';
import { isAgentTool } from './same-tools.ts';
import {
  type Agent,
  approvalOf,
  type Context,
  type FunctionTool,
  type InputGuardrail,
  type OutputGuardrail,
  type ToolCall as ToolCallItem,
} from './shapes.ts';

/** That of the guardrails. */
const NAME = 'deloop';
/** What the messages of the presets say of a call that is blocked. */
const NOT_RUN = /^Not run: /;
const ALLOW = { behavior: { type: 'allow' } } as const;

/** The invocation that a tool is called in. */
export type InvocationOf = (context: Context, agent?: Agent) => Invocation;
export type WatchedToolOptions = {
  readonly of: InvocationOf;
  /** The invocation that a call was made in, once it has ended. */
  readonly ending: (context: Context, agent: Agent, id: string) => Invocation;
  readonly canHold: boolean;
};

/** What a guard changes of a tool. Not `invoke`: by that the SDK knows how to read the input, and which server the tool belongs to. */
export function watchedFields(tool: FunctionTool, { of, ending, canHold }: WatchedToolOptions): FunctionTool {
  const before = inputGuardrail(tool, of);
  const after = outputGuardrail(tool, ending);
  const held = canHold ? approval(tool, of) : undefined;
  return {
    type: tool.type,
    name: tool.name,
    isEnabled: enabled(tool, of),
    get needsApproval() {
      return held ?? tool.needsApproval;
    },
    get inputGuardrails() {
      return [...(tool.inputGuardrails ?? []), before];
    },
    get outputGuardrails() {
      return [...(tool.outputGuardrails ?? []), after];
    },
  };
}

export function isFunctionTool(tool: object): tool is FunctionTool {
  return 'type' in tool && tool.type === 'function';
}

/** In its last turn the model has no tools. */
function enabled(tool: FunctionTool, of: InvocationOf) {
  const isAllowed = async (
    own: boolean | Promise<boolean>,
    now: Invocation,
    context: Context,
    agent: Agent,
  ) => {
    const id = now.idOf(agent);
    const { run } = now;
    const isOwn = await own;
    if (!run.isReady) await run.ready();
    refuseLate(now, agent, context);
    if (run.questionFor(id) !== null) await now.settle(id);
    const isOn = run.stoppedFor(id) === null || run.isOver(id);
    if (!isOn) now.voiceOf(id).isBare = true;
    return isOn && isOwn;
  };
  return (context: Context, agent: Agent): boolean | Promise<boolean> => {
    const { isEnabled = true } = tool;
    const own = typeof isEnabled === 'function' ? isEnabled.call(tool, context, agent) : isEnabled;
    const now = of(context, agent);
    if (now.reader !== null && isReading(now, context)) return own;
    const id = now.idOf(agent);
    // Asked for every tool before every response: most of the time there is nothing to wait for.
    return now.run.isIdle(id) && now.run.stoppedFor(id) === null ? own : isAllowed(own, now, context, agent);
  };
}

/** Whether the SDK only looks for the tools of calls that it has saved: it must find them. */
function isReading(now: Invocation, context: Context): boolean {
  if (now.reader === true) now.reader = context;
  else if (now.reader !== context) now.reader = null;
  return now.reader !== null;
}

function approval(tool: FunctionTool, of: InvocationOf) {
  return async (context: Context, input: unknown, callId?: string): Promise<boolean> => {
    const isWanted = (await tool.needsApproval?.(context, input, callId)) === true;
    const invocation = of(context);
    const agent = invocation.agentIn(context);
    if (callId === undefined || agent === undefined) return isWanted;
    const call = invocation.callOf(agent, callId, tool.name, input);
    invocation.reader = null;
    if (!invocation.run.isReady) await invocation.run.ready();
    refuseLate(invocation, agent, context);
    const known = Object.assign(invocation.callAt(callId), { judged: call });
    // Looked at in either case: a person who is asked about the call anyway answers both questions in one.
    const verdict = known.refused ?? (await invocation.check(call, context));
    if (verdict.do === 'answer') known.refused = verdict;
    return verdict.do === 'hold' || isWanted;
  };
}

function inputGuardrail(tool: FunctionTool, of: InvocationOf): InputGuardrail {
  return {
    type: 'tool_input',
    name: NAME,
    async run({ context, agent, toolCall }) {
      const invocation = of(context, agent);
      const { run } = invocation;
      const known = invocation.callAt(toolCall.callId);
      invocation.reader = null;
      // What is inside of the tool is told from the run around it where the agent says that the tool starts.
      follow(agent);
      const call =
        known.judged ??
        invocation.callOf(agent, toolCall.callId, toolCall.name, argumentsIn(toolCall, known));
      if (!run.isReady) await run.ready();
      if (run.questionFor(call.agent) !== null && approvalOf(context, agent, toolCall) === true)
        free(invocation, call);
      const verdict = known.refused ?? (await invocation.check(call, context));
      if (verdict.do === 'run') return ALLOW;
      const isApproved = approvalOf(context, agent, toolCall) === true;
      if (isApproved && known.isFreed && pass(run, call, verdict)) {
        invocation.runs(call);
        return ALLOW;
      }
      // Guardrails may be asked before the person is: only what was let through, or approved, runs now.
      if (verdict.do === 'hold' && (known.isOpen || isApproved)) invocation.runs(call);
      if (verdict.do === 'hold') return ALLOW;
      await run.saved();
      if (tool.outputSchema !== undefined && runsAnyway(tool, invocation, call, verdict)) return ALLOW;
      return { behavior: { type: 'rejectContent', message: verdict.text } };
    },
  };
}

/** Arguments that nobody shows: they are like no others. */
class Hidden {}

/** Of a call that its schema refuses the SDK shows no arguments, unless it may log such data; the response has them, where it was heard. */
function argumentsIn({ arguments: shown }: ToolCallItem, { said }: Call): unknown {
  return shown === '' ? (said?.item['arguments'] ?? new Hidden()) : shown;
}

/** The person has approved a call that the guard has a question about: that is a yes, for all that wait with it. */
function free({ run, callAt }: Invocation, { id, agent }: ToolCall): void {
  const { held = [] } = run.questionFor(agent) ?? {};
  if (!held.includes(id)) return;
  for (const each of held) callAt(each).isFreed = true;
  run.answer(true, agent);
}

/** Whether the call must be let through against the verdict: the person has said yes to it before the guard could look at it. */
function pass(run: Run, { agent }: HostCall, verdict: Verdict): boolean {
  if (verdict.do === 'hold') run.answer(true, agent);
  if (verdict.do === 'answer') run.tell({ type: 'control', do: 'approve', agent });
  return verdict.do === 'hold' || verdict.do === 'answer';
}

/**
 * The result of a tool with a schema cannot be our text, so the model is told in another way. Without an error function the SDK would end
 * the run by an error of its own: a blocked call runs then, and a stop ends the run by ours.
 */
function runsAnyway(
  { errorFunction }: FunctionTool,
  invocation: Invocation,
  call: ToolCall,
  verdict: Exclude<Verdict, { readonly do: 'run' | 'hold' }>,
): boolean {
  if (verdict === ABORTED || verdict === DROPPED) return false;
  const isAnswered = typeof errorFunction === 'function';
  if (verdict.do === 'stop' && !isAnswered) throw new LoopHalted(verdict.reason, invocation.items);
  invocation.voiceOf(call.agent).untold = isAnswered
    ? verdict.text
    : verdict.text.replace(NOT_RUN, 'Of no use: ');
  if (!isAnswered) invocation.runs(call);
  return !isAnswered;
}

function outputGuardrail(tool: FunctionTool, ending: WatchedToolOptions['ending']): OutputGuardrail {
  return {
    type: 'tool_output',
    name: NAME,
    async run({ context, agent, toolCall, output }) {
      // An agent that waits for a person has not ended; one that gave nothing has, and the next response shows it.
      if (output === '' && isAgentTool(tool)) return ALLOW;
      const { callId } = toolCall;
      const invocation = ending(context, agent, callId);
      const stub = invocation.finish(
        callId,
        outputOf(output),
        isFailure(output) ? 'error' : 'ok',
        tool.outputSchema === undefined,
      );
      if (!invocation.run.isIdle(invocation.idOf(agent))) await invocation.run.saved();
      return stub === null ? ALLOW : { behavior: { type: 'rejectContent', message: stub } };
    },
  };
}
