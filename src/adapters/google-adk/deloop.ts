import { safely } from '../../core/safely.ts';
import type { Run } from '../run.ts';
import { agentsIn } from '../run-state.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { beginAnew, type Crew, nameIn, newCrew, nodeBegins, nodeEnds } from './crew.ts';
import { isFollowed } from './followers.ts';
import { afterModel, beforeModel, forgetBroken, tellGiven } from './model.ts';
import { afterTool, onToolError, tellFinal, tellRest, tellResults } from './results.ts';
import {
  type Content,
  type Context,
  type InvocationContext,
  type LlmRequest,
  type LlmResponse,
  type NodeParams,
  type SeenEvent,
  type ToolParams,
  wordsIn,
} from './shapes.ts';
import { beforeTool } from './tools.ts';
import { tellUnknown } from './unknown-calls.ts';
import { NOTHING, type WatchedAgent, watchAgent } from './watched-agent.ts';

type Nothing = Promise<undefined>;

/** The guard of ADK: a plugin, for the `plugins` of a runner. */
export type GoogleAdkGuard = {
  readonly name: string;
  beforeRunCallback(params: { readonly invocationContext: InvocationContext }): Nothing;
  afterRunCallback(params: { readonly invocationContext: InvocationContext }): Promise<void>;
  beforeModelCallback(params: {
    readonly callbackContext: Context;
    readonly llmRequest: LlmRequest;
  }): Promise<Answered | undefined>;
  afterModelCallback(params: {
    readonly callbackContext: Context;
    readonly llmResponse: LlmResponse;
  }): Promise<Answered | undefined>;
  beforeToolCallback(params: ToolParams): Promise<Record<string, unknown> | undefined>;
  afterToolCallback(
    params: ToolParams & { readonly result: unknown },
  ): Promise<Record<string, unknown> | undefined>;
  onToolErrorCallback(params: ToolParams & { readonly error: Error }): Nothing;
  onEventCallback(params: {
    readonly invocationContext: InvocationContext;
    readonly event: SeenEvent;
  }): Nothing;
  beforeNodeCallback(params: NodeParams): Nothing;
  afterNodeCallback(params: NodeParams): Nothing;
  onModelErrorCallback(params: { readonly callbackContext: Context }): Nothing;
  afterContextCompaction(params: { readonly invocationContext: InvocationContext }): Promise<void>;
  // ADK calls all of them, whether a plugin has anything to do there or not.
  onUserMessageCallback(): Nothing;
  beforeAgentCallback(): Nothing;
  afterAgentCallback(): Nothing;
  beforeToolSelection(): Nothing;
  beforeContextCompaction(): Promise<void>;
  /** The run of a session, `app/user/session`; without a name, the one that was begun last. */
  run(session?: string): Run;
  /** Why the agent that was called last was stopped. */
  readonly stopped: StopReason | null;
};
/** A response as ADK takes it, whose lists are its own. */
type Answered = {
  content?: { role?: string; parts?: object[] };
  partial?: boolean;
  errorCode?: string;
  errorMessage?: string;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): GoogleAdkGuard {
  const watch = createWatch(options, { tellsHandoffs: true });
  const crews = new WeakMap<Run, Crew>();
  /** The names of root agents, by session as ADK has read it for one message; none = a workflow is the root. */
  const roots = new WeakMap<object, string | undefined>();
  /** Of a context, whose agent may change. */
  const known = new WeakMap<InvocationContext, { readonly agent: unknown; readonly watched: WatchedAgent }>();
  let latest: WatchedAgent | null = null;

  function crewOf(run: Run): Crew {
    const same = crews.get(run);
    if (same !== undefined) return same;
    const crew = newCrew();
    crews.set(run, crew);
    return crew;
  }

  function runOf({ session: { appName, userId, id } }: InvocationContext): Run {
    return watch.run(options.session ?? `${appName}/${userId}/${id}`);
  }

  function watched(context: InvocationContext): WatchedAgent {
    const last = known.get(context);
    latest = last !== undefined && last.agent === context.agent ? last.watched : found(context);
    return latest;
  }

  function found(context: InvocationContext): WatchedAgent {
    const { agent, session, workflowInstructionScope: scope = null } = context;
    const run = runOf(context);
    const crew = crewOf(run);
    const root = roots.has(session) ? roots.get(session) : agent?.rootAgent?.name;
    const name = nameIn(crew, root, context);
    const same = crew.agents.get(name) ?? watchAgent(run, name, root, agent?.name, crew.shared, fail);
    crew.agents.set(name, same);
    same.scope = scope;
    same.isNode = scope !== null || root === undefined;
    same.isFresh = true;
    same.isFollowed = isFollowed(plugin, context);
    known.set(context, { agent, watched: same });
    return same;
  }

  function fail(error: unknown): void {
    safely(() => options.onError?.(error, latest?.run.session));
  }

  const nothing = () => NOTHING;
  const plugin: GoogleAdkGuard = {
    name: 'deloop',
    async beforeRunCallback({ invocationContext }) {
      const { agent, session, userContent } = invocationContext;
      roots.set(session, agent?.rootAgent?.name);
      const { run } = watched(invocationContext);
      beginAnew(crewOf(run));
      await run.begin();
      if (userContent === undefined) return undefined;
      const text = personIn(userContent);
      if (text === null) tellResults(run, userContent);
      else for (const agent of agentsIn(run.state)) run.user(text, { agent });
      return undefined;
    },
    async afterRunCallback({ invocationContext }) {
      const { run } = known.get(invocationContext)?.watched ?? {};
      if (run === undefined) return;
      for (const agent of crewOf(run).agents.values()) tellRest(agent);
      await run.saved();
    },
    beforeModelCallback: ({ callbackContext, llmRequest }) =>
      beforeModel(watched(callbackContext.invocationContext), callbackContext, llmRequest) as Promise<
        Answered | undefined
      >,
    afterModelCallback: ({ callbackContext, llmResponse }) =>
      afterModel(watched(callbackContext.invocationContext), llmResponse) as Promise<Answered | undefined>,
    beforeToolCallback: (params) =>
      isLive(params) ? NOTHING : beforeTool(watched(params.toolContext.invocationContext), params),
    afterToolCallback: (params) =>
      isLive(params)
        ? NOTHING
        : afterTool(watched(params.toolContext.invocationContext), params, params.result),
    onToolErrorCallback(params) {
      if (!isLive(params)) onToolError(watched(params.toolContext.invocationContext), params, params.error);
      return NOTHING;
    },
    onEventCallback({ invocationContext, event }) {
      const run = known.get(invocationContext)?.watched.run;
      if (run === undefined || event.partial === true) return NOTHING;
      let isTold = false;
      for (const agent of crewOf(run).agents.values()) isTold = seen(agent, event) || isTold;
      return isTold ? run.saved().then(() => undefined) : NOTHING;
    },
    beforeNodeCallback({ node, nodeContext }) {
      nodeBegins(crewOf(runOf(nodeContext.invocationContext)), node.name);
      return NOTHING;
    },
    afterNodeCallback({ node, nodeContext }) {
      nodeEnds(crewOf(runOf(nodeContext.invocationContext)), node.name);
      return NOTHING;
    },
    onModelErrorCallback({ callbackContext }) {
      const agent = watched(callbackContext.invocationContext);
      agent.scope = null;
      forgetBroken(agent);
      return NOTHING;
    },
    async afterContextCompaction({ invocationContext }) {
      const { run, name } = watched(invocationContext);
      run.tell({ type: 'compaction', agent: name });
    },
    onUserMessageCallback: nothing,
    beforeAgentCallback: nothing,
    afterAgentCallback: nothing,
    beforeToolSelection: nothing,
    beforeContextCompaction: nothing,
    run: (session) => (session === undefined ? (latest?.run ?? watch.run()) : watch.run(session)),
    get stopped() {
      return latest === null ? null : latest.run.stoppedFor(latest.name);
    },
  };
  return plugin;
}

/** An event is final: callbacks and other plugins have made of it what they want. `true` = the run was told something. */
function seen(agent: WatchedAgent, event: SeenEvent): boolean {
  const { author, content, actions } = event;
  // Agents at once may have calls of the same ids.
  if (author !== agent.label) return false;
  if (tellGiven(agent, event)) return true;
  const wasDoubtful = agent.doubtful !== null;
  if (wasDoubtful) tellUnknown(agent, content);
  return (agent.open.size > 0 && tellFinal(agent, content, actions)) || wasDoubtful;
}

/** Of a live conversation ADK tells the calls alone: what persons ask again in it would look like a loop. */
function isLive({ toolContext }: ToolParams): boolean {
  return toolContext.invocationContext.liveRequestQueue !== undefined;
}

/** What a person has written; null = an answer to a call, such as a confirmation. */
function personIn(content: Content): string | null {
  const isAnswer = content.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true;
  return isAnswer ? null : wordsIn(content);
}
