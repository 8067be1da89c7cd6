import { opencode } from '../../hooks/hosts/opencode.ts';
import { type Fields, fieldsOf, isFields, listOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { judgeOf, type PluginOptions } from './host-judge.ts';

/** What this plugin uses of what opencode gives to one. */
type PluginInput = {
  readonly directory?: string;
  readonly client?: {
    readonly session?: { abort?(request: { readonly path: { readonly id: string } }): Promise<unknown> };
    readonly tui?: { showToast?(request: { readonly body: object }): Promise<unknown> };
  };
};

/** So many calls of a session are remembered at most. */
const MAX_CALLS = 256;

/**
 * The plugin for opencode. A call is refused by throwing, the model is told at the end of a result, or of the error of a call that
 * failed, and a run is ended by aborting its session.
 */
export async function deloop(input: PluginInput, options?: PluginOptions): Promise<object> {
  const judge = judgeOf(opencode, options);
  const { directory: cwd, client } = input;
  /** The session that a sub-agent's belongs to, by the latter. */
  const roots = new Map<string, string>();
  /** Calls that were begun, and not heard the end of; those that were refused are not. */
  const running = new Map<string, unknown>();
  /** What the model has to be told at the end of the errors of failed calls. */
  const words = new Map<string, string>();

  function told(hook: string, about: unknown, output?: unknown): ReturnType<typeof judge> {
    const session = nameOf(fieldsOf(about)['sessionID']) ?? '';
    return judge({ hook, input: about, output, root: roots.get(session), cwd });
  }

  /** Ends the run; whoever sits before the screen is told why. */
  async function end(about: unknown, message: string): Promise<void> {
    const id = nameOf(fieldsOf(about)['sessionID']) ?? '';
    // Of a screen in `opencode run` there is nothing that could show it.
    if (process.argv.includes('run')) process.stderr.write(`${message}\n`);
    await Promise.allSettled([
      client?.tui?.showToast?.({ body: { title: 'deloop', message, variant: 'error', duration: 15_000 } }),
      client?.session?.abort?.({ path: { id } }),
    ]);
  }

  /** Of a tool that threw, no hook but this is told. */
  async function onFailure(part: Fields): Promise<void> {
    const { tool, callID, sessionID, state } = part;
    const { input: args, error } = fieldsOf(state);
    const id = nameOf(callID) ?? '';
    if (!running.delete(id)) return;
    const about = { tool, callID, sessionID, args };
    const reply = await told('tool.failed', about, { error: textOf(error) ?? '' });
    if (reply.action === 'halt') await end(about, reply.message);
    else if (reply.action !== 'allow') keep(words, id, reply.message);
  }

  return {
    event: async ({ event }: { readonly event: unknown }) => {
      const { type, properties } = fieldsOf(event);
      const { info, part, sessionID } = fieldsOf(properties);
      if (type === 'session.created') {
        const { id, parentID } = fieldsOf(info);
        const [own, parent] = [nameOf(id), nameOf(parentID)];
        if (own !== undefined && parent !== undefined) keep(roots, own, roots.get(parent) ?? parent);
      } else if (type === 'session.compacted') await told('session.compacted', { sessionID });
      else if (type === 'message.part.updated') {
        const { type: kind, state } = fieldsOf(part);
        if (kind === 'step-finish') await told('step-finish', part);
        else if (fieldsOf(state)['status'] === 'error') await onFailure(fieldsOf(part));
      }
    },
    'chat.message': async (about: unknown, output: unknown) => {
      await told('chat.message', about, output);
    },
    'chat.params': async (about: unknown) => {
      // Titles and summaries are written by agents of its own.
      const { agent } = fieldsOf(about);
      const name = nameOf(agent) ?? nameOf(fieldsOf(agent)['name']);
      if (name !== 'title' && name !== 'summary' && name !== 'compaction') await told('chat.params', about);
    },
    'tool.execute.before': async (about: unknown, output: unknown) => {
      const reply = await told('tool.execute.before', about, output);
      if (reply.action === 'allow' || reply.action === 'nudge') {
        keep(running, nameOf(fieldsOf(about)['callID']) ?? '', true);
        return;
      }
      if (reply.action === 'halt') await end(about, reply.message);
      throw new Error(reply.message);
    },
    'tool.execute.after': async (about: unknown, output: unknown) => {
      running.delete(nameOf(fieldsOf(about)['callID']) ?? '');
      const reply = await told('tool.execute.after', about, output);
      if (reply.action === 'halt') await end(about, reply.message);
      else if (reply.action !== 'allow') add(output, reply.message);
    },
    'experimental.chat.messages.transform': async (_about: unknown, output: unknown) => {
      if (words.size === 0) return;
      for (const message of listOf(fieldsOf(output)['messages']))
        for (const part of listOf(fieldsOf(message)['parts'])) {
          const { callID, state } = fieldsOf(part);
          const more = words.get(nameOf(callID) ?? '');
          const error = fieldsOf(state)['error'];
          if (more !== undefined && typeof error === 'string' && !error.endsWith(more))
            (state as { error: string }).error = `${error}\n\n${more}`;
        }
    },
  };
}

/** Its own tools have a text for a result, MCP tools have blocks. */
function add(output: unknown, message: string): void {
  if (!isFields(output)) return;
  const result = output as { output?: unknown; content?: unknown };
  if (typeof result.output === 'string') result.output += `\n\n${message}`;
  else if (Array.isArray(result.content)) result.content.push({ type: 'text', text: message });
}

/** The one that was put in first goes when it is too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > MAX_CALLS && first !== undefined) map.delete(first);
}
