import { appended } from './appended.ts';
import type { Plan } from './plan.ts';
import type { AgentState, GuardState, Json, OpenCall } from './types.ts';

/** An agent's state in the making. */
export type Draft = { -readonly [Field in keyof AgentState]: AgentState[Field] } & {
  readonly detectors: Json[];
};

/**
 * A guard's state in the making: one guard owns it and changes it in place, because a new state for every event costs
 * several times what the rest does. `thawed` and `frozen` are the ways in and out.
 */
export type World = {
  calls: number;
  disabled: boolean;
  /** Most recently active first. */
  readonly agents: Draft[];
  readonly open: OpenCall[];
  readonly undo: Draft[];
};

/** Agents remembered at once; the least recently active sub-agent is forgotten first, the main agent never. */
export const MAX_AGENTS = 32;
/** Calls of an agent whose results may still come; with more of them in parallel, the oldest are not paired. */
export const MAX_OPEN = 36;
/** The same for all agents together. */
export const MAX_ALL_OPEN = 144;
/** Ids of an agent's finished calls that are still known when they are presented again. */
export const MAX_FINISHED = 8;
/** Agents that can be rewound. */
export const MAX_UNDO = 2;
const MAX_NAME = 64;
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

export function newWorld(plan: Plan): World {
  return { calls: 0, disabled: false, agents: [newAgent(plan, '')], open: [], undo: [] };
}

/** A copy of one's own: nothing that changes is shared. */
export function thawed({
  calls,
  disabled,
  agents,
  open,
  undo,
}: Omit<GuardState, 'version' | 'detectors'>): World {
  return { calls, disabled, agents: agents.map(copyOf), open: [...open], undo: undo.map(copyOf) };
}

export function frozen(plan: Plan, world: World): GuardState {
  return { version: 1, detectors: plan.names, ...thawed(world) };
}

export function findAgent(world: World, name: string): Draft | undefined {
  for (const agent of world.agents) if (agent.agent === name) return agent;
  return undefined;
}

/** The agent, put first among those remembered. */
export function activate(plan: Plan, world: World, name: string): Draft {
  const { agents } = world;
  const agent = findAgent(world, name) ?? newAgent(plan, name);
  if (agents[0] !== agent) {
    removeWhere(agents, (other) => other === agent);
    agents.unshift(agent);
    if (agents.length > MAX_AGENTS)
      agents.splice(
        agents.findLastIndex((other) => other.agent !== ''),
        1,
      );
  }
  return agent;
}

/** Remembers an agent as it is before its round begins, for a rewind. */
export function remember({ undo }: World, agent: Draft): void {
  const first = undo[0];
  if (first?.agent === agent.agent) overwrite(first, agent);
  else {
    removeWhere(undo, (other) => other.agent === agent.agent);
    undo.unshift(copyOf(agent));
    undo.splice(MAX_UNDO);
  }
}

/** Back to where the agent's open round began; its calls of that round wait for no result any more. */
export function rewind({ undo, open }: World, agent: Draft): void {
  const before = undo.find((other) => other.agent === agent.agent);
  if (before === undefined || !agent.open) return;
  const { turns } = agent;
  overwrite(agent, before);
  agent.turns = turns;
  removeWhere(undo, (other) => other === before);
  removeWhere(open, (call) => call.agent === agent.agent && call.round > before.rounds);
}

export function addOpen({ open }: World, call: OpenCall): void {
  open.push(call);
  if (open.length <= MAX_OPEN) return;
  const { agent } = call;
  let own = 0;
  for (const other of open) if (other.agent === agent) own++;
  if (own > MAX_OPEN) drop(open, (other) => other.agent === agent);
  else if (open.length > MAX_ALL_OPEN) drop(open, () => true);
}

/** Without the oldest of these; one that is done goes first. */
function drop(open: OpenCall[], isOne: (call: OpenCall) => boolean): void {
  const done = open.findIndex((call) => call.done && isOne(call));
  open.splice(done < 0 ? open.findIndex(isOne) : done, 1);
}

export function addFinished(agent: Draft, id: string, exact: number): void {
  agent.finished = appended(agent.finished, [id, exact], MAX_FINISHED);
}

export function isFinished({ finished }: Draft, id: string, exact: number): boolean {
  for (const call of finished) if (call[1] === exact && call[0] === id) return true;
  return false;
}

export function removeWhere<Item>(items: Item[], unwanted: (item: Item) => boolean): void {
  for (let index = items.length - 1; index >= 0; index--)
    if (unwanted(items[index] as Item)) items.splice(index, 1);
}

function newAgent(plan: Plan, agent: string): Draft {
  return {
    agent,
    rounds: 0,
    turns: false,
    open: false,
    held: [],
    last: null,
    spoke: SILENT,
    strikes: [],
    finished: [],
    detectors: [...plan.initial],
  };
}

function copyOf(agent: AgentState): Draft {
  return { ...agent, detectors: [...agent.detectors] };
}

/** Without a new object, and written out: it happens at every call where the host shows no rounds. */
function overwrite(target: Draft, source: Draft): void {
  target.rounds = source.rounds;
  target.turns = source.turns;
  target.open = source.open;
  target.held = source.held;
  target.last = source.last;
  target.spoke = source.spoke;
  target.strikes = source.strikes;
  target.finished = source.finished;
  for (let index = 0; index < source.detectors.length; index++) {
    target.detectors[index] = source.detectors[index] as Json;
  }
}
