import type { Json, Status } from '../../core/types.ts';
import { argumentsOf, fieldsOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { endingIn } from '../../transcripts/formats/codex-items.ts';
import { codexStatus } from '../../transcripts/formats/codex-status.ts';
import type { Host, Reply, Signal } from '../host.ts';
import { callOf, commonOf, outputOf } from '../payload.ts';
import { shellFailure } from '../shell-failure.ts';

/**
 * Codex CLI: hooks in its hooks.json, once the user trusts them. Seen in 0.166.0. A field that its schema does not know, or that
 * it does not support at that place, voids the whole answer, so that the tool runs.
 */
export const codex: Host = {
  name: 'codex',
  title: 'Codex CLI',
  reaches: ({ place }) => place === 'call' || place === 'result',
  blocks: true,
  // `ask` is not supported, and no answer ends a run: what would, refuses call after call.
  asks: false,
  halts: [],
  actsAt: undefined,
  missed: {
    format: 'codex',
    markers: ['unsupported call: ', 'unsupported custom tool call: ', 'failed to parse function arguments'],
  },
  // The event that tells the exit code is written before hooks hear of the result.
  endingIn(tail, id) {
    const line = tail
      .split('\n')
      .findLast((one) => one.includes(`"${id}"`) && one.includes('"item_completed"'));
    if (line === undefined) return undefined;
    const { item } = fieldsOf(fieldsOf(argumentsOf(line))['payload']);
    return nameOf(fieldsOf(item)['id']) === id ? endingIn(fieldsOf(item)) : undefined;
  },
  decode(payload) {
    const common = commonOf(payload);
    if (common === null) return null;
    const { event } = common;
    const call = callOf(payload, payload['tool_use_id']);
    if (event === 'PreToolUse') return call && { ...common, ...call, place: 'call', round: undefined };
    if (event === 'PostToolUse' && call !== null) {
      const { tool_response } = payload;
      const output = outputOf(tool_response);
      const failed = fieldsOf(tool_response)['isError'] === true;
      const status = failed ? 'error' : statusOf(call.tool, output);
      return { ...common, ...call, place: 'result', status, output };
    }
    if (event === 'UserPromptSubmit') {
      const by = common.agent === undefined ? 'person' : 'host';
      const { prompt, turn_id } = payload;
      return { ...common, place: 'prompt', text: textOf(prompt) ?? '', by, id: nameOf(turn_id) };
    }
    if (event === 'PreCompact') return { ...common, place: 'compaction' };
    return null;
  },
  encode(reply: Reply, { place, event }: Signal): Json {
    if (reply.action === 'allow') return null;
    const { action, message } = reply;
    if (action === 'nudge' || place !== 'call')
      return { hookSpecificOutput: { hookEventName: event, additionalContext: message } };
    return {
      hookSpecificOutput: {
        hookEventName: event,
        permissionDecision: 'deny',
        permissionDecisionReason: message,
      },
    };
  },
};

/** Hooks are told of a result when it succeeded, as Codex sees it, and a command's exit code is not part of it. */
function statusOf(tool: string, output: Json): Status {
  if (typeof output !== 'string') return 'ok';
  if (tool !== 'Bash') return codexStatus(tool, output, 'ok');
  return shellFailure(output) ? 'error' : 'unknown';
}
