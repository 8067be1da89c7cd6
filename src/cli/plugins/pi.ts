import { pi as host } from '../../hooks/hosts/pi.ts';
import { type Fields, listOf, nameOf } from '../../transcripts/fields.ts';
import { judgeOf, type PluginOptions } from './host-judge.ts';

/** What this extension uses of pi's context. */
type Context = {
  readonly hasUI?: boolean;
  readonly cwd?: string;
  readonly sessionManager?: { getSessionId?(): string; getSessionFile?(): string | undefined };
  readonly ui?: {
    confirm?(title: string, message: string): Promise<boolean>;
    notify?(message: string, kind: 'error'): void;
  };
  abort?(): void;
};
/** What this extension uses of pi. */
type ExtensionApi = {
  on(event: string, handler: (event: Fields, context: Context) => unknown): void;
  sendMessage(message: object, options: object): void;
};

/** So many calls are remembered at most. */
const MAX_CALLS = 256;

/**
 * The extension for pi. A call is refused with a reason, the model is told at the end of a result, a person is asked on the screen
 * where there is one, and a run is ended by aborting it.
 */
export function deloop(pi: ExtensionApi, options?: PluginOptions): void {
  const attended = judgeOf(host, options);
  const alone = judgeOf({ ...host, asks: false }, options);
  /** Arguments of calls that have begun and were not shown before, by their ids. */
  const unseen = new Map<string, unknown>();

  function told(event: Fields, context: Context): ReturnType<typeof attended> {
    const { sessionManager, cwd, hasUI } = context;
    const session = sessionManager?.getSessionId?.() ?? '';
    const transcript = sessionManager?.getSessionFile?.();
    return (hasUI === true ? attended : alone)({ ...event, session, transcript, cwd });
  }

  /** Ends the run; whoever reads along is told why. */
  function end(context: Context, message: string): void {
    if (context.hasUI === true) context.ui?.notify?.(message, 'error');
    // A pi that only prints has an interface that says nothing; a drill has none.
    else if (context.ui !== undefined) process.stderr.write(`${message}\n`);
    context.abort?.();
  }

  for (const type of ['input', 'turn_start', 'message_end', 'session_compact'])
    pi.on(type, async (event, context) => {
      await told(event, context);
    });

  pi.on('tool_execution_start', (event) => {
    const { toolCallId, args } = event;
    unseen.set(nameOf(toolCallId) ?? '', args);
    const [first] = unseen.keys();
    if (unseen.size > MAX_CALLS && first !== undefined) unseen.delete(first);
  });

  pi.on('tool_call', async (event, context) => {
    unseen.delete(nameOf(event['toolCallId']) ?? '');
    const reply = await told(event, context);
    if (reply.action === 'allow' || reply.action === 'nudge') return undefined;
    const reason = reply.action === 'ask' ? reply.reason : reply.message;
    if (
      reply.action === 'ask' &&
      (await context.ui?.confirm?.('deloop: run it all the same?', reply.message))
    )
      return undefined;
    if (reply.action !== 'block') end(context, reason);
    return { block: true, reason };
  });

  pi.on('tool_result', async (event, context) => {
    const reply = await told(event, context);
    if (reply.action === 'allow') return undefined;
    if (reply.action === 'halt') end(context, reply.message);
    return { content: [...listOf(event['content']), { type: 'text', text: reply.message }] };
  });

  pi.on('tool_execution_end', async (event, context) => {
    const id = nameOf(event['toolCallId']) ?? '';
    if (!unseen.has(id)) return;
    const args = unseen.get(id);
    unseen.delete(id);
    const reply = await told({ ...event, args }, context);
    if (reply.action === 'halt') end(context, reply.message);
    else if (reply.action !== 'allow')
      pi.sendMessage({ customType: 'deloop', content: reply.message, display: true }, { deliverAs: 'steer' });
  });
}
