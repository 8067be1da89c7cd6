import { argumentsOf } from '../ai-sdk/arguments-of.ts';
import type { Part } from '../ai-sdk/shapes.ts';
import { modelReads } from './model-output.ts';
import { hasEnded, invocationsIn, type Message, modelOutputIn } from './shapes.ts';
import { close, present, type WatchedCall } from './watched-call.ts';

/** What a client is asked to do in a response: it runs those calls when the agent has ended, so they cannot be held. */
export function hearClientCalls(call: WatchedCall, parts: readonly Part[]): void {
  const { run, agent } = call;
  for (const { type, toolCallId, toolName, input, providerExecuted } of parts) {
    if (type !== 'tool-call' || providerExecuted === true || !isRunByClient(call.known, toolName)) continue;
    const id = String(toolCallId);
    present(call, id);
    run.before({ id, tool: String(toolName), args: argumentsOf(input), agent });
    close(call, id);
  }
}

/** What came of them is in the messages that the next call begins with. */
export function hearClientResults(
  { run, agent }: WatchedCall,
  messages: readonly Message[],
  tools: object,
): void {
  const last = messages.findLast((message) => invocationsIn([message]).length > 0);
  for (const invocation of last === undefined ? [] : invocationsIn([last])) {
    const { toolCallId: id, toolName: tool, args, result, errorText } = invocation;
    if (!hasEnded(invocation) || !isRunByClient(tools, tool)) continue;
    const reading = modelReads(modelOutputIn(messages, id), result);
    run.after(
      { id, tool, args, agent },
      errorText === undefined ? reading : { output: errorText, status: 'error' },
    );
  }
}

/** It is there, but not to be run here. */
function isRunByClient(tools: object | null, name: unknown): boolean {
  const own = tools !== null && Object.hasOwn(tools, String(name));
  return own && typeof (tools as Record<string, { execute?: unknown }>)[String(name)]?.execute !== 'function';
}
