import type { Json } from '../../core/types.ts';
import { type Fields, fieldsOf, instantOf, jsonOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { copilotCliStatus } from '../../transcripts/formats/copilot-cli-status.ts';
import type { Environment, Host, Reply, Signal } from '../host.ts';

/** Its own tools that change something, and so need a permission. */
const WRITING = /^(?:bash|powershell|edit|create|str_replace_editor)$/;

/** Copilot CLI: a file of its own in its hooks folder, with events in camel case. Seen in 1.0.102. Payloads have no ids of calls. */
export const copilotCli: Host = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  reaches: ({ place }) => place === 'call' || place === 'result',
  blocks: true,
  asks: true,
  // A run ends where a call waits for its permission, which a call that only reads never does.
  halts: ['permission'],
  comesBy: ({ tool }) => WRITING.test(tool),
  actsAt: undefined,
  stamped: true,
  missed: { format: 'copilot-cli', markers: ["' does not exist. "] },
  decode(payload, env) {
    const { sessionId, timestamp, cwd, toolName, toolArgs, toolResult, error, prompt } = payload;
    const session = nameOf(sessionId);
    if (session === undefined) return null;
    const tool = nameOf(toolName);
    const common = {
      session,
      agent: undefined,
      at: instantOf(timestamp),
      cwd: nameOf(cwd),
      transcript: eventsOf(session, env),
    };
    if (isPermission(payload)) return { ...common, event: 'permissionRequest', place: 'permission' };
    if (tool === undefined) {
      if (typeof prompt !== 'string') return null;
      const by = 'person';
      return { ...common, event: 'userPromptSubmitted', place: 'prompt', text: prompt, by, id: undefined };
    }
    const call = { id: undefined, tool, args: jsonOf(toolArgs) };
    if (toolResult !== undefined) {
      const { resultType, textResultForLlm } = fieldsOf(toolResult);
      const text = textOf(textResultForLlm) ?? '';
      const status = copilotCliStatus({ success: resultType === 'success' }, text);
      const output = withoutShell(text);
      return { ...common, ...call, event: 'postToolUse', place: 'result', status, output };
    }
    if (error !== undefined) {
      const output = textOf(error) ?? textOf(fieldsOf(error)['message']) ?? '';
      const status = copilotCliStatus({ success: false, error }, output);
      return { ...common, ...call, event: 'postToolUseFailure', place: 'result', status, output };
    }
    return { ...common, ...call, event: 'preToolUse', place: 'call', round: undefined };
  },
  encode(reply: Reply, { place }: Signal): Json {
    if (reply.action === 'allow') return null;
    const { action, message } = reply;
    if (place === 'permission')
      return action === 'halt' ? { behavior: 'deny', message, interrupt: true } : null;
    if (place === 'call' && action !== 'nudge')
      return {
        permissionDecision: action === 'ask' ? 'ask' : 'deny',
        permissionDecisionReason: message,
      };
    return { additionalContext: message };
  },
};

/** Where it writes a session down; hooks are told only when the agent has come to rest. */
function eventsOf(session: string, env: Environment): string | undefined {
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (home === undefined || !/^[\w-]{1,100}$/.test(session)) return undefined;
  return `${home}/.copilot/session-state/${session}/events.jsonl`;
}

/** A shell has a new number every time; its exit code stands in the status. */
function withoutShell(text: string): string {
  const at = text.lastIndexOf('<shellId: ');
  return at >= 0 && text.endsWith('>') && text.length - at < 80 ? text.slice(0, at).trimEnd() : text;
}

function isPermission({ hookName, permissionSuggestions }: Fields): boolean {
  return hookName === 'permissionRequest' || permissionSuggestions !== undefined;
}
