import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { type Around, type Crew, callAround, nameIn, newCrew } from './crew.ts';
import { afterToolCall, listenToResults } from './results.ts';
import {
  type Agent,
  type CallEvent,
  type Confirm,
  type Guide,
  type InvocationEvent,
  type ModelEvent,
  PROCEED,
  type Proceed,
  type ResponseEvent,
  type ResultEvent,
} from './shapes.ts';
import {
  afterBrokenCall,
  afterModelCall,
  beforeInvocation,
  beforeModelCall,
  beforeToolCall,
  isResumed,
  resumeInvocation,
  type WatchedAgent,
  watchAgent,
} from './watched-agent.ts';
import { listenToCalls } from './watched-calls.ts';
import { watchedModel } from './watched-model.ts';
import { newWork, type Work } from './work.ts';

/** The guard of Strands Agents: an intervention handler, for the `interventions` of one or more agents. */
export type StrandsGuard = {
  readonly name: string;
  /** Whatever broke here, the agent goes on. */
  readonly onError: 'proceed';
  beforeInvocation(event: InvocationEvent): Proceed;
  beforeModelCall(event: ModelEvent): Proceed | Guide | Promise<Proceed | Guide>;
  afterModelCall(event: ResponseEvent): Proceed | Promise<Proceed>;
  beforeToolCall(event: CallEvent): Proceed | Confirm | Promise<Proceed | Confirm>;
  afterToolCall(event: ResultEvent): Proceed;
  /** The run of a session; without a name, that of the agent that was called last. */
  run(session?: string): Run;
  /** Why the agent that was called last was stopped. */
  readonly stopped: StopReason | null;
};

export type StrandsOptions = WatchOptions & {
  /** The main agent, by its `id`, or its `name` where it has no `id`; otherwise it is the first agent of a run in this process. */
  readonly main?: string | undefined;
};

/** Throws when an option can never work. */
export function deloop({ main, ...options }: StrandsOptions = {}): StrandsGuard {
  const watch = createWatch(options, { ownOptions: ['main'] });
  const agents = new WeakMap<Agent, WatchedAgent>();
  const models = new WeakMap<object, { readonly model: object; readonly agent: WatchedAgent }>();
  const crews = new WeakMap<Run, Crew>();
  /** By `invocationState`. */
  const works = new WeakMap<object, Work>();
  const events = new WeakSet<object>();
  let latest: WatchedAgent | null = null;

  function isNew(event: object): boolean {
    if (events.has(event)) return false;
    events.add(event);
    return true;
  }

  /** Null = what happens in an agent that answers for the one which calls it (`delegate`) comes again in the hooks of that one. */
  function watched(event: { readonly agent: Agent }): WatchedAgent | null {
    const agent = agents.get(event.agent) ?? invoked(event.agent, {});
    // An agent that works alone answers for nobody.
    if (agent.work !== null && agent.work.running.size > 1 && !isNew(event)) return null;
    latest = agent;
    return agent;
  }

  function invoked(agent: Agent, state: object): WatchedAgent {
    const before = agents.get(agent);
    const known = works.get(state);
    if (before !== undefined && known !== undefined && isResumed(before, known)) {
      resumeInvocation(before, known);
      return before;
    }
    const run = before?.run ?? runOf(agent);
    const crew = crewOf(run);
    const isOthers =
      known?.isShared === true || before?.isSpokenTo === true || sessionOf(agent) !== undefined;
    const around = callAround(agent, run, known?.running ?? crew.running, isOthers);
    const same = before ?? watchedFirst(agent, run, crew, around);
    const work = known ?? around?.caller.work ?? newWork();
    works.set(state, work);
    beforeInvocation(same, work, around?.caller ?? null);
    return same;
  }

  function watchedFirst(agent: Agent, run: Run, crew: Crew, around: Around | null): WatchedAgent {
    const mine = watchAgent(agent, run, crew, nameIn(crew, agent, around));
    agents.set(agent, mine);
    listenToCalls(agent, mine);
    listenToResults(mine);
    return mine;
  }

  function runOf(agent: Agent): Run {
    const session = options.session ?? sessionOf(agent);
    return session === undefined ? watch.start() : watch.run(session);
  }

  function crewOf(run: Run): Crew {
    const crew = crews.get(run) ?? newCrew(main);
    crews.set(run, crew);
    return crew;
  }

  /** Puts a listener around the agent's model, once; what it has from another agent is listened to for that one. */
  function listen(agent: Agent, mine: WatchedAgent): void {
    const { model } = agent;
    const known = model && models.get(model);
    if (model === undefined || known?.agent === mine) return;
    const own = known?.model ?? model;
    const same = watchedModel(own, mine);
    models.set(same, { model: own, agent: mine });
    agent.model = same;
    mine.model = same;
  }

  return {
    name: 'deloop',
    onError: 'proceed',
    beforeInvocation(event) {
      if (!isNew(event)) return PROCEED;
      const { agent, invocationState = {} } = event;
      const mine = invoked(agent, invocationState);
      latest = mine;
      // Not waited for here: whatever needs it waits until it is ready.
      mine.run.begin();
      listen(agent, mine);
      return PROCEED;
    },
    beforeModelCall(event) {
      const agent = watched(event);
      return agent === null ? PROCEED : beforeModelCall(agent, event);
    },
    afterModelCall(event) {
      const agent = watched(event);
      if (agent === null) return PROCEED;
      const { stopData } = event;
      return stopData === undefined ? afterBrokenCall(agent) : afterModelCall(agent, stopData.message);
    },
    beforeToolCall(event) {
      const agent = watched(event);
      return agent === null ? PROCEED : beforeToolCall(agent, event);
    },
    afterToolCall(event) {
      const agent = watched(event);
      return agent === null ? PROCEED : afterToolCall(agent, event);
    },
    run: (session) => (session === undefined ? (latest?.run ?? watch.run()) : watch.run(session)),
    get stopped() {
      return latest === null ? null : latest.run.stoppedFor(latest.name);
    },
  };
}

/** The name of the conversation where a session manager keeps it; otherwise the SDK makes one up, which nobody knows. */
function sessionOf(agent: Agent): string | undefined {
  return 'sessionManager' in agent && agent.sessionManager !== undefined ? agent.sessionId : undefined;
}
