import { callableGuard } from '../callable-guard.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { keepHook } from './kept-hook.ts';
import type { AfterToolCall, Agent, BeforeToolCall, Event, FinishTurn, Stream } from './shapes.ts';
import {
  afterToolCall,
  beforeToolCall,
  finishTurn,
  hear,
  type WatchedAgent,
  watchAgent,
} from './watched-agent.ts';
import { watchedStream } from './watched-stream.ts';

/** Whose run this is. Without a session it is that of the agent's `sessionId`, or one of its own. */
export type Whose = {
  readonly session?: string | undefined;
  /** The sub-agent; absent for the main agent. */
  readonly agent?: string | undefined;
};

/** An `Agent` of pi, whatever version. */
export type PiAgent = {
  readonly state: { readonly tools: readonly { readonly name: string }[] };
  subscribe(listener: (event: { readonly type: string }) => Promise<void>): () => void;
};

/** The guard of pi: it is called with an agent, and gives it back guarded. */
export type PiGuard = {
  <Given extends PiAgent>(agent: Given, whose?: Whose): Given;
  /** The run of a session; without a name, that of the agent that was guarded last. */
  run(session?: string): Run;
  /** Why the agent that was guarded last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): PiGuard {
  const watch = createWatch(options);
  const known = new WeakSet<object>();
  /** Names of sub-agents that are at work. */
  const crews = new WeakMap<Run, Set<string>>();
  let latest: WatchedAgent | null = null;

  function crewOf(run: Run): Set<string> {
    const crew = crews.get(run) ?? new Set();
    crews.set(run, crew);
    return crew;
  }

  function guard<Given extends PiAgent>(given: Given, { session, agent }: Whose = {}): Given {
    if (known.has(given)) return given;
    known.add(given);
    const target = given as unknown as Agent;
    const nameNow = () => session ?? options.session ?? target.sessionId;
    let name = nameNow();
    const open = () => (name === undefined ? watch.start() : watch.run(name));
    const run = open();
    const watched = watchAgent(run, crewOf(run), agent, {
      session() {
        if (nameNow() === name) return null;
        name = nameNow();
        const next = open();
        return { run: next, crew: crewOf(next) };
      },
      hasTool: (tool) => target.state.tools.some((one) => one.name === tool),
      steer(text) {
        const message = { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() };
        target.steer(message);
        return message;
      },
      hasQueued: () => target.hasQueuedMessages(),
    });
    latest = watched;
    keepHook<BeforeToolCall>(target, 'beforeToolCall', (hook) => {
      const own = hook?.bind(target);
      return (...given) => beforeToolCall(watched, own, ...given);
    });
    keepHook<AfterToolCall>(target, 'afterToolCall', (hook) => {
      const own = hook?.bind(target);
      return (...given) => afterToolCall(watched, own, ...given);
    });
    if ('finishTurn' in target)
      keepHook<FinishTurn>(target, 'finishTurn', (own) => own && finishTurn(watched, own.bind(target)));
    const stream = 'streamFunction' in target ? 'streamFunction' : 'streamFn';
    keepHook<Stream>(target, stream, (own) => own && watchedStream(own, watched));
    target.subscribe((event: Event) => hear(watched, event));
    return given;
  }

  return callableGuard(guard, watch, () => latest);
}
