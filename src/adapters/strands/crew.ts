import type { Run } from '../run.ts';
import { type RunningAgents, runningIn } from './running-agents.ts';
import type { Agent, CallEvent } from './shapes.ts';
import type { WatchedAgent } from './watched-agent.ts';
import type { Heard } from './work.ts';

/** The agents of one run. */
export type Crew = {
  readonly running: RunningAgents;
  /** What each was told, by its name. */
  readonly heard: Map<string, Heard>;
  /** What the main agent is called in the SDK; null = it has not come yet. */
  main: { readonly label: string; readonly name: string | undefined } | null;
};

/** The call of another agent within which an agent is invoked. */
export type Around = {
  readonly caller: WatchedAgent;
  readonly call: CallEvent;
  /** Whether the agent is the tool that is called, and not one that the tool happens to use. */
  readonly isTool: boolean;
};

/** What the SDK calls every agent that was given no `id`. */
const NO_ID = 'agent';

export function newCrew(main: string | undefined): Crew {
  const named = main === undefined ? null : { label: main, name: undefined };
  return { running: new Set(), heard: new Map(), main: named };
}

/**
 * The name that an agent has in its run; absent for the main agent. It comes from what the program says alone, so that it is the same
 * in the next process; only agents of one name that run at once are numbered.
 */
export function nameIn(crew: Crew, { id, name }: Agent, around: Around | null): string | undefined {
  const label = id !== NO_ID ? id : around?.isTool === true ? around.call.toolUse.name : (name ?? id);
  if (around === null) crew.main ??= { label, name };
  const { main } = crew;
  const isLabelled = label === main?.label;
  const isLikeMain = isLabelled && (main?.name === undefined || main.name === name);
  if (isLikeMain && around === null) return undefined;
  const base = isLabelled ? (name ?? label) : label;
  const running = runningIn(crew.running);
  for (let n = isLikeMain ? 2 : 1; ; n++) {
    const numbered = n === 1 ? base : `${base} ${n}`;
    if (!running.some((other) => other.name === numbered)) return numbered;
  }
}

/**
 * The call that an agent is invoked in: its own, where it is a tool, or else any that runs. `isOthers` = calls of another run are none
 * of its business.
 */
export function callAround(agent: Agent, run: Run, among: RunningAgents, isOthers: boolean): Around | null {
  let found: Around | null = null;
  for (const caller of runningIn(among)) {
    if (caller.agent !== agent)
      for (const call of caller.open.values()) {
        const isTool = call.tool !== undefined && 'agent' in call.tool && call.tool.agent === agent;
        if (isTool) return { caller, call, isTool };
        if (!isOthers || caller.run === run) found ??= { caller, call, isTool };
      }
  }
  return found;
}
