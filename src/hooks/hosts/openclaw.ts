import {
  contentText,
  type Fields,
  fieldsOf,
  jsonOf,
  listOf,
  nameOf,
  textOf,
} from '../../transcripts/fields.ts';
import { piStatus } from '../../transcripts/formats/pi-status.ts';
import type { Ending, Host } from '../host.ts';
import { plainReply } from '../plain-reply.ts';
import { piSpent } from './pi.ts';

/** OpenClaw: a plugin in its own process. Seen in 2026.9.6. A payload is what one of its hooks is given: `{hook, event, ctx}`. */
export const openclaw: Host = {
  name: 'openclaw',
  title: 'OpenClaw',
  // What is added to a result is not shown to the model in the same run, and nothing ends a run: what would, refuses call after call.
  reaches: () => false,
  blocks: true,
  asks: false,
  halts: [],
  // Its own detector, where it is switched on, acts at twenty.
  actsAt: undefined,
  decode({ hook, event, ctx, cwd }) {
    const [name, told] = [nameOf(hook), fieldsOf(event)];
    const { sessionId, sessionKey } = fieldsOf(ctx);
    const session = nameOf(sessionId) ?? nameOf(sessionKey);
    if (name === undefined || session === undefined) return null;
    const place = { event: name, session, agent: undefined, at: undefined };
    const common = { ...place, cwd: nameOf(cwd), transcript: undefined };
    if (name === 'run_started') return { ...common, place: 'prompt', text: '', by: 'person', id: undefined };
    if (name === 'messages_written') {
      const spent = listOf(told['messages']).flatMap((message) => piSpent(fieldsOf(message)));
      return { ...common, place: 'usage', spent };
    }
    const call = callOf(told);
    if (call === null) return null;
    if (name === 'before_tool_call') return { ...common, ...call, place: 'call', round: undefined };
    return name === 'after_tool_call' ? { ...common, ...call, place: 'result', ...endingOf(told) } : null;
  },
  encode: plainReply,
};

function callOf({ toolName, toolCallId, params }: Fields): Pick<Ending, 'id' | 'tool' | 'args'> | null {
  const tool = nameOf(toolName);
  return tool === undefined ? null : { id: nameOf(toolCallId), tool, args: jsonOf(params) };
}

/** A command's exit code stands in the details; what was thrown, in `error`. */
function endingOf({ toolName, result, error }: Fields): Pick<Ending, 'status' | 'output'> {
  const { content, details } = fieldsOf(result);
  const output = contentText(content) || (textOf(error) ?? '');
  return { status: piStatus({ toolName, details, isError: error !== undefined }, output), output };
}
