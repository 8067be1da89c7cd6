import type { Content } from './shapes.ts';
import { toolsOf, type WatchedAgent } from './watched-agent.ts';

export function hasUnknown(agent: WatchedAgent, content: Content | undefined): boolean {
  for (const { functionCall } of content?.parts ?? [])
    if (functionCall?.name !== undefined && !toolsOf(agent).includes(functionCall.name)) return true;
  return false;
}

/** ADK never answers calls of tools that it does not have, and goes on. */
export function tellUnknown(agent: WatchedAgent, content: Content | undefined): void {
  const { run, name } = agent;
  agent.doubtful = null;
  for (const { functionCall } of content?.parts ?? []) {
    if (functionCall?.name === undefined || toolsOf(agent).includes(functionCall.name)) continue;
    const call = { id: functionCall.id, tool: functionCall.name, args: functionCall.args, agent: name };
    run.before(call);
    run.after(call, { output: `There is no tool ${call.tool}.`, status: 'unknown-tool' });
  }
}
