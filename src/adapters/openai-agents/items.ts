import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import type { HostResult } from '../run.ts';
import { argumentsOf, type Item, textOf } from './shapes.ts';

/** A call as the model has made it, whatever kind of tool it is for. */
export type CallItem = { readonly tool: string; readonly args: unknown };

const TIMED_OUT = /^Tool '.{1,200}' timed out after \d+ms\.$/;
/** What the SDK tells the model when a tool has thrown, where the tool has no error function of its own. */
export const FAILED = 'An error occurred while running the tool. Please try again.';

/** What the SDK itself answers calls with, where no tool has. */
const ANSWERS: readonly (readonly [beginning: RegExp, status: Status])[] = [
  [/^Tool '.{1,200}' not found/, 'unknown-tool'],
  [/^An error occurred while parsing tool arguments/, 'invalid'],
  [/^Tool execution was not approved/, 'denied'],
  [/^An error occurred while running the tool/, 'error'],
  [TIMED_OUT, 'error'],
];

/** `function_call`, `shell_call`, `apply_patch_call`, `computer_call`, `hosted_tool_call`, ... */
export function isCall({ type }: Item): boolean {
  return typeof type === 'string' && type.endsWith('_call');
}

/** `function_call_result`, `shell_call_output`, ... */
export function isResult({ type }: Item): boolean {
  return typeof type === 'string' && (type.endsWith('_call_result') || type.endsWith('_call_output'));
}

/** By which a call and its result are known; what the provider runs has no more than the id of its item, if any. */
export function idIn(item: Item): string {
  return String(item.callId ?? item.id ?? JSON.stringify(item));
}

/** Of a result whose call nobody has seen, only the tool is known. */
export function callIn(item: Item): CallItem {
  const { type, name, arguments: args, action, actions, operation, providerData } = item;
  const tool = typeof name === 'string' ? name : String(type).replace(/_call(_result|_output)?$/, '');
  if (type === 'computer_call') return { tool, args: actions ?? actionOf(action) };
  return {
    tool,
    args: args === undefined ? (action ?? operation ?? providerData ?? null) : argumentsOf(args),
  };
}

/** As other hosts tell it: what is done is one of the arguments. */
function actionOf(action: unknown): unknown {
  const { type, ...rest } = fieldsOf(action);
  return { action: type, ...rest };
}

/** What has come of a call, by the item of its result; what the provider runs has it in the item of the call, or nowhere. */
export function outcomeOf(item: Item): HostResult {
  const { type, output, status } = item;
  // An outcome that nobody tells is like no other.
  if (isCall(item)) return { output: output ?? idIn(item) };
  if (type === 'shell_call_output' && Array.isArray(output)) return { output: output.map(ranIn).join('\n') };
  const text = textOf(output);
  if (status === 'failed') return { output: text, status: 'error' };
  return { output: isMore(output) ? output : text, status: statusOf(text) };
}

/** Whether there is more than text in it, such as a picture. */
function isMore(output: unknown): boolean {
  const parts = Array.isArray(output) ? output : [output];
  return parts.some((part) => typeof part !== 'string' && typeof fieldsOf(part)['text'] !== 'string');
}

/** Whether what a tool gave back is the SDK's own word for a failure, or that of an MCP server where the SDK keeps it. */
export function isFailure(output: unknown): boolean {
  if (typeof output === 'string') return output === FAILED || TIMED_OUT.test(output);
  return fieldsOf(output)['isError'] === true;
}

/** Whether the arguments do not fit the tool. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'InvalidToolInputError';
}

/** What a tool gave back, as the item of its result tells it: parts that are all text are that text. */
export function outputOf(given: unknown): unknown {
  const isText = Array.isArray(given) ? given.length > 0 && given.every(isTextPart) : isTextPart(given);
  return isText ? textOf(given) : given;
}

function isTextPart(part: unknown): boolean {
  const { type, text } = fieldsOf(part);
  return type === 'text' && typeof text === 'string';
}

function statusOf(text: string): Status {
  return ANSWERS.find(([beginning]) => beginning.test(text))?.[1] ?? 'ok';
}

/** What one command of a shell has printed, and how it ended. */
function ranIn(command: unknown): string {
  const { stdout, stderr, outcome } = fieldsOf(command);
  const { type, exitCode } = fieldsOf(outcome);
  const end = type === 'exit' ? (exitCode === 0 ? '' : `exit code ${exitCode}`) : String(type ?? '');
  return [stdout, stderr, end].filter((part) => typeof part === 'string' && part !== '').join('\n');
}
