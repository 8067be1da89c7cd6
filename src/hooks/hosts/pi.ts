import {
  contentText,
  type Fields,
  fieldsOf,
  jsonOf,
  nameOf,
  numberOf,
  textOf,
} from '../../transcripts/fields.ts';
import { usageOfPi } from '../../transcripts/formats/pi-session.ts';
import { piStatus } from '../../transcripts/formats/pi-status.ts';
import type { Ending, Host, Spent } from '../host.ts';
import { plainReply } from '../plain-reply.ts';

/**
 * pi: an extension in its own process. Seen in 0.73.1 of `@mariozechner/pi-coding-agent` and 0.87.1 of its successor. A payload is
 * one of its events, with what its context tells: `{...event, session, transcript, cwd}`.
 */
export const pi: Host = {
  name: 'pi',
  title: 'pi',
  // A call that it never ran is told of in a message of its own.
  reaches: ({ place }) => place === 'result' || place === 'batch',
  blocks: true,
  // Only where somebody sits before it; the extension says so.
  asks: true,
  halts: ['call', 'result', 'batch'],
  actsAt: undefined,
  decode(payload) {
    const { type } = payload;
    const [event, session] = [nameOf(type), nameOf(payload['session'])];
    if (event === undefined || session === undefined) return null;
    const [cwd, transcript] = [nameOf(payload['cwd']), nameOf(payload['transcript'])];
    const common = { event, session, agent: undefined, at: undefined, cwd, transcript };
    switch (event) {
      case 'tool_call': {
        const call = callOf(payload, payload['input']);
        return call && { ...common, ...call, place: 'call', round: undefined };
      }
      case 'tool_result': {
        const call = callOf(payload, payload['input']);
        return call && { ...common, ...call, place: 'result', ...endingOf(payload, payload['content']) };
      }
      // Of a call that no `tool_call` was told of: its tool does not exist, or its arguments were refused.
      case 'tool_execution_end': {
        const call = callOf(payload, payload['args']);
        const { content } = fieldsOf(payload['result']);
        return call && { ...common, place: 'batch', endings: [{ ...call, ...endingOf(payload, content) }] };
      }
      case 'message_end':
        return { ...common, place: 'usage', spent: piSpent(fieldsOf(payload['message'])) };
      case 'turn_start':
        return { ...common, place: 'turn' };
      case 'input': {
        const by = payload['source'] === 'extension' ? 'host' : 'person';
        return { ...common, place: 'prompt', text: textOf(payload['text']) ?? '', by, id: undefined };
      }
      case 'session_compact':
        return { ...common, place: 'compaction' };
      default:
        return null;
    }
  },
  encode: plainReply,
};

/** A response is known by its time, which no two of a session share. */
export function piSpent({ role, usage, timestamp, provider }: Fields): readonly Spent[] {
  const [tokens, at] = [usageOfPi(usage), numberOf(timestamp)];
  // OpenClaw notes so what it has sent to a channel.
  if (role !== 'assistant' || provider === 'openclaw' || tokens === undefined || at === undefined) return [];
  return [{ id: String(at), usage: tokens }];
}

function callOf(
  { toolName, toolCallId }: Fields,
  input: unknown,
): Pick<Ending, 'id' | 'tool' | 'args'> | null {
  const tool = nameOf(toolName);
  return tool === undefined ? null : { id: nameOf(toolCallId), tool, args: jsonOf(input) };
}

function endingOf(payload: Fields, content: unknown): Pick<Ending, 'status' | 'output'> {
  const output = contentText(content);
  return { status: piStatus(payload, output), output };
}
