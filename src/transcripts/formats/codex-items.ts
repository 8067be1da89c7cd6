import type { Json, Status, Usage } from '../../core/types.ts';
import {
  argumentsOf,
  contentText,
  type Fields,
  fieldsOf,
  jsonOf,
  listOf,
  nameOf,
  numberOf,
  usageWithin,
} from '../fields.ts';

/** What Codex says in a person's place, in versions that do not say so in another way. */
const HOST_TEXT =
  /^\s{0,80}(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|turn_aborted|subagent_notification|user_shell_command|hook_prompt|skill|goal_context|codex_internal_context|model_switch|collaboration_mode|permissions|INSTRUCTIONS)\b)/;

/** Whether a message is a person's. */
export function isPersons({
  role,
  content,
  internal_chat_message_metadata_passthrough: about,
}: Fields): boolean {
  if (role !== 'user') return false;
  const kinds = listOf(fieldsOf(about)['content_item_kinds']);
  if (kinds.length === 0) return !HOST_TEXT.test(contentText(content));
  return kinds.some((kind) => typeof kind === 'string' && kind.startsWith('user.'));
}

/** The call that an item is; null = it is none. */
export function callIn(
  item: Fields,
): { readonly id: string | undefined; readonly tool: string; readonly args: Json } | null {
  const { type, id, call_id, action, arguments: given, input } = item;
  const callId = nameOf(call_id);
  if (type === 'function_call') return { id: callId, tool: toolOf(item), args: argumentsOf(given) };
  if (type === 'custom_tool_call') return { id: callId, tool: toolOf(item), args: jsonOf(input) };
  if (type === 'local_shell_call')
    return { id: callId ?? nameOf(id), tool: 'local_shell', args: jsonOf(action) };
  if (type === 'tool_search_call') return { id: callId, tool: 'tool_search', args: jsonOf(given) };
  return null;
}

/** A tool of an MCP server stands under its own name, in the server's name space. */
function toolOf({ name, namespace }: Fields): string {
  const [tool, space] = [nameOf(name) ?? '', nameOf(namespace) ?? ''];
  if (!space.startsWith('mcp__')) return tool;
  return space.endsWith('__') ? `${space}${tool}` : `${space}__${tool}`;
}

/** How a call ended, as an event tells it; undefined = it does not. */
export function endingIn({ status, success, exit_code, result }: Fields): Status | undefined {
  if (status === 'declined') return 'denied';
  const { Ok: value, Err: error } = fieldsOf(result);
  const failed = fieldsOf(value)['isError'] === true || error !== undefined;
  if (status === 'failed' || success === false || failed) return 'error';
  const code = numberOf(exit_code);
  if (code !== undefined) return code === 0 ? 'ok' : 'error';
  return status === 'completed' || success === true || value !== undefined ? 'ok' : undefined;
}

/** Cached tokens are a part of the input, and those of the reasoning a part of the output. */
export function usageIn(value: unknown): Usage | undefined {
  const { input_tokens, output_tokens, cached_input_tokens } = fieldsOf(value);
  return usageWithin(input_tokens, output_tokens, cached_input_tokens);
}
