import type { Plan } from './plan.ts';
import type { AgentState, Finding } from './types.ts';

/** An agent's state while one event is worked in: a copy of its own, so that the state given stays as it was. */
export type Draft = { -readonly [Field in keyof AgentState]: AgentState[Field] };

/** Agents remembered at once; the least recently active sub-agent is forgotten first, the main agent never. */
export const MAX_AGENTS = 12;
/** Agents that can be rewound. */
const MAX_UNDO = 2;
const MAX_NAME = 64;

export const NOTHING: readonly Finding[] = [];
/** No rung has spoken yet. */
export const SILENT = -1;

/** A name in a form that is safe to keep: a long one is cut and told apart by a digest. */
export function shortName(plan: Plan, name: string): string {
  return name.length <= MAX_NAME
    ? name
    : `${name.slice(0, MAX_NAME - 12)}~${plan.digestText(name).toString(36)}`;
}

/** The name under which an agent's history is kept; the main agent's is empty. */
export function agentName(plan: Plan, agent: string | undefined): string {
  return plan.agents === 'together' || agent === undefined ? '' : shortName(plan, agent);
}

export function newAgent(plan: Plan, agent: string): AgentState {
  return {
    agent,
    rounds: 0,
    turns: false,
    open: false,
    held: NOTHING,
    last: null,
    spoke: SILENT,
    strikes: [],
    finished: [],
    detectors: plan.initial,
  };
}

export function agentOf(plan: Plan, agents: readonly AgentState[], name: string): AgentState {
  for (const agent of agents) if (agent.agent === name) return agent;
  return newAgent(plan, name);
}

/** Written out, because a spread in the path of every call costs more than all the rest. */
export function copyOf(agent: AgentState): Draft {
  return {
    agent: agent.agent,
    rounds: agent.rounds,
    turns: agent.turns,
    open: agent.open,
    held: agent.held,
    last: agent.last,
    spoke: agent.spoke,
    strikes: agent.strikes,
    finished: agent.finished,
    detectors: agent.detectors,
  };
}

/** The agents with this one put first. */
export function withAgent(agents: readonly AgentState[], agent: AgentState): readonly AgentState[] {
  if (agents.length === 1 && agents[0]?.agent === agent.agent) return [agent];
  const others = agents.filter((other) => other.agent !== agent.agent);
  if (others.length < MAX_AGENTS) return [agent, ...others];
  const oldest = others.findLastIndex((other) => other.agent !== '');
  return [agent, ...others.toSpliced(oldest, 1)];
}

/** Remembers an agent as it was before its round began, for a rewind. */
export function saved(undo: readonly AgentState[], agent: AgentState): readonly AgentState[] {
  if (undo.length === 1 && undo[0]?.agent === agent.agent) return [agent];
  return [agent, ...undo.filter((other) => other.agent !== agent.agent)].slice(0, MAX_UNDO);
}
