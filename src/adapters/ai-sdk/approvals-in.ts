import type { Answer } from '../stop-reason.ts';
import { type Message, partsOf } from './shapes.ts';

/** What a person has said to the request for this call, as the messages tell it; null = nothing yet. */
export function answerIn(messages: readonly Message[], toolCallId: string): Answer | null {
  const parts = messages.flatMap(({ content }) => partsOf(content));
  const asked = parts.filter(
    (part) => part.type === 'tool-approval-request' && part['toolCallId'] === toolCallId,
  );
  const said = parts.findLast(
    ({ type, approvalId }) =>
      type === 'tool-approval-response' && asked.some((request) => request['approvalId'] === approvalId),
  );
  return said === undefined ? null : said['approved'] === true;
}
