import type { Json, Status } from '../../core/types.ts';
import { type Fields, fieldsOf, listOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { claudeCodeStatus } from '../../transcripts/formats/claude-code-status.ts';
import type { Ending, Host, Reply, Signal } from '../host.ts';
import { callOf, commonOf, outputOf, textIn } from '../payload.ts';

/** Who a prompt may come from when it comes from a person; other sources are the host's own. */
const PERSONS: readonly unknown[] = [undefined, null, 'user', 'sdk'];

/** Claude Code: hooks in its settings. Seen in 2.1.325. */
export const claudeCode: Host = {
  name: 'claude-code',
  title: 'Claude Code',
  reaches: ({ place }) => place === 'call' || place === 'result' || place === 'batch',
  blocks: true,
  asks: true,
  halts: ['call', 'result', 'batch'],
  actsAt: undefined,
  // Where there are batches, they come with these.
  missed: { format: 'claude-code', markers: ['No such tool available', 'InputValidationError'] },
  decode(payload, env) {
    // Copilot and Cursor run the hooks of Claude Code's settings, too; they have their own.
    if (env['COPILOT_CLI'] !== undefined && env['CLAUDECODE'] === undefined) return null;
    if (payload['cursor_version'] !== undefined) return null;
    return decodeClaude(payload, payload['tool_use_id']);
  },
  encode: encodeClaude,
};

/** `id` = the call's id, under whatever name the host gives it. */
function decodeClaude(payload: Fields, id: unknown): Signal | null {
  const common = commonOf(payload);
  if (common === null) return null;
  const { event } = common;
  const call = callOf(payload, id);
  if (event === 'PreToolUse') return call && { ...common, ...call, place: 'call', round: undefined };
  if (event === 'PostToolUse' && call !== null) {
    const { tool_response } = payload;
    const status = fieldsOf(tool_response)['interrupted'] === true ? 'cancelled' : 'ok';
    return { ...common, ...call, place: 'result', status, output: outputOf(tool_response) };
  }
  if (event === 'PostToolUseFailure' && call !== null) {
    const { error, is_interrupt } = payload;
    const output = textOf(error) ?? '';
    const status: Status = is_interrupt === true ? 'cancelled' : claudeCodeStatus({}, true, output);
    return { ...common, ...call, place: 'result', status, output };
  }
  if (event === 'PostToolBatch')
    return { ...common, place: 'batch', endings: listOf(payload['tool_calls']).flatMap(endingOf) };
  if (event === 'UserPromptSubmit') return promptOf(common, payload);
  if (event === 'PreCompact') return { ...common, place: 'compaction' };
  return null;
}

function promptOf(common: NonNullable<ReturnType<typeof commonOf>>, payload: Fields): Signal {
  const { prompt, prompt_id, source } = payload;
  const by = PERSONS.includes(source) && common.agent === undefined ? 'person' : 'host';
  return { ...common, place: 'prompt', text: textOf(prompt) ?? '', by, id: nameOf(prompt_id) };
}

/** What a batch shows of a call is what the model sees of its result; that it failed is said in no other way. */
function endingOf(value: unknown): readonly Ending[] {
  const fields = fieldsOf(value);
  const call = callOf(fields, fields['tool_use_id']);
  if (call === null) return [];
  const output = outputOf(fields['tool_response']);
  const told = claudeCodeStatus({}, true, textIn(output));
  return [{ ...call, output, status: told === 'error' ? 'unknown' : told }];
}

function encodeClaude(reply: Reply, { place, event }: Signal): Json {
  if (reply.action === 'allow') return null;
  const { action, message } = reply;
  if (action === 'nudge') return { hookSpecificOutput: { hookEventName: event, additionalContext: message } };
  const permissionDecision = action === 'ask' ? 'ask' : 'deny';
  const refusal = {
    hookSpecificOutput: { hookEventName: event, permissionDecision, permissionDecisionReason: message },
  };
  if (action !== 'halt') return refusal;
  // Before a call, `continue` alone lets the tool run once more.
  const stop = { continue: false, stopReason: message };
  return place === 'call' ? { ...stop, ...refusal } : stop;
}
