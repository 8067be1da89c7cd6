import type { Json } from '../core/types.ts';
import { isApprovalKey } from './approval.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { idText, type Message, parsedAt } from './message.ts';

/** A `tools/call` as the client sent it. */
export type CallRequest = {
  readonly message: Message;
  /** The id as it was written. */
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  /** It speaks the wire of 2026-07-28. */
  readonly modern: boolean;
  /** What the client can do, where the request says so itself. */
  readonly capabilities: unknown;
  /** It is to run as a task, whose result is fetched later. */
  readonly task: boolean;
  /** It brings what the server asked for when it was sent before. */
  readonly continues: boolean;
  readonly requestState: unknown;
  /** What a person said to questions of ours: the keys of the answers, and the answers. */
  readonly approvals: readonly (readonly [key: string, answer: unknown])[];
};

const META = 'io.modelcontextprotocol/';

/** Null for what is no call that anybody could run: it is passed on, for the server to refuse. */
export function readCall(message: Message): CallRequest | null {
  const { bytes, id } = message;
  const whole = parsedAt(bytes, { start: 0, end: bytes.length });
  const {
    name,
    arguments: args,
    inputResponses,
    requestState,
    _meta,
    task,
  } = fieldsOf(fieldsOf(whole)['params']);
  if (id === null || typeof name !== 'string') return null;
  const meta: Fields = fieldsOf(_meta);
  const answers = Object.entries(fieldsOf(inputResponses));
  return {
    message,
    id: idText(message),
    tool: name,
    args: (args ?? {}) as Json,
    modern: typeof meta[`${META}protocolVersion`] === 'string',
    capabilities: meta[`${META}clientCapabilities`],
    task: task !== undefined,
    continues: answers.some(([key]) => !isApprovalKey(key)),
    requestState,
    approvals: answers.filter(([key]) => isApprovalKey(key)),
  };
}
