import type { Run } from '../run.ts';
import type { Watch } from '../watch.ts';
import type { Message, Runtime, ToolCall } from './shapes.ts';

/** What is remembered of one agent in a run, beside the run itself. */
export type Conversation = {
  readonly run: Run;
  readonly agent: string | undefined;
  /** The person's message that was told last. */
  heard: unknown;
  /** Calls of the last response that nobody has asked to run yet. */
  open: readonly ToolCall[];
  /** Its last response. */
  last: Message | undefined;
  /** What is still to be said to the model: it may have failed to answer. */
  unsaid: string | undefined;
  /** Whether nudges stand in the history, which was looked at as far as `seen`. */
  isNudged: boolean;
  seen: Message | undefined;
};

export type Conversations = {
  /** That of the thread; without one, of the invocation. */
  of(messages: readonly Message[], runtime: Runtime | undefined, agent: string | undefined): Conversation;
  /** Without a thread, an invocation is known by its responses. */
  answered(conversation: Conversation, response: Message): void;
  /** The run that was worked on last. */
  readonly latest: Run | null;
};

/** Responses by which invocations without a thread are known. */
const MAX_KNOWN = 1024;

/** `session` = where the host names no thread. */
export function createConversations(watch: Watch, session: string | undefined): Conversations {
  const byRun = new WeakMap<Run, Map<string | undefined, Conversation>>();
  const byResponse = new WeakMap<Message, Run>();
  const byId = new Map<unknown, Run>();
  /** The one without a thread that was answered last: what it is known by is noted down when another one is. */
  let current: Conversation | null = null;
  let latest: Conversation | null = null;

  function find(messages: readonly Message[]): Run {
    if (messages.at(-1)?.type === 'human' && messages.at(-2)?.type !== 'tool') return watch.start();
    if (current?.last !== undefined && messages.lastIndexOf(current.last) >= 0) return current.run;
    const known = messages.findLast((message) => byResponse.has(message));
    return (known === undefined ? findCopy(messages) : byResponse.get(known)) ?? watch.start();
  }

  /** Other middleware may put a copy in the place of a response. */
  function findCopy(messages: readonly Message[]): Run | undefined {
    const response = messages.findLast(({ type }) => type === 'ai');
    if (response === undefined) return undefined;
    note(current);
    return byId.get(idOf(response));
  }

  function note(conversation: Conversation | null): void {
    if (conversation?.last === undefined) return;
    const { last, run } = conversation;
    byResponse.set(last, run);
    byId.set(idOf(last), run);
    if (byId.size > MAX_KNOWN) byId.delete(byId.keys().next().value);
  }

  function begun(run: Run, agent: string | undefined): Conversation {
    const conversation: Conversation = {
      run,
      agent,
      heard: undefined,
      open: [],
      last: undefined,
      unsaid: undefined,
      isNudged: false,
      seen: undefined,
    };
    const agents = byRun.get(run) ?? new Map<string | undefined, Conversation>();
    byRun.set(run, agents.set(agent, conversation));
    return conversation;
  }

  return {
    of(messages, runtime, agent) {
      const thread = runtime?.configurable?.['thread_id'] ?? session;
      const run = thread === undefined ? find(messages) : watch.run(String(thread));
      if (latest === null || latest.run !== run || latest.agent !== agent)
        latest = byRun.get(run)?.get(agent) ?? begun(run, agent);
      return latest;
    },
    answered(conversation, response) {
      if (conversation.run.session === undefined && conversation !== current) {
        note(current);
        current = conversation;
      }
      conversation.last = response;
      conversation.open = response.tool_calls ?? [];
    },
    get latest() {
      return latest?.run ?? null;
    },
  };
}

/** The response itself where it has none, so that it is mistaken for no other. */
function idOf(response: Message): unknown {
  return response.tool_calls?.[0]?.id ?? response.id ?? response;
}
