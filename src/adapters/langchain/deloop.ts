import { wrong } from '../../core/options.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { createConversations } from './conversations.ts';
import { type WrapModelCall, watchedModelCalls } from './model-calls.ts';
import type { ToolRequest } from './shapes.ts';
import { type ToolErrors, watchedCalls } from './tool-calls.ts';
import { watchedTools } from './watched-tools.ts';

export type LangChainOptions = WatchOptions & {
  /** Takes the next response when the guard says that a stronger model might help. */
  readonly strongerModel?: unknown;
  /** What becomes of errors of tools; default `message`. */
  readonly toolErrors?: ToolErrors | undefined;
};

export type WrapToolCall = <Request extends ToolRequest, Result>(
  request: Request,
  handler: (request: Request) => Result | Promise<Result>,
) => Promise<Result>;

/** A middleware of `createAgent`. */
export type LangChainMiddleware = {
  readonly name: string;
  readonly wrapModelCall: WrapModelCall;
  readonly wrapToolCall: WrapToolCall;
  /** The same tools under the guard, for the `ToolNode` of a graph of your own. */
  guarded<Tools extends readonly object[] | readonly [object]>(tools: Tools): Tools;
};

/** The guard of LangChain: the middleware of the main agent. */
export type LangChainGuard = LangChainMiddleware & {
  /** The middleware of a sub-agent: a history of its own in the thread. */
  agent(name: string): LangChainMiddleware;
  /** The run of a thread; without a name, the one that was worked on last. */
  run(thread?: string): Run;
  /** Why the run that was worked on last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop({
  strongerModel,
  toolErrors = 'message',
  ...options
}: LangChainOptions = {}): LangChainGuard {
  if (toolErrors !== 'message' && toolErrors !== 'throw')
    throw wrong('toolErrors', toolErrors, "'message' or 'throw'");
  const watch = createWatch(options, { ownOptions: ['strongerModel', 'toolErrors'] });
  const conversations = createConversations(watch, options.session);

  function middleware(name?: string): LangChainMiddleware {
    const watched = watchedCalls(conversations, name);
    return {
      name: 'deloop',
      wrapModelCall: watchedModelCalls(conversations, name, strongerModel),
      wrapToolCall: (request, handler) => watched(request, { execute: () => handler(request), toolErrors }),
      guarded: (tools) => watchedTools(tools, watched),
    };
  }

  return {
    ...middleware(),
    agent: middleware,
    run: (thread) => (thread === undefined ? (conversations.latest ?? watch.run()) : watch.run(thread)),
    get stopped() {
      return conversations.latest?.stopped ?? null;
    },
  };
}
