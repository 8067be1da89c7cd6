import { openclaw as host } from '../../hooks/hosts/openclaw.ts';
import { fieldsOf, nameOf } from '../../transcripts/fields.ts';
import { judgeOf, type PluginOptions } from './host-judge.ts';

/** What this plugin uses of OpenClaw. */
type PluginApi = {
  on(hook: string, handler: (event: unknown, context: unknown) => unknown): void;
};

/** So many sessions are remembered at most. */
const MAX_SESSIONS = 64;

/** The plugin for OpenClaw. A call is refused with a reason; nothing else gets through to the model, and nothing ends a run. */
export function deloop(api: PluginApi, options?: PluginOptions): void {
  const judge = judgeOf(host, options);
  /** The run that each session is in. */
  const runs = new Map<string, string>();

  /** Every run was started by somebody who wants something. */
  function begin(event: unknown, ctx: unknown): void {
    const session = nameOf(fieldsOf(ctx)['sessionId']) ?? '';
    const run = nameOf(fieldsOf(event)['runId']) ?? nameOf(fieldsOf(ctx)['runId']) ?? '';
    if (run === '' || runs.get(session) === run) return;
    runs.delete(session);
    runs.set(session, run);
    const [first] = runs.keys();
    if (runs.size > MAX_SESSIONS && first !== undefined) runs.delete(first);
    judge({ hook: 'run_started', event, ctx });
  }

  api.on('before_tool_call', (event, ctx) => {
    begin(event, ctx);
    const reply = judge({ hook: 'before_tool_call', event, ctx });
    if (reply.action === 'allow' || reply.action === 'nudge') return undefined;
    return { block: true, blockReason: reply.message };
  });
  api.on('after_tool_call', (event, ctx) => {
    judge({ hook: 'after_tool_call', event, ctx });
  });
}
