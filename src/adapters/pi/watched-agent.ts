import type { Usage } from '../../core/types.ts';
import type { HostCall, Run } from '../run.ts';
import { DONE } from '../session-keeper.ts';
import {
  type AfterToolCall,
  type BeforeToolCall,
  type Event,
  type Message,
  type Result,
  type Tokens,
  type ToolCall,
  wordsIn,
} from './shapes.ts';
import type { Listener } from './watched-stream.ts';

export type WatchedAgent = {
  readonly listener: Listener;
  readonly beforeToolCall: BeforeToolCall;
  readonly afterToolCall: AfterToolCall;
  readonly hear: (event: Event) => Promise<void>;
};
/** What the agent itself has and does. */
export type Own = {
  readonly beforeToolCall: BeforeToolCall | undefined;
  readonly afterToolCall: AfterToolCall | undefined;
  hasTool(name: string): boolean;
  /** Adds words to the conversation, before the next response. */
  steer(text: string): Message;
};

const HEARD: ReadonlySet<string> = new Set<Event['type']>([
  'agent_start',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'turn_start',
  'turn_end',
  'agent_end',
]);

/** `agent` = its name in the run; absent for the main agent. */
export function watchAgent(run: Run, agent: string | undefined, own: Own): WatchedAgent {
  const nudges = new WeakSet<Message>();
  /** Calls that began and have not ended, with the arguments as the model wrote them. */
  const open = new Map<string, { readonly args: unknown; presented: boolean }>();
  /** Whether the results of a turn ask for the end of the run. */
  let isEnding = true;
  let isOver = false;

  const callOf = ({ id, name }: Pick<ToolCall, 'id' | 'name'>, args: unknown): HostCall => ({
    id,
    tool: name,
    args,
    agent,
  });

  function present(id: string): void {
    const known = open.get(id);
    if (known !== undefined) known.presented = true;
  }

  function hearMessage(message: Message): void {
    const { role, stopReason, usage } = message;
    if (role === 'user' && !nudges.has(message)) run.user(wordsIn(message), { agent });
    if (role !== 'assistant' || stopReason === 'error' || stopReason === 'aborted' || isOver) return;
    run.turn({
      text: wordsIn(message),
      reasoning: wordsIn(message, 'thinking'),
      usage: usage && usageOf(usage),
      agent,
    });
  }

  /** Calls of tools that do not exist, and arguments that are refused, come to nobody else. */
  function hearResult(id: string, name: string, { content, terminate }: Result): void {
    const known = open.get(id);
    open.delete(id);
    if (terminate !== true) isEnding = false;
    if (known === undefined || known.presented) return;
    const call = callOf({ id, name }, known.args);
    run.before(call);
    run.after(call, {
      output: wordsIn({ content }),
      status: own.hasTool(name) ? 'invalid' : 'unknown-tool',
    });
  }

  return {
    listener: {
      async begin() {
        if (!run.isReady) await run.ready();
        if (!run.isIdle(agent)) await run.settle(agent);
        const isLast = run.takeLastTurn(agent);
        isOver = !isLast && run.isOver(agent);
        if (!run.isIdle(agent)) await run.saved();
        return isOver
          ? { end: run.stoppedFor(agent)?.message ?? '', mayCallTools: false }
          : { mayCallTools: !isLast };
      },
      delta: (channel, text) => run.delta(channel, text, agent),
    },
    async beforeToolCall(context, signal) {
      const { toolCall, args } = context;
      const call = callOf(toolCall, args);
      present(toolCall.id);
      const said = own.beforeToolCall && (await own.beforeToolCall(context, signal));
      if (said?.block === true) {
        run.before(call);
        run.after(call, { output: said.reason ?? '', status: 'denied' });
        return said;
      }
      const verdict = await run.judge(call);
      if (verdict.do === 'run') return said;
      // pi has no way of its own to ask, so nobody will answer.
      if (verdict.do === 'hold') run.answer(false, agent);
      return { block: true, reason: verdict.text };
    },
    async afterToolCall(context, signal) {
      const { toolCall, args, result, isError } = context;
      const call = callOf(toolCall, args);
      let said: Awaited<ReturnType<AfterToolCall>>;
      try {
        said = own.afterToolCall && (await own.afterToolCall(context, signal));
      } catch (error) {
        run.failed(call, error);
        throw error;
      }
      const content = (said?.content ?? result.content) as Result['content'];
      const output = content.every(({ type }) => type === 'text') ? wordsIn({ content }) : content;
      const status = (said?.isError ?? isError) ? 'error' : 'ok';
      const stub = run.after(call, { output, status }, { replaceable: typeof output === 'string' });
      return stub === null ? said : { ...said, content: [{ type: 'text', text: stub }] };
    },
    // Most events are pieces of a response, which its stream has told already.
    hear: (event) => (HEARD.has(event.type) ? hear(event) : DONE),
  };

  async function hear(event: Event): Promise<void> {
    if (event.type === 'agent_start') await run.begin();
    else if (event.type === 'message_end') {
      if (!run.isReady) await run.ready();
      hearMessage(event.message);
    } else if (event.type === 'tool_execution_start')
      open.set(event.toolCallId, { args: event.args, presented: false });
    else if (event.type === 'tool_execution_end') hearResult(event.toolCallId, event.toolName, event.result);
    else if (event.type === 'turn_start') isEnding = true;
    else if (event.type === 'turn_end') {
      // What is said after the last turn would begin another one.
      const goesOn = event.toolResults.length > 0 && !isEnding;
      const nudge = goesOn ? run.takeNudge(agent) : null;
      if (nudge !== null) nudges.add(own.steer(nudge.text));
      if (!run.isIdle(agent)) await run.saved();
    } else if (event.type === 'agent_end') {
      open.clear();
      await run.saved();
    }
  }
}

function usageOf({ input, output, cacheRead, cacheWrite }: Tokens): Usage {
  return { input: input + cacheWrite, output, cachedInput: cacheRead };
}
