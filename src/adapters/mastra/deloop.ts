import { safely } from '../../core/safely.ts';
import { callableGuard } from '../callable-guard.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { type Cast, createCast, enter } from './cast.ts';
import type { Agent } from './shapes.ts';
import { watchAgent } from './watched-agent.ts';
import { type Begin, createWatchedCall, type WatchedCall } from './watched-call.ts';

/** An `Agent` of Mastra, or a durable one, which has another as its `agent`. Its id is not named here: an agent that is made in the call would lose its type. */
export type MastraAgent = { getLLM(options?: never): unknown };

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
  const casts = new WeakMap<Run, Cast>();
  const unheard = new Set<string>();
  let latest: WatchedCall | null = null;

  const begin: Begin = (beginning, watched) => {
    const session = options.session ?? beginning.threadId;
    if (session === undefined) {
      latest = createWatchedCall(watch.start(), null, undefined, watched, false);
      return latest;
    }
    const run = watch.run(session);
    const cast = casts.get(run) ?? createCast();
    casts.set(run, cast);
    latest = createWatchedCall(run, cast, enter(cast, beginning), watched, beginning.runId === undefined);
    return latest;
  };

  function tellUnheard({ id }: Agent): void {
    if (unheard.has(id)) return;
    unheard.add(id);
    const error = new Error(`deloop does not watch models of the AI SDK 4, and agent "${id}" has one.`);
    safely(() => options.onError?.(error, id));
  }

  function watchOnce(agent: Agent): void {
    if (known.has(agent)) return;
    known.add(agent);
    watchAgent(agent, begin, watchOnce, tellUnheard);
  }

  function guard<Given extends MastraAgent>(given: Given): Given {
    const { agent = given } = given as { readonly agent?: object };
    if (!isOfMastra1(agent))
      throw new Error(
        'deloop/mastra guards agents of Mastra 1.x, and this is none. On Node 20 npm installs Mastra 0.x by itself; `npm install @mastra/core@1` takes the other one.',
      );
    watchOnce(agent);
    return given;
  }

  return callableGuard(guard, watch, () => latest);
}

function isOfMastra1(agent: object): agent is Agent {
  const { getLLM, listInputProcessors } = agent as Partial<Agent>;
  return typeof getLLM === 'function' && typeof listInputProcessors === 'function';
}
