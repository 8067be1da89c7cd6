import { fieldsOf } from '../fields.ts';
import type { Answer, Question } from '../stop-reason.ts';
import type { Runtime, ToolCall } from './shapes.ts';

/** Asks by LangGraph's own interrupt: it throws until there is an answer, and then the node comes again. */
export function askPerson({ interrupt }: Runtime, { name, args }: ToolCall, question: Question): Answer {
  let said: unknown = false;
  try {
    said = interrupt?.({
      actionRequests: [{ name, args, description: question.prompt }],
      reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
      deloop: question,
    } as never);
  } catch (error) {
    // Without a checkpointer nobody can come back with an answer.
    if (fieldsOf(error)['lc_error_code'] !== 'MISSING_CHECKPOINTER') throw error;
  }
  return answerOf(said);
}

/** `true`, a number, or what LangChain's middleware for people in the loop is answered with. */
function answerOf(said: unknown): Answer {
  if (typeof said === 'boolean' || typeof said === 'number') return said;
  const { decisions } = fieldsOf(said);
  if (!Array.isArray(decisions) || decisions.length === 0) return false;
  return decisions.every((decision) => fieldsOf(decision)['type'] === 'approve');
}
