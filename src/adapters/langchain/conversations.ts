import { digestText } from '../../core/digest-text.ts';
import type { Sent } from '../compacted.ts';
import type { Fields } from '../fields.ts';
import type { Run } from '../run.ts';
import type { Watch } from '../watch.ts';
import { invocationOf } from './invocations.ts';
import { isSameStep, pathOf, stepsOf } from './places.ts';
import type { Message, Runtime, ToolCall } from './shapes.ts';

/** By the node that asks the model: each may have a history of its own. */
type Nodes = Map<string, Sent>;

/** What is remembered of one agent in a run, beside the run itself. */
export type Conversation = {
  readonly run: Run;
  /** As the middleware was named. */
  readonly name: string | undefined;
  /** As the run knows it: of those that run at the same time under one name, each has its own. */
  readonly agent: string | undefined;
  /** Where it runs, and since which steps of the graphs around it. */
  path: string;
  steps: Fields;
  /** Its last response calls no tools, or is answered by what it has called. */
  isDone: boolean;
  /** Those that were seen, several may run at once; weakly, as each holds all that LangGraph knows of it. */
  readonly invocations: WeakMap<object, Nodes>;
  /** Those of the invocation of the latest request. */
  nodes: Nodes;
  /** It was not asked yet where it runs now: its task may be new, and what it said elsewhere need not be in its history. */
  isMoved: boolean;
  /** The message that was told last, and a digest of its text: a conversation may stay for long. */
  heard: unknown;
  shown: number;
  /** Calls of the last response that nobody has asked to run yet. */
  open: readonly ToolCall[];
  /** Calls that a person was asked about, until they have run. */
  readonly asked: Set<unknown>;
  /** Its last response. */
  last: Message | undefined;
  /** What is still to be said to the model: it may have failed to answer. */
  unsaid: string | undefined;
  /** Whether nudges stand in the history, which was looked at as far as `seen`. */
  isNudged: boolean;
  seen: WeakRef<Message> | undefined;
  /** By tools that have given the work to others: the message that came before the last time. */
  readonly handovers: Map<string, unknown>;
  /** Digests of the tasks that came with the work. */
  readonly tasks: Set<number>;
  /** Whether it has ever called a tool. */
  hasCalled: boolean;
  /** Digests of what others have shown to it, as long as it has not. */
  readonly shownTexts: Set<number>;
};

export type Conversations = {
  /** That of the thread; without one, of the invocation. */
  of(messages: readonly Message[], runtime: Runtime | undefined, name: string | undefined): Conversation;
  /** Without a thread, an invocation is known by its responses, too. */
  answered(conversation: Conversation, response: Message): void;
  /** The run that was worked on last. */
  readonly latest: Run | null;
};

/** Responses by which invocations without a thread are known. */
const MAX_KNOWN = 1024;

/** `session` = where the host names no thread. */
export function createConversations(watch: Watch, session: string | undefined): Conversations {
  const byRun = new WeakMap<Run, Conversation[]>();
  const byInvocation = new WeakMap<object, Map<string, Run>>();
  const byResponse = new WeakMap<Message, Run>();
  const byId = new Map<unknown, Run>();
  /** The one without a thread that was answered last: what it is known by is noted down when another one is. */
  let current: Conversation | null = null;
  let latest: Conversation | null = null;
  /** Where it was worked on: most calls come from there again. */
  let invocation: object | undefined;
  let thread: unknown;

  function find(messages: readonly Message[], runtime: Runtime | undefined, path: string): Run {
    const here = invocationOf(runtime);
    if (here === undefined)
      return messages.at(-2)?.type === 'tool' ? (findKnown(messages) ?? watch.start()) : begunBy(messages);
    if (current?.path === path && current.invocations.has(here)) return current.run;
    const runs = byInvocation.get(here) ?? new Map<string, Run>();
    const run = runs.get(path) ?? begunBy(messages);
    byInvocation.set(here, runs.set(path, run));
    return run;
  }

  /** A person's message begins a run; anything else goes on with one. */
  function begunBy(messages: readonly Message[]): Run {
    return (messages.at(-1)?.type === 'human' ? undefined : findKnown(messages)) ?? watch.start();
  }

  function findKnown(messages: readonly Message[]): Run | undefined {
    if (current?.last !== undefined && messages.lastIndexOf(current.last) >= 0) return current.run;
    const known = messages.findLast((message) => byResponse.has(message));
    return known === undefined ? findCopy(messages) : byResponse.get(known);
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

  function conversationOf(
    run: Run,
    runtime: Runtime | undefined,
    name: string | undefined,
    path: string,
  ): Conversation {
    const all = byRun.get(run) ?? [];
    const own = all.filter((other) => other.name === name);
    const same = own.find((other) => other.path === path);
    if (same !== undefined) return same;
    const steps = stepsOf(runtime);
    // The main agent waits for those inside it, and goes on afterwards.
    const free = own.find(
      (other) => !isBusy(other, path, steps) && (name !== undefined || other.path !== ''),
    );
    if (free !== undefined) return Object.assign(free, { path, steps, isDone: false, isMoved: true });
    const nth = own.length + 1;
    const begun = newConversation(run, name, nth === 1 ? name : `${name ?? ''}#${nth}`, path, steps);
    byRun.set(run, [...all, begun]);
    return begun;
  }

  return {
    of(messages, runtime, name) {
      const here = invocationOf(runtime);
      const own = runtime?.configurable?.['thread_id'] ?? session;
      const path = pathOf(runtime);
      const isThere = latest !== null && latest.name === name && latest.path === path;
      if (latest !== null && isThere && here !== undefined && here === invocation && own === thread)
        return latest;
      const run = own === undefined ? find(messages, runtime, path) : watch.run(String(own));
      if (latest === null || !isThere || latest.run !== run)
        latest = conversationOf(run, runtime, name, path);
      invocation = here;
      thread = own;
      return latest;
    },
    answered(conversation, response) {
      if (conversation.run.session === undefined && conversation !== current) {
        note(current);
        current = conversation;
      }
      conversation.last = response;
      conversation.open = response.tool_calls ?? [];
      conversation.isDone = conversation.open.length === 0;
      conversation.hasCalled ||= !conversation.isDone;
    },
    get latest() {
      return latest?.run ?? null;
    },
  };
}

function newConversation(
  run: Run,
  name: string | undefined,
  agent: string | undefined,
  path: string,
  steps: Fields,
): Conversation {
  return {
    run,
    name,
    agent,
    path,
    steps,
    isDone: false,
    invocations: new WeakMap(),
    nodes: new Map(),
    isMoved: false,
    heard: undefined,
    shown: digestText(''),
    open: [],
    asked: new Set(),
    last: undefined,
    unsaid: undefined,
    isNudged: false,
    seen: undefined,
    handovers: new Map(),
    tasks: new Set(),
    hasCalled: false,
    shownTexts: new Set(),
  };
}

/** It may still run. An agent that has failed is done when the step around it is. */
function isBusy(conversation: Conversation, path: string, steps: Fields): boolean {
  return !conversation.isDone && isSameStep(conversation, { path, steps });
}

/** The response itself where it has none, so that it is mistaken for no other. */
function idOf(response: Message): unknown {
  return response.tool_calls?.[0]?.id ?? response.id ?? response;
}
