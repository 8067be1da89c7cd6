import { guardsHere } from './places.ts';
import type { Agent } from './shapes.ts';

/** Agents that were met. */
const followed = new WeakSet<Agent>();

/** An agent may outlive any number of guards: it is listened to once for all, and whose run it is in is looked up where it happens. */
export function follow(agent: Agent): void {
  if (followed.has(agent)) return;
  followed.add(agent);
  agent.on?.('agent_start', (context) => {
    for (const guard of guardsHere()) guard.started(agent, context);
  });
  agent.on?.('agent_tool_start', (context, tool, { toolCall }) => {
    for (const guard of guardsHere()) guard.calls(agent, context, tool, toolCall);
  });
  agent.on?.('agent_end', (context) => {
    for (const guard of guardsHere()) guard.ended(agent, context);
  });
}
