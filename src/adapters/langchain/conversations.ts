import type { Run } from '../run.ts';
import type { Watch } from '../watch.ts';
import type { Message, Runtime } from './shapes.ts';

/** What is remembered of one agent in a run, beside the run itself. */
export type Conversation = {
  readonly run: Run;
  /** The person's message that was told last. */
  heard: unknown;
  /** Calls of the last response that nobody has asked to run yet. */
  readonly open: Set<string>;
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
  let latest: Run | null = null;

  function find(messages: readonly Message[]): Run {
    if (messages.at(-1)?.type === 'human' && messages.at(-2)?.type !== 'tool') return watch.start();
    const known = messages.findLast((message) => byResponse.has(message));
    return (known && byResponse.get(known)) ?? findCopy(messages) ?? watch.start();
  }

  /** Other middleware may put a copy in the place of a response. */
  function findCopy(messages: readonly Message[]): Run | undefined {
    const response = messages.findLast(({ type }) => type === 'ai');
    return response && byId.get(idOf(response));
  }

  function remember(response: Message, run: Run): void {
    if (run.session !== undefined) return;
    byResponse.set(response, run);
    byId.set(idOf(response), run);
    if (byId.size > MAX_KNOWN) byId.delete(byId.keys().next().value);
  }

  function begun(run: Run, agent: string | undefined): Conversation {
    const conversation = {
      run,
      heard: undefined,
      open: new Set<string>(),
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
      latest = run;
      return byRun.get(run)?.get(agent) ?? begun(run, agent);
    },
    answered({ run, open }, response) {
      remember(response, run);
      open.clear();
      for (const { id } of response.tool_calls ?? []) if (id !== undefined) open.add(id);
    },
    get latest() {
      return latest;
    },
  };
}

/** The response itself where it has none, so that it is mistaken for no other. */
function idOf(response: Message): unknown {
  return response.tool_calls?.[0]?.id ?? response.id ?? response;
}
