import type { InvocationContext, Scope } from './shapes.ts';
import { forgetTasks } from './tasks.ts';
import type { Shared, WatchedAgent } from './watched-agent.ts';

/** The agents of one run. */
export type Crew = {
  /** By their names in the run. */
  readonly agents: Map<string | undefined, WatchedAgent>;
  /** How many nodes of a name run at once. */
  readonly nodes: Map<string, number>;
  readonly shared: Shared;
};

export function newCrew(): Crew {
  const shared = { nudges: new Set<string>(), calls: 0, handedOver: new Map() };
  return { agents: new Map(), nodes: new Map(), shared };
}

/** The name that an agent has in its run; absent for the root agent. Runs of one node that go on at once are numbered. */
export function nameIn(
  { agents }: Crew,
  root: string | undefined,
  { agent, workflowInstructionScope: scope }: InvocationContext,
): string | undefined {
  const label = agent?.name === root ? undefined : agent?.name;
  if (label === undefined || scope === undefined) return label;
  for (const other of agents.values()) if (other.label === label && other.scope === scope) return other.name;
  for (let n = 1; ; n++) {
    const numbered = n === 1 ? label : `${label} ${n}`;
    if ((agents.get(numbered)?.scope ?? null) === null) return numbered;
  }
}

export function nodeBegins({ nodes }: Crew, name: string): void {
  nodes.set(name, (nodes.get(name) ?? 0) + 1);
}

/** Which of several it was that has ended, ADK does not say: so the names are free when the last one has. */
export function nodeEnds({ agents, nodes }: Crew, name: string): void {
  const left = (nodes.get(name) ?? 1) - 1;
  if (left > 0) {
    nodes.set(name, left);
    return;
  }
  nodes.delete(name);
  const ended = new Set<Scope | null>();
  for (const { label, scope } of agents.values()) if (label === name) ended.add(scope);
  for (const agent of agents.values()) if (ended.has(agent.scope)) agent.scope = null;
}

/** A person has spoken, or answered: nothing of before still runs. */
export function beginAnew({ agents, nodes, shared }: Crew): void {
  nodes.clear();
  shared.nudges.clear();
  shared.handedOver.clear();
  for (const agent of agents.values()) {
    agent.scope = null;
    forgetTasks(agent.tasks);
  }
}
