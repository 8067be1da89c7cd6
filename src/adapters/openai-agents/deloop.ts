import { wrong } from '../../core/options.ts';
import { fieldsOf } from '../fields.ts';
import type { LastingNudges } from '../lasting-nudges.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { unlessBroken } from '../unless-broken.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { beginUnheard } from './before-response.ts';
import { conclude, haltedBy, refuseRejected, tellReaders } from './endings.ts';
import { follow } from './follow.ts';
import { createInnerRuns, type Where } from './inner-runs.ts';
import { type Eyes, type InvocationIn, inputFilter } from './input-filter.ts';
import { createInvocation, type Invocation, type InvocationOptions, NONE } from './invocation.ts';
import { FAILED } from './items.ts';
import { type ByHost, hear, recall } from './message.ts';
import { createPlaces } from './places.ts';
import { copyOf, isAgentTool, share } from './same-tools.ts';
import type {
  Agent,
  Context,
  FilterArgs,
  FunctionTool,
  Item,
  RunAgent,
  Runner,
  RunOptions,
  State,
  ToolCall,
} from './shapes.ts';
import { createUsageMeter } from './usage-meter.ts';
import { watchedModel } from './watched-model.ts';
import {
  type InvocationOf,
  isFunctionTool,
  type WatchedToolOptions,
  watchedFields,
} from './watched-tools.ts';

/** Whose run this is. Without a session every call is a run of its own. */
export type Whose = {
  readonly session?: string | undefined;
  /** Whether a message of the user that a run is begun with is your program's, and no person's. Without it, all are a person's. */
  readonly byHost?: ByHost | undefined;
};

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
  /** For the `runOptions` of an agent that is a tool: given as they are, they tell its runs from each other. */
  readonly runOptions: {
    readonly callModelInputFilter: <Data extends object>(args: FilterArgs<Data>) => Promise<Data>;
  };
  /** The run of a session; without a name, the one that was begun last. */
  run(session?: string): Run;
  /** Why the run that was begun last was stopped, by way of whichever agent had the word. */
  readonly stopped: StopReason | null;
};

/** Where an invocation stands. */
type Place = Pick<InvocationOptions, 'around' | 'isInner' | 'isPlain' | 'speaker'>;

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): OpenAiAgentsGuard {
  const watch = createWatch(options, { tellsHandoffs: true });
  // Without questions no tool has a rule for approvals, which alone would change what the SDK asks a person about.
  const { attended, onAsk, mode = 'enforce' } = options;
  const canHold = attended === true && onAsk === undefined && mode === 'enforce';
  const places = createPlaces<Where>({ started, calls, ended, lent });
  const outside = new WeakMap<Context, Invocation>();
  /** By what a run has left behind: its state, or the items until it was stopped. */
  const left = new WeakMap<object, Invocation>();
  const nudges = new WeakMap<Run, Map<string | undefined, LastingNudges>>();
  const meter = createUsageMeter();
  const models = new WeakSet<object>();
  const guarded = new WeakSet<object>();
  /** What a `run` of this guard was made of: wrapped again, it is not guarded twice. */
  const wrapped = new WeakMap<object, readonly [by: RunAgent | Runner, whose: Whose]>();
  /** What they are here, by what they are elsewhere. */
  const fields = new WeakMap<FunctionTool, FunctionTool>();
  const hasModel = ({ model }: Agent) => typeof model === 'object' && models.has(model);
  const isGuarded = (tool: object) => guarded.has(tool);
  const eyes: Eyes = {
    isWatched: hasModel,
    isGuarded: ({ tools = [] }) => tools.some(isGuarded),
  };
  const inner = createInnerRuns({
    places,
    open: (around, isPlain) =>
      Object.assign(open(around.run, around.asked, { around, isPlain }), { isTold: false }),
    filterOf: (invocation) => filterOver(undefined, invocation),
  });
  const { current } = inner;
  let latest: Invocation | null = null;

  function open(run: Run, agent: Agent, place: Place): Invocation {
    const said = nudges.get(run) ?? new Map<string | undefined, LastingNudges>();
    nudges.set(run, said);
    return createInvocation({ run, agent, ...place, meter, nudges: said });
  }

  /** Tools that are called by a `run` that is not guarded have a run of their own. */
  const invocationOf: InvocationOf = (context, agent) => {
    const around = current(context);
    const known = around ?? outside.get(context) ?? open(watch.start(), agent ?? NOBODY, { isInner: true });
    if (around === undefined) outside.set(context, known);
    if (agent === undefined) return known;
    known.see(context, agent);
    if (!known.isTold && known.isPlain) meet(known, agent);
    return known;
  };

  /** The invocation that a call was made in: the tool may have begun others before it ended. */
  const ending: WatchedToolOptions['ending'] = (context, agent, id) =>
    callerOf(id) ?? invocationOf(context, agent);
  const toolOptions: WatchedToolOptions = { of: invocationOf, ending, canHold };

  function callerOf(id: string): Invocation | undefined {
    const around = inner.around();
    let now = around ?? null;
    while (now !== null && !now.calls.get(id)?.isOpen) now = now.around;
    return now ?? around;
  }

  /** A watched model is shown the task itself, if it is known whose. */
  function meet(now: Invocation, agent: Agent): void {
    follow(agent);
    if (!hasModel(agent) || current() !== now) beginUnheard(now, agent);
  }

  function filterOver(own: RunOptions['callModelInputFilter'], invocation: InvocationIn) {
    const filter = inputFilter(invocation, eyes, own);
    // We change no item, so the SDK need not copy them for us.
    return Object.assign(filter, {
      preserveInputIdentity: own === undefined || own.preserveInputIdentity === true,
    });
  }

  /** A sub-agent that is run inside a tool belongs to the run around it, unless it has a session of its own. */
  async function begin(agent: Agent, input: unknown, given: RunOptions, whose: Whose): Promise<Invocation> {
    const around = inner.around();
    const before = left.get(fieldsOf(input));
    const named =
      whose.session ?? (await given.session?.getSessionId()) ?? (given.conversationId || undefined);
    const goesOn = before !== undefined && !Array.isArray(input);
    if (around !== undefined && (named === undefined || named === around.run.session))
      return goesOn && before.run === around.run ? before : open(around.run, agent, { around });
    const session = named ?? options.session;
    const run = session === undefined ? (before?.run ?? watch.start()) : watch.run(session);
    await run.begin();
    const isSame = goesOn && before.run === run;
    const state: State = fieldsOf(input);
    const now = isSame ? before : open(run, agent, { speaker: state._currentAgent });
    if (around === undefined) latest = now;
    if (!isSame && state._currentAgent !== undefined) {
      if (!run.isReady) await run.ready();
      now.seats.restore(run.state.desks.filter(isWaiting).map(({ agent: id }) => id));
      recall(now, state, whose.byHost);
    }
    return now;
  }

  /** A model is not told whose it is, and not every agent has tools by which it is known. */
  function started(agent: Agent, context: Context): void {
    current(context)?.see(context, agent);
  }

  function calls(agent: Agent, context: Context, tool: object, toolCall: Item | undefined): void {
    const now = current(context);
    // Whatever is run inside of a tool must be told from the run around it.
    if (isFunctionTool(tool)) inner.enter(context, toolCall);
    // Where the provider keeps the conversation nobody else tells what a tool outside of ours is called with.
    if (now?.isManaged === true && toolCall !== undefined) now.say(toolCall, agent);
  }

  /** What the last response of an agent that is a tool has cost is its own, not that of the one which asked it. */
  function ended(agent: Agent, context: Context): void {
    const now = current(context);
    if (now !== undefined && now.around !== null && now.current !== null) now.turn(now.idOf(agent), context);
  }

  /** Whether the guard hears this agent, and all that it may hand over to, by their models. */
  function isWatched(agent: Agent, seen: Set<Agent> = new Set()): boolean {
    if (seen.has(agent)) return true;
    seen.add(agent);
    follow(agent);
    const { handoffs = [] } = agent;
    const others = handoffs.map((target) => isWatched('agent' in target ? target.agent : target, seen));
    return hasModel(agent) && !others.includes(false);
  }

  function wrap(given: RunAgent | Runner, last: Whose = {}): RunAgent {
    const [by, before] = wrapped.get(given) ?? [given, {}];
    const whose = { ...before, ...last };
    const run: RunAgent = typeof by === 'function' ? by : (...args) => by.run(...args);
    const byHost = whose.byHost && unlessBroken(whose.byHost, options.onError, 'byHost');
    const filterOfRunner = typeof by === 'function' ? undefined : by.config.callModelInputFilter;
    const watchedRun: RunAgent = async (agent, input, given = {}) => {
      const now = await begin(agent, input, given, { ...whose, byHost });
      const leave = (behind: unknown) => {
        if (typeof behind === 'object' && behind !== null) left.set(behind, now);
      };
      const failed = (error: unknown): unknown => {
        const halted = haltedBy(now, error);
        const { state: after, error: thrown = error } = fieldsOf(error);
        leave(halted === null ? after : halted.partial);
        if (halted === null) now.failAll(thrown);
        return halted ?? error;
      };
      const state: State = fieldsOf(input);
      now.signal = given.signal ?? now.around?.signal;
      const { conversationId, previousResponseId } = given;
      now.isManaged ||= Boolean(
        conversationId || previousResponseId || state._conversationId || state._previousResponseId,
      );
      hear(now, agent, input, byHost);
      hear(now, state._currentAgent ?? agent, state._pendingInput, byHost);
      now.paused = state._pendingAgentToolRuns ?? NONE;
      await refuseRejected(now, state);
      // What another process has spent was told there.
      if (!left.has(state)) meter(fieldsOf(input)['usage']);
      // Where all models are watched the SDK is spared the filter, which makes it compare every item with every other.
      const all = isWatched(agent)
        ? given
        : {
            ...given,
            callModelInputFilter: filterOver(given.callModelInputFilter ?? filterOfRunner, () => current()),
          };
      try {
        const result = await places.run(now, () => run(agent, input, all));
        const { state: after, completed } = fieldsOf(result);
        leave(after);
        // What a stream says is known when it is over.
        if (completed instanceof Promise) {
          tellReaders(now, result);
          const end = completed.then(() => conclude(now, result), failed);
          end.catch(failed).finally(() => now.run.saved());
        } else conclude(now, result);
        return result;
      } catch (error) {
        throw failed(error);
      } finally {
        await now.run.saved();
      }
    };
    wrapped.set(watchedRun, [by, whose]);
    return watchedRun;
  }

  function errorFunction<Context>(own?: ErrorFunction<Context, string>): ErrorFunction<Context, string> {
    return async (context, error, details) => {
      // Of a call that its schema refuses the SDK shows no details, unless it may log such data.
      const { callId = inner.call() ?? '' } = (details?.toolCall ?? {}) as Partial<ToolCall>;
      const now = callerOf(callId) ?? invocationOf(context as object);
      now.fail(callId, error);
      return own === undefined ? FAILED : own(context, error, details);
    };
  }

  function watched<Tool extends object>(tool: Tool): Tool {
    if (!isFunctionTool(tool)) return tool;
    const isAgent = isAgentTool(tool);
    if (isAgent) share(tool);
    const same = isAgent ? tool : copyOf(tool, watchedFields(tool, toolOptions));
    guarded.add(same);
    return same;
  }

  function lent(tool: object, own: FunctionTool): FunctionTool {
    if (!guarded.has(tool)) return own;
    const known = fields.get(own) ?? watchedFields(own, toolOptions);
    fields.set(own, known);
    return known;
  }

  return {
    tools: <Tools extends readonly object[]>(tools: Tools) => tools.map(watched) as unknown as Tools,
    model<Given extends object>(model: Given) {
      if (typeof model !== 'object')
        throw wrong('model', model, 'a model as an object, as `getModel` of a provider gives it');
      const same = watchedModel(model, () => current());
      models.add(same);
      return same;
    },
    wrap: wrap as unknown as OpenAiAgentsGuard['wrap'],
    errorFunction,
    runOptions: {
      get callModelInputFilter() {
        return inner.filter() as never;
      },
    },
    run: (session) => (session === undefined ? (latest?.run ?? watch.run()) : watch.run(session)),
    get stopped() {
      return latest === null ? null : stopOf(latest);
    },
  };
}

function stopOf({ run, current, idOf }: Invocation): StopReason | null {
  return (current && run.stoppedFor(idOf(current))) ?? run.stopped;
}

function isWaiting({ question }: { readonly question: unknown }): boolean {
  return question !== null;
}
