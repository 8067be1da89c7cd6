import { AsyncLocalStorage } from 'node:async_hooks';
import { fieldsOf } from '../fields.ts';
import { createLastingNudges, type LastingNudges } from '../lasting-nudges.ts';
import { isLoopHalted } from '../loop-halted.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { inputFilter } from './input-filter.ts';
import { createInvocation, type Invocation } from './invocation.ts';
import {
  type Agent,
  type Context,
  type FilterArgs,
  type RunAgent,
  type Runner,
  type RunOptions,
  type ToolCall,
  textOf,
} from './shapes.ts';
import { createUsageMeter } from './usage-meter.ts';
import { watchedModel } from './watched-model.ts';
import { FAILED, type InvocationOf, watchedTool } from './watched-tools.ts';

/** Whose run this is. Without a session every call is a run of its own. */
export type Whose = { readonly session?: string | undefined };

/** Whose tools ran before anybody was known. */
const NOBODY: Agent = { name: '' };

type Details = { readonly toolCall?: object | undefined };
type ErrorFunction<Context, Result> = (
  context: Context,
  error: unknown,
  details?: Details,
) => Result | Promise<Result>;

/** The guard of the OpenAI Agents SDK. */
export type OpenAiAgentsGuard = {
  /** The same tools, with guardrails after their own. */
  tools<Tools extends readonly object[]>(tools: Tools): Tools;
  /** The same model, watched: for text in time, and for streams that are cut. */
  model<Given extends object>(model: Given): Given;
  /** `run`, guarded; or the `run` of a `Runner`, whose own filter stays. */
  wrap<Given extends (...args: never[]) => Promise<unknown>>(
    run: Given | { readonly run: Given; readonly config: object },
    whose?: Whose,
  ): Given;
  /** For the `errorFunction` of a tool: the guard hears the error itself; the model gets what `own` says, or what the SDK says otherwise. */
  errorFunction<Context = unknown>(own?: ErrorFunction<Context, string>): ErrorFunction<Context, string>;
  /** For the `runOptions` of an agent that is a tool. */
  readonly runOptions: {
    readonly callModelInputFilter: <Data extends object>(args: FilterArgs<Data>) => Promise<Data>;
  };
  /** The run of a session; without a name, the one that was begun last. */
  run(session?: string): Run;
  /** Why the run that was begun last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): OpenAiAgentsGuard {
  const watch = createWatch(options, { tellsHandoffs: true });
  const canHold = options.attended === true && options.onAsk === undefined;
  const invocations = new AsyncLocalStorage<Invocation>();
  const outside = new WeakMap<Context, Invocation>();
  const runs = new WeakMap<object, Run>();
  const nudges = new WeakMap<Run, Map<string | undefined, LastingNudges>>();
  const meter = createUsageMeter();
  const models = new WeakSet<object>();
  const followed = new WeakSet<Agent>();
  const current = () => invocations.getStore();
  const hasModel = (model: unknown) => typeof model === 'object' && model !== null && models.has(model);
  let latest: Run | null = null;

  function open(run: Run, agent: Agent, isInner: boolean): Invocation {
    const all = nudges.get(run) ?? new Map<string | undefined, LastingNudges>();
    nudges.set(run, all);
    const nudgesOf = (id: string | undefined) => {
      const known = all.get(id) ?? createLastingNudges();
      all.set(id, known);
      return known;
    };
    return createInvocation({ run, agent, isInner, meter, nudgesOf });
  }

  /** Tools that are called by a `run` that is not guarded have a run of their own. */
  const invocationOf: InvocationOf = (context, agent) => {
    const around = invocations.getStore();
    const known = around ?? outside.get(context) ?? open(watch.start(), agent ?? NOBODY, true);
    if (around === undefined) outside.set(context, known);
    if (agent !== undefined) known.see(context, agent);
    return known;
  };

  function filterOver(own: RunOptions['callModelInputFilter']) {
    const filter = inputFilter(current, hasModel, own);
    // We change no item, so the SDK need not copy them for us.
    return Object.assign(filter, {
      preserveInputIdentity: own === undefined || own.preserveInputIdentity === true,
    });
  }

  /** A sub-agent that is run inside a tool belongs to the run around it. */
  async function begin(agent: Agent, input: unknown, given: RunOptions, whose: Whose): Promise<Invocation> {
    const around = invocations.getStore();
    const id = fieldsOf(input);
    const session =
      whose.session ?? (await given.session?.getSessionId()) ?? given.conversationId ?? options.session;
    if (around !== undefined && session === undefined) return open(around.run, agent, true);
    const run = session === undefined ? (runs.get(id) ?? watch.start()) : watch.run(session);
    latest = run;
    await run.begin();
    return open(run, agent, false);
  }

  /** A model is not told whose it is, and not every agent has tools by which it is known. */
  function follow(agent: Agent): void {
    if (followed.has(agent)) return;
    followed.add(agent);
    agent.on?.('agent_start', (context) => current()?.see(context, agent));
  }

  /** Whether the guard hears this agent, and all that it may hand over to, by their models. */
  function isWatched(agent: Agent, seen: Set<Agent> = new Set()): boolean {
    if (seen.has(agent)) return true;
    seen.add(agent);
    follow(agent);
    const { model, handoffs = [] } = agent;
    const others = handoffs.map((target) => isWatched('agent' in target ? target.agent : target, seen));
    return hasModel(model) && !others.includes(false);
  }

  function wrap(by: RunAgent | Runner, whose: Whose = {}): RunAgent {
    const run: RunAgent = typeof by === 'function' ? by : (...args) => by.run(...args);
    const filterOfRunner = typeof by === 'function' ? undefined : by.config.callModelInputFilter;
    return async (agent, input, given = {}) => {
      const invocation = await begin(agent, input, given, whose);
      hear(invocation, agent, input);
      // What was spent before this call of `run` was told then.
      meter(fieldsOf(input)['usage']);
      // Where all models are watched the SDK is spared the filter, which makes it compare every item with every other.
      const all = isWatched(agent)
        ? given
        : { ...given, callModelInputFilter: filterOver(given.callModelInputFilter ?? filterOfRunner) };
      try {
        const result = await invocations.run(invocation, () => run(agent, input, all));
        const { state } = fieldsOf(result);
        if (typeof state === 'object' && state !== null) runs.set(state, invocation.run);
        conclude(invocation, result);
        return result;
      } catch (error) {
        if (isLoopHalted(error)) runs.set(error.partial as object, invocation.run);
        else invocation.failAll(fieldsOf(error)['error'] ?? error);
        throw error;
      } finally {
        await invocation.run.saved();
      }
    };
  }

  function errorFunction<Context>(own?: ErrorFunction<Context, string>): ErrorFunction<Context, string> {
    return async (context, error, details) => {
      const now = invocationOf(context as object);
      const call = details?.toolCall && now.open.get((details.toolCall as ToolCall).callId);
      if (call !== undefined) now.fail(call, error);
      return own === undefined ? FAILED : own(context, error, details);
    };
  }

  return {
    tools: <Tools extends readonly object[]>(tools: Tools) =>
      tools.map((tool) => watchedTool(tool, invocationOf, canHold)) as unknown as Tools,
    model<Given extends object>(model: Given) {
      const watched = watchedModel(model, current);
      models.add(watched);
      return watched;
    },
    wrap: wrap as unknown as OpenAiAgentsGuard['wrap'],
    errorFunction,
    runOptions: { callModelInputFilter: filterOver(undefined) as never },
    run: (session) => (session === undefined ? (latest ?? watch.run()) : watch.run(session)),
    get stopped() {
      return latest?.stopped ?? null;
    },
  };
}

/** The last response has no calls, and so nobody has told it; what a stream will say is not known yet. */
function conclude(invocation: Invocation, result: unknown): void {
  const { idOf, current, voiceOf, turn } = invocation;
  const { state, interruptions, completed } = fieldsOf(result);
  if (current === null || completed !== undefined || !isEmpty(interruptions)) return;
  const { finalOutput } = fieldsOf(result);
  if (typeof finalOutput === 'string') voiceOf(idOf(current)).late = { text: finalOutput, reasoning: '' };
  turn(idOf(current), fieldsOf(state));
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}

/** A person has written, unless a run goes on from where it was. */
function hear({ run, idOf }: Invocation, agent: Agent, input: unknown): void {
  if (typeof input === 'string') run.user(input, { agent: idOf(agent) });
  if (!Array.isArray(input)) return;
  const { role, content } = fieldsOf(input.at(-1));
  if (role === 'user') run.user(textOf(content), { agent: idOf(agent) });
}
