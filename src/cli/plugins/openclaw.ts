import { openclaw as host } from '../../hooks/hosts/openclaw.ts';
import { type Fields, fieldsOf, nameOf } from '../../transcripts/fields.ts';
import { judgeOf, type PluginOptions } from './host-judge.ts';

/** What this plugin uses of OpenClaw. */
type PluginApi = {
  on(hook: string, handler: (event: unknown, context: unknown) => unknown): void;
};

/** So many sessions are remembered at most, and messages of one. */
const MAX_SESSIONS = 64;
const MAX_MESSAGES = 64;

/** The plugin for OpenClaw. A call is refused with a reason; nothing else gets through to the model, and nothing ends a run. */
export function deloop(api: PluginApi, options?: PluginOptions): void {
  const judge = judgeOf(host, options);
  /** The run that each session is in. */
  const runs = new Map<string, string>();
  /** Responses that were written down since the last call, by the key of their session: its id is told at a call alone. */
  const written = new Map<string, readonly Fields[]>();

  /** Every run was started by somebody who wants something. */
  async function begin(event: unknown, ctx: unknown): Promise<void> {
    const session = nameOf(fieldsOf(ctx)['sessionId']) ?? '';
    const run = nameOf(fieldsOf(event)['runId']) ?? nameOf(fieldsOf(ctx)['runId']) ?? '';
    if (run === '' || runs.get(session) === run) return;
    keep(runs, session, run);
    await judge({ hook: 'run_started', event, ctx });
  }

  /** What the responses took that led up to a call. */
  async function count(ctx: unknown): Promise<void> {
    const key = nameOf(fieldsOf(ctx)['sessionKey']) ?? '';
    const messages = written.get(key);
    if (messages === undefined) return;
    written.delete(key);
    await judge({ hook: 'messages_written', event: { messages }, ctx });
  }

  api.on('before_message_write', (event, ctx) => {
    const { role, usage, timestamp, provider } = fieldsOf(fieldsOf(event)['message']);
    if (role !== 'assistant') return undefined;
    const key = nameOf(fieldsOf(event)['sessionKey']) ?? nameOf(fieldsOf(ctx)['sessionKey']) ?? '';
    const before = written.get(key) ?? [];
    keep(written, key, [...before, { role, usage, timestamp, provider }].slice(-MAX_MESSAGES));
    return undefined;
  });
  api.on('before_tool_call', async (event, ctx) => {
    await begin(event, ctx);
    await count(ctx);
    const reply = await judge({ hook: 'before_tool_call', event, ctx });
    if (reply.action === 'allow' || reply.action === 'nudge') return undefined;
    return { block: true, blockReason: reply.message };
  });
  api.on('after_tool_call', async (event, ctx) => {
    await judge({ hook: 'after_tool_call', event, ctx });
  });
}

/** The one that was put in first goes when it is too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > MAX_SESSIONS && first !== undefined) map.delete(first);
}
