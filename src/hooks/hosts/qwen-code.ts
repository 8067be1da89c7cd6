import type { Json } from '../../core/types.ts';
import { type Fields, fieldsOf, listOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { qwenEnding } from '../../transcripts/formats/qwen-ending.ts';
import type { Ending, Host, Reply, Signal } from '../host.ts';
import { callOf, commonOf } from '../payload.ts';
import { responseOf } from './gemini-cli.ts';

/** Qwen Code: hooks in its settings, with Claude Code's words. Seen in 0.24.4 and 0.15.10. */
export const qwenCode: Host = {
  name: 'qwen-code',
  title: 'Qwen Code',
  // A text before a call does not get through, and one right after a failure was never seen to.
  reaches: ({ place, event }) => event === 'PostToolUse' || place === 'batch' || place === 'turn',
  blocks: true,
  asks: true,
  // The run ends where the model is about to be asked again; before a call only that call is refused.
  halts: ['turn'],
  actsAt: 5,
  // Since 0.24 they come with the batch.
  missed: { format: 'qwen-code', markers: ['\\" not found', '"params must ', '"params/'] },
  decode(payload) {
    const common = commonOf(payload);
    if (common === null) return null;
    const { event } = common;
    // The other id is the hook's own.
    const call = callOf(payload, payload['tool_call_id'] ?? payload['tool_use_id']);
    if (event === 'PreToolUse') return call && { ...common, ...call, place: 'call', round: undefined };
    if (event === 'PostToolUse' && call !== null)
      return { ...common, ...call, place: 'result', ...responseOf(call.tool, payload['tool_response']) };
    if (event === 'PostToolUseFailure' && call !== null) {
      const { error, is_interrupt } = payload;
      const { status, output } = qwenEnding(call.tool, { error: textOf(error) ?? '' }, {});
      const ended = is_interrupt === true ? 'cancelled' : status;
      return { ...common, ...call, place: 'result', status: ended, output };
    }
    if (event === 'PostToolBatch')
      return { ...common, place: 'batch', endings: listOf(payload['tool_calls']).flatMap(endingOf) };
    if (event === 'UserPromptSubmit') return promptOf(common, payload);
    if (event === 'PreCompact') return { ...common, place: 'compaction' };
    return null;
  },
  encode(reply: Reply, { place, event }: Signal): Json {
    if (reply.action === 'allow') return null;
    const { action, message } = reply;
    if (place === 'call' && action !== 'nudge')
      return {
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: action === 'ask' ? 'ask' : 'deny',
          permissionDecisionReason: message,
        },
      };
    if (place === 'turn' && action === 'halt') return { decision: 'block', reason: message };
    return { hookSpecificOutput: { hookEventName: event, additionalContext: message } };
  },
};

/** It comes before every model response: empty behind results, and then it is no person's. */
function promptOf(common: NonNullable<ReturnType<typeof commonOf>>, payload: Fields): Signal {
  const { prompt, prompt_id, submitted_prompt } = payload;
  const text = nameOf(submitted_prompt) ?? textOf(prompt) ?? '';
  if (text.trim() === '') return { ...common, place: 'turn' };
  const by = nameOf(submitted_prompt) === undefined ? 'unless-known' : 'person';
  return { ...common, place: 'prompt', text, by, id: nameOf(prompt_id) };
}

function endingOf(value: unknown): readonly Ending[] {
  const fields = fieldsOf(value);
  const call = callOf(fields, fields['tool_call_id'] ?? fields['tool_use_id']);
  if (call === null) return [];
  const { response_parts, result_display, error, error_type } = fieldsOf(fields['tool_response']);
  const [part] = listOf(response_parts);
  const { response } = fieldsOf(fieldsOf(part)['functionResponse']);
  const said = response ?? (error === undefined ? { output: result_display } : { error });
  const { status, output } = qwenEnding(call.tool, said, { status: fields['status'], errorType: error_type });
  return [{ ...call, status, output }];
}
