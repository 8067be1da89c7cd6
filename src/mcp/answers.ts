import type { Intervention } from '../core/types.ts';
import { questionFor } from './approval.ts';
import type { CallRequest } from './call-request.ts';

/** JSON-RPC leaves codes from -32000 to -32099 to servers; this one is ours. */
const REFUSED = -32050;

/** What stands in for the result of a call that is not run. */
export function refusal(
  { id, modern, task }: CallRequest,
  text: string,
  decision: Intervention | null,
): Buffer {
  const _meta = decision === null ? undefined : { 'deloop/decision': factsOf(decision) };
  // Whoever asked for a task can take no result, but an error.
  if (task) return answer(id, 'error', { code: REFUSED, message: text, data: _meta });
  return answer(id, 'result', {
    ...(modern ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text }],
    isError: true,
    _meta,
  });
}

/** The question in the wire of 2026-07-28: the client sends the call again, with the answer. */
export function inputRequired({ id, tool }: CallRequest, key: string, reason: string): Buffer {
  const params = { mode: 'form', ...questionFor(tool, reason) };
  return answer(id, 'result', {
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'elicitation/create', params } },
  });
}

/** The question in the wire before it: a request of the server's, as far as the client can see. */
export function elicitation(key: string, tool: string, reason: string): Buffer {
  const params = questionFor(tool, reason);
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: key, method: 'elicitation/create', params }));
}

/** Takes a question back. */
export function elicitationCancelled(key: string): Buffer {
  const params = { requestId: key, reason: 'The call was cancelled.' };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
}

/** The id goes back as it was written. */
function answer(id: string, kind: 'result' | 'error', value: object): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"${kind}":${JSON.stringify(value)}}`);
}

function factsOf({ action, level, finding }: Intervention): object {
  const { detector, subject, count } = finding;
  return { action, level, detector, subject, count };
}
