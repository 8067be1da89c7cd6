/** The agents of one run. */
export type Cast = {
  /** The agent that the run is about; others that work while it does are sub-agents. */
  main: string | undefined;
  /** Its calls that have not ended. */
  mains: number;
  /** Whether it is a durable agent at work; the ends of its calls are not told. */
  isDurable: boolean;
  /** Sub-agents at work, and those that are suspended, by their names in the run; with Mastra's id of the call. */
  readonly subs: Map<string, string>;
  /** The names of those that are suspended. */
  readonly suspended: Set<string>;
};
type Entering = { readonly agentId?: string | undefined; readonly runId?: string | undefined };

/** Names that are remembered for suspended sub-agents that nobody resumes. */
const MAX_SUBS = 64;

export function createCast(): Cast {
  return { main: undefined, mains: 0, isDurable: false, subs: new Map(), suspended: new Set() };
}

/** The name of an agent in the run; absent for the main agent. Sub-agents of one kind that work at the same time are not the same. */
export function enter(cast: Cast, { agentId, runId }: Entering): string | undefined {
  const { subs, suspended } = cast;
  if (cast.mains === 0 && !cast.isDurable) cast.main = agentId;
  if (agentId === cast.main) {
    if (runId === undefined) cast.isDurable = true;
    else cast.mains++;
    return undefined;
  }
  if (agentId === undefined || runId === undefined) return agentId;
  for (const [name, id] of subs)
    if (id === runId) {
      suspended.delete(name);
      return name;
    }
  let name = agentId;
  for (let n = 2; subs.has(name); n++) name = `${agentId}#${n}`;
  subs.set(name, runId);
  if (subs.size > MAX_SUBS) forget(cast, subs.keys().next().value as string);
  return name;
}

/** A suspended sub-agent keeps its name until it goes on, or a person writes something else. */
export function leave(cast: Cast, name: string | undefined, isSuspended: boolean): void {
  if (name === undefined) cast.mains--;
  else if (!isSuspended) forget(cast, name);
  else if (cast.subs.has(name)) cast.suspended.add(name);
}

/** The names of sub-agents that are suspended are free again. */
export function dismissSuspended(cast: Cast): void {
  for (const name of cast.suspended) forget(cast, name);
}

function forget({ subs, suspended }: Cast, name: string): void {
  subs.delete(name);
  suspended.delete(name);
}
