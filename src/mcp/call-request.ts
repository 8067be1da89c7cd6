import type { Json } from '../core/types.ts';
import { canElicit, isApprovalKey } from './approval.ts';
import { type Fields, fieldsOf } from './fields.ts';
import type { Message } from './message.ts';

/** A `tools/call` as the client sent it. */
export type CallRequest = {
  readonly message: Message;
  readonly id: unknown;
  readonly tool: string;
  readonly args: Json;
  readonly params: Fields;
};

type Approvals = readonly (readonly [key: string, answer: unknown])[];

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const NONE: Approvals = [];

/** Null for what is no call that anybody could run: it is passed on, for the server to refuse. */
export function readCall(message: Message): CallRequest | null {
  const { id, params: told } = message.fields;
  const params = fieldsOf(told);
  const { name, arguments: args } = params;
  if (id === undefined || typeof name !== 'string') return null;
  return { message, id, tool: name, args: (args ?? {}) as Json, params };
}

/** It speaks the wire of 2026-07-28. */
export function isModern({ params }: CallRequest): boolean {
  return typeof fieldsOf(params['_meta'])[VERSION] === 'string';
}

/** It is to run as a task, whose result is fetched later. */
export function isTask({ params }: CallRequest): boolean {
  return params['task'] !== undefined;
}

/** Whether a person can be asked about it; `capabilities` is what the client said when the session began. */
export function isAskable(request: CallRequest, capabilities: unknown): boolean {
  // A client that wants a task has no ears for questions about it.
  if (isTask(request)) return false;
  const own = isModern(request) ? fieldsOf(request.params['_meta'])[CAPABILITIES] : capabilities;
  return canElicit(own);
}

/** What a person said to questions of ours. */
export function approvalsIn({ params }: CallRequest): Approvals {
  const { inputResponses } = params;
  if (inputResponses === undefined) return NONE;
  return Object.entries(fieldsOf(inputResponses)).filter(([key]) => isApprovalKey(key));
}

/** It brings what the server asked for when it was sent before. */
export function isContinued({ params }: CallRequest): boolean {
  const { inputResponses } = params;
  return (
    inputResponses !== undefined && Object.keys(fieldsOf(inputResponses)).some((key) => !isApprovalKey(key))
  );
}
