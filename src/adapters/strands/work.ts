import { digestText } from '../../core/digest-text.ts';
import type { Around, Crew } from './crew.ts';
import type { WatchedAgent } from './watched-agent.ts';

/**
 * What one call from outside has set going: an agent that a person has called, and all that work for it. The SDK gives agents that
 * are tools, and the nodes of a graph, the `invocationState` of whoever invokes them.
 */
export type Work = {
  readonly first: WatchedAgent;
  /** Those that were at it when somebody last looked. */
  readonly running: Set<WatchedAgent>;
  /** Whether agents work at it that no other agent has called: they are the nodes of a graph. */
  isGraph: boolean;
};

/** What an agent was told in a work. */
export type Heard = { readonly work: Work; readonly texts: Set<number> };

/** A graph may go round: so many times, other words are news to a node. */
const MAX_NEWS = 4;
/** Agents of a run of which it is known what they were told. */
const MAX_HEARD = 64;

/** The work that an invocation belongs to; `known` = that of its `invocationState`. */
export function workOf(agent: WatchedAgent, known: Work | undefined, around: Around | null): Work {
  const work = known === undefined ? around?.caller.work : goesOn(agent, known, around) ? null : known;
  if (!work) return { first: agent, running: new Set([agent]), isGraph: false };
  work.running.add(agent);
  if (work.first !== agent && around === null) work.isGraph = true;
  return work;
}

/** Whether a person goes on with an agent, maybe made anew, with an `invocationState` that was used before. */
function goesOn(agent: WatchedAgent, { first, isGraph }: Work, around: Around | null): boolean {
  if (isGraph || around !== null) return false;
  if (first !== agent) return first.run === agent.run && first.name === agent.name;
  // A graph lets its nodes forget what they did.
  return agent.asked !== undefined && agent.agent.messages.includes(agent.asked);
}

/**
 * Whether words from outside are a new task for the agent: the first ones in a work are, and others than before. The same words
 * again are not, nor is what comes round in a graph again and again.
 */
export function isNews({ crew, name = '', work, isCalled }: WatchedAgent, text: string): boolean {
  const before = crew.heard.get(name);
  const digest = digestText(text);
  if (work === null || before?.work !== work) {
    if (work !== null) remember(crew, name, { work, texts: new Set([digest]) });
    return true;
  }
  const { texts } = before;
  if (texts.has(digest)) return false;
  texts.add(digest);
  return isCalled || texts.size <= MAX_NEWS;
}

function remember({ heard }: Crew, name: string, told: Heard): void {
  heard.delete(name);
  heard.set(name, told);
  if (heard.size > MAX_HEARD) heard.delete(heard.keys().next().value as string);
}
