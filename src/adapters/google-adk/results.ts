import type { Status } from '../../core/types.ts';
import { isCancelled } from '../is-cancelled.ts';
import type { HostResult, Run } from '../run.ts';
import type { Actions, Content, Context, FunctionResponse, ToolParams } from './shapes.ts';
import { callOf, NOTHING, type OpenCall, type WatchedAgent, whenSaved } from './watched-agent.ts';

/** Another plugin may still make it good: `afterTool` hears of that. */
export function onToolError(agent: WatchedAgent, params: ToolParams, { name, message }: Error): void {
  const { functionCallId: id = '', invocationContext } = params.toolContext;
  const result: HostResult = {
    output: message,
    status: isCancelled(invocationContext.abortSignal) ? 'cancelled' : 'error',
    errorType: name,
  };
  agent.open.set(id, { call: callOf(agent, params), result });
}

export function afterTool(
  agent: WatchedAgent,
  params: ToolParams,
  output: unknown,
): Promise<{ readonly result: string } | undefined> {
  const { run, name, open, settled, exits } = agent;
  const { functionCallId: id = '', actions } = params.toolContext;
  if (settled.delete(id)) return NOTHING;
  const known = open.get(id);
  open.delete(id);
  if (actions.escalate !== true) exits.delete(params.tool.name);
  else {
    exits.add(params.tool.name);
    if (known === undefined) return NOTHING;
  }
  const call = known?.call ?? callOf(agent, params);
  // Another plugin has answered before it came to us, or it might have ended the loop.
  if (known === undefined) run.before(call);
  if (known?.result && (output === undefined || output === null)) {
    run.after(call, known.result);
    return whenSaved(agent);
  }
  if (params.tool.isLongRunning === true || isPending(actions, id)) return whenSaved(agent);
  const result: HostResult = { output, status: statusOf(params.toolContext) };
  if (agent.isFollowed) {
    open.set(id, { call, result });
    return NOTHING;
  }
  const stub = run.after(call, result, { replaceable: typeof output === 'string' });
  const given = stub === null ? undefined : { result: stub };
  if (!run.isIdle(name)) return run.saved().then(() => given);
  return given === undefined ? NOTHING : Promise.resolve(given);
}

function statusOf({ actions, toolConfirmation }: Context): Status {
  if (toolConfirmation?.confirmed === false) return 'denied';
  // The call was told already: it shall count for nothing.
  return actions.escalate === true ? 'cancelled' : 'ok';
}

/** What the model will read of calls that are still open. `true` = the run was told something. */
export function tellFinal(
  { run, open }: WatchedAgent,
  content: Content | undefined,
  actions: Actions,
): boolean {
  let isTold = false;
  for (const { functionResponse } of content?.parts ?? []) {
    const id = functionResponse?.id ?? '';
    const known = open.get(id);
    if (functionResponse === undefined || known === undefined) continue;
    open.delete(id);
    if (isPending(actions, id)) continue;
    run.after(known.call, finalOf(known, functionResponse));
    isTold = true;
  }
  return isTold;
}

/** ADK puts an error, and whatever is no object, into an object of its own. */
function finalOf({ result }: OpenCall, { response = {} }: FunctionResponse): HostResult {
  if (result === null) return { output: response };
  const { output, status, errorType } = result;
  const isError = errorType !== undefined;
  if (holds(response, isError ? 'error' : 'result', output)) return result;
  return { output: response, status: isError ? 'ok' : status };
}

function holds(response: object, key: string, value: unknown): boolean {
  return Object.hasOwn(response, key) && (response as Record<string, unknown>)[key] === value;
}

/** No event has told what the model reads: what is known of the calls counts. */
export function tellRest({ run, open }: WatchedAgent): void {
  for (const { call, result } of open.values()) if (result !== null) run.after(call, result);
  open.clear();
}

/** Whether what there is only says that the result will come, because a person is asked first. */
function isPending({ requestedToolConfirmations, requestedAuthConfigs }: Actions, id: string): boolean {
  return (
    (requestedToolConfirmations !== undefined && Object.hasOwn(requestedToolConfirmations, id)) ||
    (requestedAuthConfigs !== undefined && Object.hasOwn(requestedAuthConfigs, id))
  );
}

/** Results of calls that took long come as a message. */
export function tellResults(run: Run, { parts = [] }: Content): void {
  for (const { functionResponse } of parts) {
    const { id, name, response } = functionResponse ?? {};
    if (id !== undefined && name !== undefined) run.after({ id, tool: name }, { output: response });
  }
}
