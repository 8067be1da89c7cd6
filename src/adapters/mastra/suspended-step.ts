import { fieldsOf } from '../fields.ts';

/** The calls of the step that a run was suspended in, by their ids; `waiting` = those that have not ended. */
export type SuspendedStep = { readonly calls: readonly string[]; readonly waiting: readonly string[] };

/** As Mastra has saved it. */
export function suspendedStepIn(snapshot: unknown): SuspendedStep {
  const calls: string[] = [];
  const waiting: string[] = [];
  for (const step of Object.values(fieldsOf(fieldsOf(snapshot)['context']))) {
    const { foreachOutput } = fieldsOf(fieldsOf(fieldsOf(step)['suspendPayload'])['__workflow_meta']);
    for (const part of Object.values(fieldsOf(foreachOutput))) {
      const { status, suspendPayload, output } = fieldsOf(part);
      const isWaiting = status === 'suspended';
      const { requireToolApproval, toolCallId } = fieldsOf(isWaiting ? suspendPayload : output);
      const id = toolCallId ?? fieldsOf(requireToolApproval)['toolCallId'];
      if (typeof id !== 'string') continue;
      calls.push(id);
      if (isWaiting) waiting.push(id);
    }
  }
  return { calls, waiting };
}
