import type { Json } from '../../core/types.ts';
import {
  type Fields,
  fieldsOf,
  instantOf,
  jsonOf,
  listOf,
  nameOf,
  numberOf,
  textOf,
} from '../../transcripts/fields.ts';
import { clineResult } from '../../transcripts/formats/cline-result.ts';
import type { Host, Reply, Signal } from '../host.ts';

/** Cline: executable files in its hooks folder. Seen in 3.0.65; the older words of its extension for VS Code are understood, too. */
export const cline: Host = {
  name: 'cline',
  title: 'Cline',
  reaches: ({ place }) => place === 'call' || place === 'result',
  // `cancel` ends the whole run, and nothing refuses a single call.
  blocks: false,
  asks: false,
  halts: ['call', 'result'],
  actsAt: 5,
  decode(payload) {
    const { hookName, taskId, sessionContext, timestamp, workspaceRoots, agent_id, parent_agent_id } =
      payload;
    const session = nameOf(fieldsOf(sessionContext)['rootSessionId']) ?? nameOf(taskId);
    const event = nameOf(hookName);
    if (session === undefined || event === undefined) return null;
    const common = {
      event,
      session,
      agent: nameOf(parent_agent_id) === undefined ? undefined : nameOf(agent_id),
      at: instantOf(timestamp) ?? instantOf(Number(timestamp)),
      cwd: nameOf(listOf(workspaceRoots)[0]),
      transcript: undefined,
    };
    switch (event) {
      case 'tool_call':
      case 'PreToolUse': {
        const call = callOf(payload['tool_call'], payload['preToolUse']);
        return call && { ...common, ...call, place: 'call', round: numberOf(payload['iteration']) };
      }
      case 'tool_result':
      case 'PostToolUse':
        return resultOf(common, payload);
      case 'prompt_submit':
      case 'UserPromptSubmit': {
        const { prompt } = fieldsOf(payload['userPromptSubmit'] ?? payload['prompt_submit'] ?? payload);
        return { ...common, place: 'prompt', text: textOf(prompt) ?? '', by: 'person', id: undefined };
      }
      case 'PreCompact':
        return { ...common, place: 'compaction' };
      default:
        return null;
    }
  },
  encode(reply: Reply): Json {
    if (reply.action === 'allow') return null;
    const { action, message } = reply;
    if (action === 'halt') return { cancel: true, errorMessage: message };
    return { cancel: false, contextModification: message };
  },
};

function callOf(
  now: unknown,
  older: unknown,
): { readonly id: string | undefined; readonly tool: string; readonly args: Json } | null {
  const { id, name, input } = fieldsOf(now);
  const { toolName, parameters } = fieldsOf(older);
  const tool = nameOf(name) ?? nameOf(toolName);
  return tool === undefined ? null : { id: nameOf(id), tool, args: jsonOf(input ?? parameters) };
}

/** Its own `success` is about the hook's tool call, not about what came of it: that stands within the output. */
function resultOf(
  common: Omit<Signal & { readonly place: 'result' }, 'place' | 'id' | 'tool' | 'args' | 'status' | 'output'>,
  payload: Fields,
): Signal | null {
  const { tool_result, postToolUse } = payload;
  const call = callOf(tool_result, postToolUse);
  if (call === null) return null;
  const { output, error } = fieldsOf(tool_result);
  const { result, success } = fieldsOf(postToolUse);
  const ending =
    tool_result === undefined
      ? clineResult(result, success === false)
      : clineResult(output ?? error, error !== undefined && error !== null);
  return { ...common, ...call, ...ending, place: 'result' };
}
