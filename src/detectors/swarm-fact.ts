import type { AgentEvent, Json, SwarmTallyEvent } from '../core/types.ts';

type About = NonNullable<SwarmTallyEvent['about']>;

/** What a detector needs of a tally, with every text cut to a bounded length. */
export type SwarmFact = {
  readonly key: string;
  readonly tool: string;
  readonly calls: number;
  readonly workers: number;
  readonly wasted: number;
  readonly wasters: number;
  readonly first: string;
  readonly names: readonly string[];
  /** What the others found out, as a part of a sentence. */
  readonly found: string;
  readonly refused: string;
  readonly depth: number;
  readonly atDepth: number;
};

const MAX_NAME = 64;
const MAX_SAID = 200;
const MAX_NAMES = 8;

/** Null = it is no tally, or one about something else. */
export function swarmFact(event: AgentEvent, about: About): SwarmFact | null {
  if (event.type !== 'swarm-tally' || (event.about ?? 'call') !== about) return null;
  const { key, calls, workers } = event;
  const names = Array.isArray(event.names) ? event.names.slice(0, MAX_NAMES).map((name) => cut(name)) : [];
  return {
    key: cut(key),
    tool: cut(event.tool),
    calls,
    workers,
    wasted: amount(event.wasted),
    wasters: amount(event.wasters),
    first: cut(event.first),
    names,
    found: found(about === 'failure' ? calls : amount(event.failures), cut(event.said, MAX_SAID)),
    refused: cut(event.refused),
    depth: amount(event.depth),
    atDepth: amount(event.atDepth),
  };
}

/** Who did what first, and who is affected: left out where the tally does not say. */
export function swarmFacts(
  { tool, first, names, found: what }: SwarmFact,
  workers: number,
): { [name: string]: Json } {
  const facts: { [name: string]: Json } = { tool, workers };
  if (first !== '') Object.assign(facts, { first, names, found: what });
  return facts;
}

function found(failures: number, said: string): string {
  const how =
    failures === 0 ? 'it brought nothing new' : failures === 1 ? 'it failed' : `it failed ${failures} times`;
  return said === '' ? how : `${how}: ${said}`;
}

/** Hosts may send anything. */
function cut(text: unknown, length: number = MAX_NAME): string {
  return typeof text === 'string' ? text.slice(0, length) : '';
}

export function amount(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;
}
