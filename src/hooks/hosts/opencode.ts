import type { Json } from '../../core/types.ts';
import {
  contentText,
  type Fields,
  fieldsOf,
  jsonOf,
  listOf,
  nameOf,
  textOf,
} from '../../transcripts/fields.ts';
import { usageIn } from '../../transcripts/formats/opencode.ts';
import { opencodeStatus } from '../../transcripts/formats/opencode-status.ts';
import type { Host, Signal, Spent } from '../host.ts';
import { plainReply } from '../plain-reply.ts';

/**
 * opencode: a plugin in its own process. Seen in 1.18.33. A payload is what one hook of a plugin is given, with the session that
 * started it where it is a sub-agent's: `{hook, input, output, root, cwd}`.
 */
export const opencode: Host = {
  name: 'opencode',
  title: 'opencode',
  // What is told of a failed call is put into the conversation before the model is asked again.
  reaches: ({ place }) => place === 'result',
  blocks: true,
  // `permission.ask` was never called.
  asks: false,
  halts: ['call', 'result'],
  // Its own detector looks at the calls of one message alone.
  actsAt: undefined,
  decode(payload) {
    const { hook, input, output, root } = payload;
    const event = nameOf(hook);
    const told = fieldsOf(input);
    const own = nameOf(told['sessionID']);
    if (event === undefined || own === undefined) return null;
    const session = nameOf(root) ?? own;
    const common = {
      event,
      session,
      agent: session === own ? undefined : own,
      at: undefined,
      cwd: nameOf(payload['cwd']),
      transcript: undefined,
    };
    switch (event) {
      case 'tool.execute.before': {
        const call = callOf(told, fieldsOf(output)['args']);
        return call && { ...common, ...call, place: 'call', round: undefined };
      }
      case 'tool.execute.after':
      // Not its own name: of a call that failed it tells in an event.
      case 'tool.failed': {
        const call = callOf(told, told['args']);
        return call && { ...common, ...call, place: 'result', ...endingOf(told, told['args'], output) };
      }
      case 'chat.params':
        return { ...common, place: 'turn' };
      case 'chat.message':
        return promptOf(common, fieldsOf(output));
      // Not its own name either: a part of a message tells what a response took.
      case 'step-finish':
        return { ...common, place: 'usage', spent: spentOf(told) };
      case 'session.compacted':
        return { ...common, place: 'compaction' };
      default:
        return null;
    }
  },
  encode: plainReply,
};

/** A tool that is not there, or was called the wrong way, comes as the tool `invalid`, and its name among the arguments. */
function callOf(
  { tool, callID }: Fields,
  args: unknown,
): { readonly id: string | undefined; readonly tool: string; readonly args: Json } | null {
  const name = nameOf(tool);
  if (name === undefined) return null;
  const meant = name === 'invalid' ? nameOf(fieldsOf(args)['tool']) : undefined;
  return { id: nameOf(callID), tool: meant ?? name, args: jsonOf(args) };
}

function spentOf({ id, tokens }: Fields): readonly Spent[] {
  const [name, usage] = [nameOf(id), usageIn(tokens)];
  return name === undefined || usage === undefined ? [] : [{ id: name, usage }];
}

/** `{title, output, metadata}` of its own tools, `{content}` of MCP tools, `{error}` where the tool threw. */
function endingOf(
  { tool }: Fields,
  input: unknown,
  given: unknown,
): Pick<Signal & { readonly place: 'result' }, 'status' | 'output'> {
  const { output, content, error, metadata, isError } = fieldsOf(given);
  const failed = error !== undefined || isError === true;
  const said = textOf(error) ?? textOf(output) ?? contentText(content);
  return { status: opencodeStatus(nameOf(tool) ?? '', { input, metadata, failed }, said), output: said };
}

/** What its host adds to a prompt is marked as synthetic; what starts a sub-agent is no person's. */
function promptOf(
  common: Omit<Signal & { readonly place: 'prompt' }, 'place' | 'text' | 'by' | 'id'>,
  { parts, message }: Fields,
): Signal {
  const texts = listOf(parts)
    .map(fieldsOf)
    .filter(({ type, synthetic }) => type === 'text' && synthetic !== true)
    .map(({ text }) => textOf(text) ?? '');
  const text = texts.join('\n');
  const by = text === '' || common.agent !== undefined ? 'host' : 'person';
  return { ...common, place: 'prompt', text, by, id: nameOf(fieldsOf(message)['id']) };
}
