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
};

export type Conversations = {
  /** That of the thread; without one, of the invocation. */
  of(messages: readonly Message[], runtime: Runtime | undefined, agent: string | undefined): Conversation;
  /** Without a thread, an invocation is known by its responses. */
  answered(conversation: Conversation, response: Message): void;
  /** The run that was worked on last. */
  readonly latest: Run | null;
};

/** `session` = where the host names no thread. */
export function createConversations(watch: Watch, session: string | undefined): Conversations {
  const byRun = new WeakMap<Run, Map<string | undefined, Conversation>>();
  const byResponse = new WeakMap<Message, Run>();
  let latest: Run | null = null;

  function find(messages: readonly Message[]): Run {
    if (messages.at(-1)?.type === 'human' && messages.at(-2)?.type !== 'tool') return watch.start();
    const known = messages.findLast((message) => byResponse.has(message));
    return (known && byResponse.get(known)) ?? watch.start();
  }

  return {
    of(messages, runtime, agent) {
      const thread = runtime?.configurable?.['thread_id'] ?? session;
      const run = thread === undefined ? find(messages) : watch.run(String(thread));
      latest = run;
      const agents = byRun.get(run) ?? new Map<string | undefined, Conversation>();
      byRun.set(run, agents);
      const known = agents.get(agent) ?? { run, heard: undefined, open: new Set(), unsaid: undefined };
      agents.set(agent, known);
      return known;
    },
    answered({ run, open }, response) {
      byResponse.set(response, run);
      open.clear();
      for (const { id } of response.tool_calls ?? []) if (id !== undefined) open.add(id);
    },
    get latest() {
      return latest;
    },
  };
}
