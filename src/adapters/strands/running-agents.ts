import type { WatchedAgent } from './watched-agent.ts';

/** Agents that were within an invocation when somebody last looked. Nobody tells when one has ended, so none is kept alive here. */
export type RunningAgents = Set<WeakRef<WatchedAgent>>;

export function addTo(agents: RunningAgents, agent: WatchedAgent): void {
  if (!runningIn(agents).includes(agent)) agents.add(new WeakRef(agent));
}

/** Those that still run; the others are left out from now on. */
export function runningIn(agents: RunningAgents): WatchedAgent[] {
  const running: WatchedAgent[] = [];
  for (const ref of agents) {
    const agent = ref.deref();
    if (agent !== undefined && isRunning(agent)) running.push(agent);
    else agents.delete(ref);
  }
  return running;
}

/** The SDK gives an agent another signal when an invocation has ended, in whatever way. */
function isRunning({ agent, signal }: WatchedAgent): boolean {
  return signal !== undefined && agent.cancelSignal === signal;
}
