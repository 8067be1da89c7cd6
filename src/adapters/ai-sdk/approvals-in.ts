import type { Answer } from '../stop-reason.ts';
import { type Message, partsOf } from './shapes.ts';

/**
 * What a person has said to the request for this call since the last response; null = nothing yet. What was said before may be about another
 * call: some providers use ids again.
 */
export function answerIn(messages: readonly Message[], toolCallId: string): Answer | null {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const asked = partsOf(messages[last]?.content).filter(
    (part) => part.type === 'tool-approval-request' && part['toolCallId'] === toolCallId,
  );
  const said = messages
    .slice(last + 1)
    .flatMap(({ content }) => partsOf(content))
    .findLast(
      ({ type, approvalId }) =>
        type === 'tool-approval-response' && asked.some((request) => request['approvalId'] === approvalId),
    );
  return said === undefined ? null : said['approved'] === true;
}
