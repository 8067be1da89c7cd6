import type { Agent } from './shapes.ts';
import type { WatchedAgent } from './watched-agent.ts';

/**
 * Somebody who invokes an agent calls its `stream`; an agent that a hook sends on (`resume` of `AfterInvocationEvent`) goes on within
 * it. The SDK has no other sign of that.
 */
export function listenToCalls(agent: Agent, mine: WatchedAgent): void {
  const { stream } = agent;
  if (stream === undefined) return;
  const value = function watchedStream(this: unknown, ...args: never[]): unknown {
    mine.isSent = true;
    return stream.apply(this, args);
  };
  mine.tellsCalls = Reflect.defineProperty(agent, 'stream', { value, configurable: true, writable: true });
}
