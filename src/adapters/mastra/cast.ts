/** The agents of one run. */
export type Cast = {
  /** The agent that the run is about; others that work while it does are sub-agents. */
  main: string | undefined;
  /** Its calls that have not ended. */
  mains: number;
  /** Sub-agents at work, and those that are suspended, by their names in the run; with Mastra's id of the call. */
  readonly subs: Map<string, string>;
};
type Entering = { readonly agentId?: string | undefined; readonly runId?: string | undefined };

/** Names that are remembered for suspended sub-agents that nobody resumes. */
const MAX_SUBS = 64;

export function createCast(): Cast {
  return { main: undefined, mains: 0, subs: new Map() };
}

/** The name of an agent in the run; absent for the main agent. Sub-agents of one kind that work at the same time are not the same. */
export function enter(cast: Cast, { agentId, runId }: Entering): string | undefined {
  const { subs } = cast;
  if (cast.mains === 0) cast.main = agentId;
  if (agentId === cast.main) {
    cast.mains++;
    return undefined;
  }
  if (agentId === undefined || runId === undefined) return agentId;
  for (const [name, suspended] of subs) if (suspended === runId) return name;
  let name = agentId;
  for (let n = 2; subs.has(name); n++) name = `${agentId}#${n}`;
  subs.set(name, runId);
  if (subs.size > MAX_SUBS) subs.delete(subs.keys().next().value as string);
  return name;
}

/** A suspended sub-agent keeps its name until it goes on. */
export function leave(cast: Cast, name: string | undefined, isSuspended: boolean): void {
  if (name === undefined) cast.mains--;
  else if (!isSuspended) cast.subs.delete(name);
}
