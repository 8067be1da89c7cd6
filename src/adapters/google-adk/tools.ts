import type { HostCall, Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import { append, eventOf, isReport, type ToolParams } from './shapes.ts';
import { callOf, type WatchedAgent } from './watched-agent.ts';

/** A result = the tool is not run. */
export async function beforeTool(
  agent: WatchedAgent,
  params: ToolParams,
): Promise<{ readonly error: string } | undefined> {
  const { run, name, root, open, settled, exits } = agent;
  if (!run.isReady) await run.ready();
  const { functionCallId: id, toolConfirmation } = params.toolContext;
  if (toolConfirmation !== undefined) answer(agent, id, toolConfirmation.confirmed);
  // If it does not end the loop this time, it is told afterwards.
  if (exits.has(params.tool.name)) return undefined;
  if (isReport(params.tool.name) && run.isOver(name)) {
    settle(agent, id);
    return undefined;
  }
  const to = transferIn(params);
  const call = to === undefined ? callOf(agent, params) : handoffOf(agent, params);
  let verdict = run.judge(call);
  if (verdict instanceof Promise) verdict = await awaited(run, call, verdict, params);
  if (verdict.do === 'run') {
    if (id !== undefined) {
      settled.delete(id);
      open.set(id, { call, result: null });
    }
    if (to === undefined) agent.shared.calls += 1;
    else run.tell({ type: 'handoff', to: to === root ? '' : to, agent: name });
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
  // A `LoopAgent` would ask again in the next round.
  toolContext.actions.escalate = true;
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

function settle({ settled }: WatchedAgent, id: string | undefined): void {
  if (id !== undefined) settled.add(id);
}

/** All handoffs to one agent look alike: what tells them apart is what was done since the last by the same agent, by whomever. */
function handoffOf(agent: WatchedAgent, params: ToolParams): HostCall {
  const { calls, handedOver } = agent.shared;
  const call = callOf(agent, params);
  const isIdle = calls === (handedOver.get(agent.name) ?? calls);
  handedOver.set(agent.name, calls);
  return isIdle ? call : { ...call, args: { ...params.toolArgs, calls } };
}

/** The agent that ADK's own tool hands over to. */
function transferIn({ tool, toolArgs }: ToolParams): string | undefined {
  const { agentName } = toolArgs as { readonly agentName?: unknown };
  return tool.name === 'transfer_to_agent' && typeof agentName === 'string' ? agentName : undefined;
}
