import { callableGuard } from '../callable-guard.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import type { Agent } from './shapes.ts';
import { watchAgent } from './watched-agent.ts';
import { type Begin, createWatchedCall, type WatchedCall } from './watched-call.ts';

/** An `Agent` of Mastra, or a durable one, which has another as its `agent`. */
export type MastraAgent = { readonly id: string; getLLM(options?: never): unknown };

/** The guard of Mastra: it is called with an agent, and gives it back guarded. */
export type MastraGuard = {
  <Given extends MastraAgent>(agent: Given): Given;
  /** The run of a session; without a name, that of the call that was begun last. */
  run(session?: string): Run;
  /** Why the call that was begun last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): MastraGuard {
  const watch = createWatch(options);
  const known = new WeakSet<object>();
  /** The agent that a run was begun for; others in it are sub-agents. */
  const mains = new WeakMap<Run, string | undefined>();
  let latest: WatchedCall | null = null;

  const begin: Begin = ({ threadId, agentId }, watched) => {
    const session = options.session ?? threadId;
    const run = session === undefined ? watch.start() : watch.run(session);
    if (!mains.has(run)) mains.set(run, agentId);
    latest = createWatchedCall(run, agentId === mains.get(run) ? undefined : agentId, watched);
    return latest;
  };

  function guard<Given extends MastraAgent>(given: Given): Given {
    const { agent = given } = given as { readonly agent?: object };
    if (!known.has(agent)) watchAgent(agent as Agent, begin);
    known.add(agent);
    return given;
  }

  return callableGuard(guard, watch, () => latest);
}
