import { type Digest, digestJson, finish, startDigest } from '../../core/digest.ts';
import { digestText } from '../../core/digest-text.ts';
import { digestNormalised } from '../../core/normalise.ts';
import type { Content, InvocationContext, LlmRequest } from './shapes.ts';

/** What an agent was given to do since a person has last spoken or answered. */
export type Tasks = {
  /** Digests, and how often each was given. */
  readonly given: Map<number, number>;
  /** The digest of the latest. */
  last: number | null;
  /** How many in a row ended with a stop. */
  stops: number;
};

/** So often the same task is news where others come in between: a workflow may go round with two of them. */
const MAX_NEWS = 4;
/** After so many tasks in a row that ended with a stop, the next one does not lift it. */
const MAX_STOPS = 4;
/** Tasks that are remembered. */
const MAX_GIVEN = 256;

export function noTasks(): Tasks {
  return { given: new Map(), last: null, stops: 0 };
}

export function forgetTasks(tasks: Tasks): void {
  tasks.given.clear();
  tasks.last = null;
  tasks.stops = 0;
}

/** Who is given tasks. */
type Agent = {
  readonly tasks: Tasks;
  /** Whether it has called tools when it was last run. */
  readonly hasCalled: boolean;
  /** `nudges` = what a guard has said to it and to others. */
  readonly shared: { readonly nudges: ReadonlySet<string> };
};

/** Whether what an agent is run with is another task. The first one is what the person wants, who was heard already. */
export function isNews(agent: Agent, context: InvocationContext, request: LlmRequest): boolean {
  const { tasks } = agent;
  const { given, last } = tasks;
  const digest = digestOf(agent, context, request);
  if (digest === null) return false;
  const times = (given.get(digest) ?? 0) + 1;
  given.delete(digest);
  given.set(digest, times);
  if (given.size > MAX_GIVEN) given.delete(given.keys().next().value as number);
  tasks.last = digest;
  return last !== null && last !== digest && times <= MAX_NEWS;
}

/** Whether another task is to be taken up as a new one; `isStopped` = the one before ended with a stop. */
export function isTakenUp(tasks: Tasks, isStopped: boolean): boolean {
  tasks.stops = isStopped ? tasks.stops + 1 : 0;
  return tasks.stops < MAX_STOPS;
}

/** Of the input of a node of a workflow; or else of what others have said, and of the instruction where that is most of what an agent is told. */
function digestOf(
  { tasks, hasCalled, shared }: Agent,
  { agent, workflowInstructionScope: scope }: InvocationContext,
  { config, contents }: LlmRequest,
): number | null {
  const digest = startDigest(digestText);
  const input = scope?.input ?? null;
  const readsAll = agent?.includeContents !== 'none';
  if (input !== null) digestJson(digest, input);
  // It still knows what its calls gave: words of others do not change that.
  else if (readsAll && hasCalled) return null;
  else {
    if (!readsAll) digestJson(digest, config?.systemInstruction);
    if (tasks.last !== null)
      for (const content of sinceOwn(contents))
        if (!tellsOne(content, shared.nudges)) digestWords(digest, content);
  }
  return finish(digest);
}

/** What was said since the agent's own last response. */
function sinceOwn(contents: readonly Content[]): readonly Content[] {
  return contents.slice(contents.findLastIndex(({ role }) => role === 'model') + 1);
}

/** Without thoughts, and results, which are the agent's own: ADK tells those of others in words. */
function digestWords(digest: Digest, { parts = [] }: Content): void {
  for (const part of parts) {
    const { text, thought, functionResponse } = part;
    if (thought === true || functionResponse !== undefined) continue;
    if (text === undefined) digestJson(digest, part);
    else digestNormalised(digest, text);
  }
}

/** Whether somebody is told one of these; ADK says first who that is. */
function tellsOne({ parts }: Content, nudges: ReadonlySet<string>): boolean {
  const text = parts?.at(-1)?.text ?? '';
  for (const nudge of nudges) if (text.endsWith(nudge)) return true;
  return false;
}
