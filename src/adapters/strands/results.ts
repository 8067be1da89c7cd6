import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall } from '../run.ts';
import { whenSaved } from '../when-saved.ts';
import {
  type Block,
  type Message,
  outputOf,
  PROCEED,
  type Proceed,
  type ResultEvent,
  type ToolResult,
  type ToolUse,
  withText,
} from './shapes.ts';
import type { WatchedAgent } from './watched-agent.ts';
import { noteHandoff } from './work.ts';

/** After all hooks that may want the call tried again. */
const LAST = { order: Number.MAX_SAFE_INTEGER };

/**
 * An attempt that a hook wants to repeat is no result, and hooks come after interventions. So results are heard in a hook of our own,
 * the last one. It needs the class of their events, which only the SDK's own list of hooks has before the first of them: the
 * intervention is there already.
 */
export function listenToResults(agent: WatchedAgent): void {
  const { _callbacks: hooks } = fieldsOf(fieldsOf(agent.agent)['_hooksRegistry']);
  if (!(hooks instanceof Map)) return;
  const types: readonly { readonly name: string }[] = [...hooks.keys()];
  const type = types.find(({ name }) => name === 'AfterToolCallEvent');
  if (type !== undefined) hookInto(agent, type);
}

/** Where the class was not found, the first result shows it. That one is held back until something else happens. */
export function afterToolCall(agent: WatchedAgent, event: ResultEvent): Proceed {
  agent.isUnseen = false;
  if (agent.hearsResults) return PROCEED;
  tellHeld(agent);
  agent.held = event;
  hookInto(agent, event.constructor);
  return PROCEED;
}

function hookInto(agent: WatchedAgent, type: object): void {
  const { addHook } = agent.agent;
  if (addHook === undefined) return;
  addHook.call(agent.agent, type as never, ((last: ResultEvent) => heard(agent, last)) as never, LAST);
  agent.hearsResults = true;
}

/** An error here would end the agent. Results of one that answers for this one come here, too. */
function heard(agent: WatchedAgent, event: ResultEvent): unknown {
  if (event.agent !== agent.agent) return undefined;
  try {
    tell(agent, event);
    return whenSaved(agent.run, agent.name, undefined);
  } catch {
    return undefined;
  }
}

export function tellHeld(agent: WatchedAgent): void {
  const { held } = agent;
  if (held === null) return;
  agent.held = null;
  tell(agent, held);
}

function tell(agent: WatchedAgent, event: ResultEvent): void {
  const { run, name, open, answers, refused, denied, signal, turn } = agent;
  const { toolUse, error, result } = event;
  const { toolUseId: id } = toolUse;
  const begun = open.get(id);
  open.delete(id);
  if (refused.delete(id)) {
    // It would be refused again, without end.
    if (event.retry === true) event.retry = false;
    return;
  }
  let isDenied = denied.delete(id) || Boolean(begun?.cancel);
  const isAborted = signal?.aborted === true;
  if (event.retry === true && !isAborted) return;
  noteHandoff(agent.work, toolUse);
  const call = callOf(toolUse, name);
  // Another intervention has denied it before it came to us.
  if (begun === undefined && !isDenied && usesIn(turn).some(({ toolUseId }) => toolUseId === id)) {
    isDenied = true;
    notRun(agent, call);
  }
  const status = statusOf(event, isDenied, isAborted);
  if (answers.delete(id)) {
    if (status === 'ok') return;
    run.before(call);
  }
  if (status === 'error' && error !== undefined) {
    run.failed(call, error);
    return;
  }
  const output = outputOf(result);
  const replaceable = status === 'ok' && typeof output === 'string';
  const stub = run.after(call, { output, status }, { replaceable });
  if (stub !== null) event.result = withText(result, stub);
}

function statusOf({ tool, error, result }: ResultEvent, isDenied: boolean, isAborted: boolean): Status {
  const hasFailed = error !== undefined || result.status === 'error';
  if (isAborted && hasFailed) return 'cancelled';
  if (isDenied) return 'denied';
  if (tool === undefined) return 'unknown-tool';
  return hasFailed ? 'error' : 'ok';
}

/** A hook may cancel all calls of a turn at once: then there are results of which no event has told. */
export function tellUnseen(agent: WatchedAgent, last: Message | undefined): void {
  const { run, name, turn } = agent;
  agent.isUnseen = false;
  const results = last?.content.filter(isResult) ?? [];
  if (results.length === 0) return;
  for (const use of usesIn(turn)) {
    const result = results.find(({ toolUseId }) => toolUseId === use.toolUseId);
    if (result === undefined) continue;
    const call = callOf(use, name);
    notRun(agent, call);
    run.after(call, { output: outputOf(result), status: 'denied' });
  }
}

/** Presents a call that others do not let run. */
export function notRun(agent: WatchedAgent, call: HostCall): void {
  if (agent.run.before(call).do === 'hold') agent.isMoot = true;
}

export function callOf(
  { name: tool, toolUseId: id, input: args }: ToolUse,
  agent: string | undefined,
): HostCall {
  return { id, tool, args, agent };
}

function usesIn(content: readonly Block[]): ToolUse[] {
  return content.filter((block): block is Block & ToolUse => block.type === 'toolUseBlock');
}

function isResult(block: Block): block is Block & ToolResult {
  return block.type === 'toolResultBlock';
}
