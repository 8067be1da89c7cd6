import { digestCall } from './evidence.ts';
import type { Plan } from './plan.ts';
import type { Json, OpenCall, ToolResultEvent } from './types.ts';
import { agentName, shortName } from './world.ts';

/** A host's id as it is kept; empty = none. */
export function shortId(plan: Plan, id: string | undefined): string {
  return id === undefined ? '' : shortName(plan, id);
}

/** The call that was presented under this id before. Another tool or other arguments: the host has used the id again. */
export function sameId(
  open: readonly OpenCall[],
  id: string,
  agent: string,
  tool: string,
  exact: number,
): OpenCall | undefined {
  if (id === '') return undefined;
  // Numbers before texts: most calls are others.
  for (const call of open) {
    if (call.exact === exact && call.id === id && call.agent === agent && call.tool === tool) return call;
  }
  return undefined;
}

/** The same call in the same round. */
export function twinOf(
  open: readonly OpenCall[],
  agent: string,
  round: number,
  exact: number,
): OpenCall | undefined {
  return open.find((call) => call.exact === exact && call.round === round && call.agent === agent);
}

/** Which open call a result belongs to: by the guard's own number, else by id, else the first with the same tool and arguments. */
export function pairOf(plan: Plan, open: readonly OpenCall[], event: ToolResultEvent): OpenCall | undefined {
  if (typeof event.call === 'number') return open.find((call) => call.call === event.call && !call.done);
  const agent = event.agent === undefined ? undefined : agentName(plan, event.agent);
  if (event.id !== undefined) {
    const id = shortId(plan, event.id);
    for (const call of open) if (isOpenOf(call, agent) && call.id === id) return call;
  }
  const tool = event.tool === undefined ? undefined : shortName(plan, event.tool);
  const candidates = open.filter(
    (call) =>
      isOpenOf(call, agent) &&
      (event.id === undefined || call.id === '') &&
      (tool === undefined || call.tool === tool),
  );
  const { args } = event;
  if (args === undefined || tool === undefined) return candidates[0];
  return candidates.find(
    (call) => call.exact === 0 || call.exact === exactOf(plan, event.tool as string, args, call.call),
  );
}

/** The digest of a call, by what the user declared to be its identity. */
function exactOf(plan: Plan, tool: string, args: Json, call: number): number {
  return digestCall(shortName(plan, tool), plan.rulesFor(tool)?.args?.(args, call) ?? args, plan.digestText);
}

/** A result that names no agent may belong to any. */
function isOpenOf(call: OpenCall, agent: string | undefined): boolean {
  return !call.done && (agent === undefined || call.agent === agent);
}
