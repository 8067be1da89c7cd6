import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
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
  afterModelCall,
  afterToolCall,
  beforeModelCall,
  beforeToolCall,
  type WatchedAgent,
  watchAgent,
} from './watched-agent.ts';
import { watchedModel } from './watched-model.ts';

/** The guard of Strands Agents: an intervention handler, for the `interventions` of one or more agents. */
export type StrandsGuard = {
  readonly name: string;
  /** Whatever broke here, the agent goes on. */
  readonly onError: 'proceed';
  beforeInvocation(event: InvocationEvent): Proceed;
  beforeModelCall(event: ModelEvent): Proceed | Guide | Promise<Proceed | Guide>;
  afterModelCall(event: ResponseEvent): Proceed | Promise<Proceed>;
  beforeToolCall(event: CallEvent): Proceed | Confirm | Promise<Proceed | Confirm>;
  afterToolCall(event: ResultEvent): Proceed | Promise<Proceed>;
  /** The run of a session; without a name, that of the agent that was called last. */
  run(session?: string): Run;
  /** Why the agent that was called last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): StrandsGuard {
  const watch = createWatch(options);
  const agents = new WeakMap<Agent, WatchedAgent>();
  const models = new WeakMap<object, { readonly model: object; readonly agent: WatchedAgent }>();
  /** The agent that a run was begun for; others in it are sub-agents. */
  const mains = new WeakMap<Run, string>();
  let latest: WatchedAgent | null = null;

  function watched(agent: Agent): WatchedAgent {
    latest = agents.get(agent) ?? begun(agent);
    return latest;
  }

  function begun(agent: Agent): WatchedAgent {
    const session = options.session ?? sessionOf(agent);
    const run = session === undefined ? watch.start() : watch.run(session);
    const main = mains.get(run) ?? agent.id;
    mains.set(run, main);
    const same = watchAgent(run, agent.id === main ? undefined : agent.id);
    agents.set(agent, same);
    return same;
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
  }

  return {
    name: 'deloop',
    onError: 'proceed',
    beforeInvocation({ agent }) {
      const mine = watched(agent);
      mine.isFresh = true;
      // Not waited for here: whatever needs it waits until it is ready.
      mine.run.begin();
      listen(agent, mine);
      return PROCEED;
    },
    beforeModelCall: (event) => beforeModelCall(watched(event.agent), event),
    afterModelCall: ({ agent, stopData }) =>
      stopData === undefined ? PROCEED : afterModelCall(watched(agent), stopData.message),
    beforeToolCall: (event) => beforeToolCall(watched(event.agent), event),
    afterToolCall: (event) => afterToolCall(watched(event.agent), event),
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
