import type { Json } from '../../core/types.ts';
import { argumentsOf, fieldsOf, nameOf, numberOf, textOf } from '../../transcripts/fields.ts';
import type { Host, Reply, Signal } from '../host.ts';
import { callOf, outputOf } from '../payload.ts';

/** Cursor: its hooks.json. By its documentation alone: it cannot be run here. */
export const cursor: Host = {
  name: 'cursor',
  title: 'Cursor',
  reaches: ({ place }) => place === 'result',
  blocks: true,
  // `ask` is accepted before a call, and then not enforced; nothing ends a run.
  asks: false,
  halts: [],
  actsAt: undefined,
  decode(payload) {
    const { hook_event_name, conversation_id, workspace_roots, cwd, tool_use_id, transcript_path } = payload;
    const [event, session] = [nameOf(hook_event_name), nameOf(conversation_id)];
    if (event === undefined || session === undefined) return null;
    const folder = nameOf(cwd) ?? nameOf(Array.isArray(workspace_roots) ? workspace_roots[0] : undefined);
    const common = {
      event,
      session,
      agent: undefined,
      at: undefined,
      cwd: folder,
      transcript: nameOf(transcript_path),
    };
    const call = callOf(payload, tool_use_id);
    if (event === 'preToolUse') return call && { ...common, ...call, place: 'call', round: undefined };
    if (event === 'postToolUse' && call !== null) {
      const told = argumentsOf(payload['tool_output']);
      const status = failed(told) ? 'error' : 'ok';
      return { ...common, ...call, place: 'result', status, output: outputOf(told) };
    }
    if (event === 'postToolUseFailure' && call !== null) {
      const { error_message, failure_type, is_interrupt } = payload;
      const refused = failure_type === 'permission_denied' ? 'denied' : 'error';
      const status = is_interrupt === true ? 'cancelled' : refused;
      return { ...common, ...call, place: 'result', status, output: textOf(error_message) ?? '' };
    }
    if (event === 'beforeSubmitPrompt') {
      const { prompt, generation_id } = payload;
      const text = textOf(prompt) ?? '';
      return { ...common, place: 'prompt', text, by: 'person', id: nameOf(generation_id) };
    }
    if (event === 'preCompact') return { ...common, place: 'compaction' };
    return null;
  },
  encode(reply: Reply, { place }: Signal): Json {
    if (reply.action === 'allow') return null;
    const { message } = reply;
    if (place === 'call') return { permission: 'deny', agent_message: message, user_message: message };
    return place === 'result' ? { additional_context: message } : null;
  },
};

/** A shell's exit code, where the output tells it. */
function failed(output: Json): boolean {
  const { exitCode, exit_code } = fieldsOf(output);
  return (numberOf(exitCode) ?? numberOf(exit_code) ?? 0) !== 0;
}
