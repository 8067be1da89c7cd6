import type { Usage } from '../../core/types.ts';
import type { HostCall, Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import {
  append,
  type Content,
  type Context,
  eventOf,
  type LlmRequest,
  type LlmResponse,
  said,
  type Tokens,
  type ToolParams,
  wordsIn,
} from './shapes.ts';

/** One agent of a session under a run. What it does are functions of this module, which an engine compiles once for all sessions. */
export type WatchedAgent = {
  readonly run: Run;
  /** The agent's in the run; absent for the root agent, whose own name is `root`. */
  readonly name: string | undefined;
  readonly root: string | undefined;
  readonly fail: (error: unknown) => void;
  /** Calls of which the run knows all already: they were not run, or they threw. */
  readonly settled: Set<string>;
  readonly presented: Set<string>;
  /** What was heard of a stream. */
  text: string;
  thought: string;
  isCut: boolean;
  tools: object;
};

/** ADK wants promises, of which one is enough. */
export const NOTHING: Promise<undefined> = Promise.resolve(undefined);

export function watchAgent(
  run: Run,
  name: string | undefined,
  root: string | undefined,
  fail: (error: unknown) => void,
): WatchedAgent {
  return {
    run,
    name,
    root,
    fail,
    settled: new Set(),
    presented: new Set(),
    text: '',
    thought: '',
    isCut: false,
    tools: {},
  };
}

/** A response = the model is not called. */
export function beforeModel(
  agent: WatchedAgent,
  context: Context,
  request: LlmRequest,
): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  agent.text = '';
  agent.thought = '';
  agent.isCut = false;
  agent.tools = request.toolsDict ?? {};
  return run.isReady && run.isQuiet(name) ? NOTHING : settledBefore(agent, context, request);
}

/** Something waits for the agent. */
async function settledBefore(
  { run, name, fail }: WatchedAgent,
  { invocationContext, actions }: Context,
  request: LlmRequest,
): Promise<LlmResponse | undefined> {
  const { abortSignal: signal } = invocationContext;
  await run.ready();
  try {
    await unlessAborted(run.settle(name), signal);
  } catch {
    // ADK looks at the signal next, and ends.
    return undefined;
  }
  const isLast = run.takeLastTurn(name);
  const isOver = !isLast && run.isOver(name);
  const nudge = isOver ? null : run.takeNudge(name);
  if (nudge !== null) {
    // Into this request, and into the session, so that they stay there.
    request.contents.push(said(nudge.text));
    await append(invocationContext, eventOf(invocationContext, said(nudge.text))).catch(fail);
  }
  await run.saved();
  // A `LoopAgent` would begin the next round.
  if (isLast || isOver) actions.escalate = true;
  if (isLast && request.config !== undefined) {
    delete request.config.tools;
    delete request.config.toolConfig;
  }
  if (!isOver) return undefined;
  return { content: { role: 'model', parts: [{ text: run.stoppedFor(name)?.message ?? '' }] } };
}

/** A response = this instead of what the model said. */
export function afterModel(agent: WatchedAgent, response: LlmResponse): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  const { content, partial, usageMetadata } = response;
  const usage = usageOf(usageMetadata);
  if (agent.isCut) {
    if (usage !== undefined) run.spent(usage, name);
    return Promise.resolve({});
  }
  const text = wordsIn(content);
  const reasoning = wordsIn(content, true);
  if (partial === true) return heard(agent, text, reasoning);
  if (content?.parts?.length) {
    run.turn({ text, reasoning, usage, tools: hasTools(agent), agent: name });
    tellUnknown(agent, response);
  } else if (usage !== undefined) run.spent(usage, name);
  return run.isIdle(name) ? NOTHING : run.saved().then(() => undefined);
}

/** A piece of a stream. */
function heard(agent: WatchedAgent, text: string, reasoning: string): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  agent.text += text;
  agent.thought += reasoning;
  const goesOn =
    (text === '' || run.delta('content', text, name)) &&
    (reasoning === '' || run.delta('reasoning', reasoning, name));
  if (goesOn) return NOTHING;
  agent.isCut = true;
  run.turn({ text: agent.text, reasoning: agent.thought, tools: hasTools(agent), agent: name });
  return run.saved().then(() => ({ content: { role: 'model', parts: cutParts(agent) } }));
}

function hasTools({ tools }: WatchedAgent): boolean {
  for (const _ in tools) return true;
  return false;
}

/** ADK never answers calls of tools that it does not have, and goes on. */
function tellUnknown({ run, name, tools }: WatchedAgent, { content }: LlmResponse): void {
  for (const { functionCall } of content?.parts ?? []) {
    if (functionCall?.name === undefined || Object.hasOwn(tools, functionCall.name)) continue;
    const call = { id: functionCall.id, tool: functionCall.name, args: functionCall.args, agent: name };
    run.before(call);
    run.after(call, { output: `There is no tool ${call.tool}.`, status: 'unknown-tool' });
  }
}

/** A result = the tool is not run. */
export async function beforeTool(
  agent: WatchedAgent,
  params: ToolParams,
): Promise<{ readonly error: string } | undefined> {
  const { run, name, root, presented, settled } = agent;
  if (!run.isReady) await run.ready();
  const { functionCallId: id, toolConfirmation } = params.toolContext;
  if (toolConfirmation !== undefined) answer(agent, id, toolConfirmation.confirmed);
  const call = callOf(agent, params);
  let verdict = run.judge(call);
  if (verdict instanceof Promise) verdict = await awaited(run, call, verdict, params);
  if (id !== undefined) presented.add(id);
  if (verdict.do === 'run') {
    if (id !== undefined) settled.delete(id);
    const to = transferIn(params);
    if (to !== undefined) run.tell({ type: 'handoff', to: to === root ? '' : to, agent: name });
    return undefined;
  }
  if (verdict.do === 'hold') return hold(agent, params, verdict.text);
  settle(agent, id);
  return { error: verdict.text };
}

const ABORTED = 'The run was aborted.';

/** When nobody waits for the verdict any more, the tool is not run. */
async function awaited(
  run: Run,
  call: HostCall,
  verdict: Promise<Verdict>,
  { toolContext }: ToolParams,
): Promise<Verdict> {
  try {
    return await unlessAborted(verdict, toolContext.invocationContext.abortSignal);
  } catch {
    run.after(call, { output: ABORTED, status: 'cancelled' });
    return { do: 'answer', text: ABORTED };
  }
}

/** A confirmation that a plugin asked for counts only where the history has a response that asks for it. */
async function hold(
  agent: WatchedAgent,
  { tool, toolContext }: ToolParams,
  text: string,
): Promise<{ readonly error: string }> {
  const { invocationContext, functionCallId: id = '' } = toolContext;
  toolContext.requestConfirmation({ hint: text });
  const response = { error: text };
  const part = { functionResponse: { id, name: tool.name, response } };
  const requestedToolConfirmations = { [id]: { hint: text, confirmed: false } };
  const asked = eventOf(invocationContext, { role: 'user', parts: [part] }, { requestedToolConfirmations });
  await append(invocationContext, asked).catch(agent.fail);
  settle(agent, id);
  return response;
}

function answer({ run, name }: WatchedAgent, id: string | undefined, confirmed: boolean): void {
  const isHeld = id !== undefined && run.questionFor(name)?.held?.includes(id) === true;
  if (isHeld) run.answer(confirmed, name);
}

export function afterTool(
  agent: WatchedAgent,
  params: ToolParams,
  result: unknown,
): Promise<{ readonly result: string } | undefined> {
  const { run, name, presented, settled } = agent;
  const { functionCallId: id = '' } = params.toolContext;
  const isKnown = presented.delete(id);
  if (settled.delete(id)) return NOTHING;
  const call = callOf(agent, params);
  // Another plugin has answered before it came to us.
  if (!isKnown) run.before(call);
  if (isPending(params, id)) return run.isIdle(name) ? NOTHING : run.saved().then(() => undefined);
  const status = params.toolContext.toolConfirmation?.confirmed === false ? 'denied' : 'ok';
  const stub = run.after(call, { output: result, status }, { replaceable: typeof result === 'string' });
  const given = stub === null ? undefined : { result: stub };
  if (!run.isIdle(name)) return run.saved().then(() => given);
  return given === undefined ? NOTHING : Promise.resolve(given);
}

/** Whether what there is only says that the result will come: a person is asked first, or it takes long. */
function isPending({ tool, toolContext: { actions } }: ToolParams, id: string): boolean {
  const { requestedToolConfirmations = {}, requestedAuthConfigs = {} } = actions;
  return (
    tool.isLongRunning === true ||
    Object.hasOwn(requestedToolConfirmations, id) ||
    Object.hasOwn(requestedAuthConfigs, id)
  );
}

/** Results of calls that took long come as a message. */
export function tellResults(run: Run, { parts = [] }: Content): void {
  for (const { functionResponse } of parts) {
    const { id, name, response } = functionResponse ?? {};
    if (id !== undefined && name !== undefined) run.after({ id, tool: name }, { output: response });
  }
}

export function onToolError(agent: WatchedAgent, params: ToolParams, error: Error): void {
  const { run } = agent;
  const call = callOf(agent, params);
  // The name of the error does not tell: `FunctionTool` makes a new one.
  if (params.toolContext.invocationContext.abortSignal?.aborted === true)
    run.after(call, { output: error.message, status: 'cancelled', errorType: error.name });
  else run.failed(call, error);
  settle(agent, params.toolContext.functionCallId);
}

function callOf({ name }: WatchedAgent, { tool, toolArgs, toolContext }: ToolParams): HostCall {
  return { id: toolContext.functionCallId, tool: tool.name, args: toolArgs, agent: name };
}

function settle({ settled }: WatchedAgent, id: string | undefined): void {
  if (id !== undefined) settled.add(id);
}

/** The agent that ADK's own tool hands over to. */
function transferIn({ tool, toolArgs }: ToolParams): string | undefined {
  const { agentName } = toolArgs as { readonly agentName?: unknown };
  return tool.name === 'transfer_to_agent' && typeof agentName === 'string' ? agentName : undefined;
}

function cutParts({ text, thought }: WatchedAgent): object[] {
  return [...(thought === '' ? [] : [{ text: thought, thought: true }]), ...(text === '' ? [] : [{ text }])];
}

function usageOf(tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { promptTokenCount: prompt = 0, cachedContentTokenCount: cachedInput = 0 } = tokens;
  const output = (tokens.candidatesTokenCount ?? 0) + (tokens.thoughtsTokenCount ?? 0);
  return { input: Math.max(0, prompt - cachedInput), output, cachedInput };
}
