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
import { type WatchedAgent, watchAgent } from './watched-agent.ts';
import { type Listener, watchedModel } from './watched-model.ts';

/** The guard of Strands Agents: an intervention handler, for the `interventions` of one or more agents. */
export type StrandsGuard = {
  readonly name: string;
  /** Whatever broke here, the agent goes on. */
  readonly onError: 'proceed';
  beforeInvocation(event: InvocationEvent): Proceed;
  beforeModelCall(event: ModelEvent): Promise<Proceed | Guide>;
  afterModelCall(event: ResponseEvent): Promise<Proceed>;
  beforeToolCall(event: CallEvent): Promise<Proceed | Confirm>;
  afterToolCall(event: ResultEvent): Promise<Proceed>;
  /** The run of a session; without a name, that of the agent that was called last. */
  run(session?: string): Run;
  /** Why the agent that was called last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): StrandsGuard {
  const watch = createWatch(options);
  const agents = new WeakMap<Agent, WatchedAgent & { readonly name: string | undefined }>();
  const models = new WeakMap<object, { readonly model: object; readonly listener: Listener }>();
  /** The agent that a run was begun for; others in it are sub-agents. */
  const mains = new WeakMap<Run, string>();
  let latest: { readonly run: Run; readonly name: string | undefined } | null = null;

  function watched(agent: Agent): WatchedAgent {
    const known = agents.get(agent);
    if (known !== undefined) {
      latest = known;
      return known;
    }
    const session = options.session ?? sessionOf(agent);
    const run = session === undefined ? watch.start() : watch.run(session);
    const main = mains.get(run) ?? agent.id;
    mains.set(run, main);
    const name = agent.id === main ? undefined : agent.id;
    const same = { ...watchAgent(run, name), name };
    agents.set(agent, same);
    latest = same;
    return same;
  }

  /** Puts a listener around the agent's model, once; what it has from another agent is listened to for that one. */
  function listen(agent: Agent, { listener }: WatchedAgent): void {
    const { model } = agent;
    const known = model && models.get(model);
    if (model === undefined || known?.listener === listener) return;
    const own = known?.model ?? model;
    const same = watchedModel(own, listener);
    models.set(same, { model: own, listener });
    agent.model = same;
  }

  return {
    name: 'deloop',
    onError: 'proceed',
    beforeInvocation({ agent }) {
      const mine = watched(agent);
      mine.beforeInvocation();
      listen(agent, mine);
      return PROCEED;
    },
    async beforeModelCall(event) {
      const { end, guide = PROCEED } = await watched(event.agent).beforeModelCall(event.agent.messages);
      if (end !== undefined) event.cancel = end;
      return guide;
    },
    async afterModelCall({ agent, stopData }) {
      if (stopData !== undefined) await watched(agent).afterModelCall(stopData.message);
      return PROCEED;
    },
    beforeToolCall: (event) => watched(event.agent).beforeToolCall(event),
    async afterToolCall(event) {
      await watched(event.agent).afterToolCall(event);
      return PROCEED;
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
