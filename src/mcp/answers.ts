import type { Intervention } from '../core/types.ts';
import { questionFor } from './approval.ts';
import { type CallRequest, isModern, isTask } from './call-request.ts';
import { batchOf, isBatch, type Message, readMessages, writtenOf } from './message.ts';

/** JSON-RPC leaves codes from -32000 to -32099 to servers; these are ours. */
const REFUSED = -32050;
const UNREACHED = -32051;

/** What stands in for the result of a call that is not run. */
export function refusal(request: CallRequest, text: string, decision: Intervention | null): Buffer {
  const _meta = decision === null ? undefined : { 'deloop/decision': factsOf(decision) };
  // Whoever asked for a task can take no result, but an error.
  if (isTask(request)) return answer(request.message, 'error', { code: REFUSED, message: text, data: _meta });
  return answer(request.message, 'result', {
    ...(isModern(request) ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text }],
    isError: true,
    _meta,
  });
}

/** The question in the wire of 2026-07-28: the client sends the call again, with the answer. */
export function inputRequired({ message, tool }: CallRequest, key: string, prompt: string): Buffer {
  const params = { mode: 'form', ...questionFor(tool, prompt) };
  return answer(message, 'result', {
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'elicitation/create', params } },
  });
}

/** The question in the wire before it: a request of the server's, as far as the client can see. */
export function elicitation(key: string, tool: string, prompt: string): Buffer {
  const params = questionFor(tool, prompt);
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: key, method: 'elicitation/create', params }));
}

/** Takes a question back. */
export function elicitationCancelled(key: string): Buffer {
  const params = { requestId: key, reason: 'The call was cancelled.' };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
}

/** What stands in for the answers to a message that the server could not be asked; `isOpen` = for requests of these ids only. */
export function failure(bytes: Buffer, text: string, isOpen: (id: unknown) => boolean = () => true): Buffer {
  const read = readMessages(bytes) ?? [];
  const answers = (isBatch(read) ? read : [read])
    .filter(({ fields }) => fields['id'] !== undefined && isOpen(fields['id']))
    .map((message) => answer(message, 'error', { code: UNREACHED, message: text }));
  return isBatch(read) ? batchOf(answers) : (answers[0] ?? Buffer.alloc(0));
}

/** The id goes back as it was written. */
function answer(request: Message, kind: 'result' | 'error', value: object): Buffer {
  const id = writtenOf(request, 'id');
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"${kind}":${JSON.stringify(value)}}`);
}

function factsOf({ action, level, finding }: Intervention): object {
  const { detector, subject, count } = finding;
  return { action, level, detector, subject, count };
}
