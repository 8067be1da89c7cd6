import { isCallBlocked } from '../../src/adapters/call-blocked.ts';
import { deloop, isLoopHalted, type LoopRun } from '../../src/adapters/generic/index.ts';
import type { AdapterHost, Ending, HostSession, HostSetup } from '../../src/testing/adapter-host.ts';

type Message = {
  readonly role: string;
  readonly content: string;
  readonly calls?: readonly unknown[];
  readonly id?: string;
};

/** A loop as people write it, with tools that are wrapped one by one. */
export const wrappedTools: AdapterHost = {
  name: 'generic, wrapped tools',
  cannot: { hold: 'a hand-written loop has no way of its own to ask' },
  open({ model, tools, options, onOwnHook }: HostSetup) {
    const guard = options && deloop(options);
    const messages: Message[] = [];
    const toolErrors: unknown[] = [];

    async function loop(run: LoopRun | null): Promise<string> {
      const guarded = run === null ? tools : run.tools(tools, { nudges: 'queue' });
      for (;;) {
        const last = run?.takeLastTurn() ?? false;
        const nudge = run?.takeNudge();
        if (nudge) messages.push({ role: 'user', content: nudge.text });
        onOwnHook?.('step');
        const {
          text = '',
          reasoning,
          usage,
          calls = [],
        } = model({
          sent: JSON.stringify(messages),
          tools: !last,
        });
        run?.turn({ text, reasoning, usage });
        messages.push({ role: 'assistant', content: text, calls });
        run?.keep(text);
        if (calls.length === 0) return text;
        const results = await Promise.all(
          calls.map(async ({ id, tool, args }): Promise<Message> => {
            const execute = guarded[tool];
            if (execute === undefined) {
              const call = { id, tool, args };
              run?.before(call);
              run?.after(call, { output: 'no such tool', status: 'unknown-tool' });
              return { role: 'tool', id, content: 'no such tool' };
            }
            try {
              return { role: 'tool', id, content: JSON.stringify(await execute(args as never)) };
            } catch (error) {
              if (!isCallBlocked(error) && !isLoopHalted(error)) toolErrors.push(error);
              return { role: 'tool', id, content: String((error as Error).message) };
            }
          }),
        );
        messages.push(...results);
        await run?.settle();
        if (run?.isOver()) return text;
      }
    }

    async function go(): Promise<Ending> {
      if (guard === null) return { ended: 'done', text: await loop(null), reason: null, toolErrors };
      const ended = await guard.run(loop, { session: options?.session ?? 'one' });
      if (ended.ended === 'done') return { ended: 'done', text: ended.value, reason: null, toolErrors };
      return { ended: 'stopped', text: String(ended.partial), reason: ended.reason, toolErrors };
    }

    const run = guard?.of(options?.session ?? 'one');
    return sessionOf(run ?? null, messages, go);
  },
};

/** A session of a loop that ends by itself. */
export function sessionOf(
  run: LoopRun | null,
  messages: { push(message: { role: string; content: string }): unknown },
  go: () => Promise<Ending>,
): HostSession {
  return {
    async send(prompt) {
      messages.push({ role: 'user', content: prompt });
      await run?.begin();
      run?.user(prompt);
      return go();
    },
    resume() {
      run?.resume();
      return go();
    },
    state: () => run?.state,
  };
}
