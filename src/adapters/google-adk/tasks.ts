import { digestJson, finish, startDigest } from '../../core/digest.ts';
import { digestText } from '../../core/digest-text.ts';
import type { InvocationContext, LlmRequest } from './shapes.ts';

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

/** Whether what an agent is run with is another task. The first one is what the person wants, who was heard already. */
export function isNews(tasks: Tasks, context: InvocationContext, request: LlmRequest): boolean {
  const task = taskIn(context, request);
  if (task === undefined || task === null) return false;
  const digest = digestOf(task);
  const { given, last } = tasks;
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

/** The input of a node of a workflow; or the instruction, where that is all that an agent is told. */
function taskIn(
  { agent, workflowInstructionScope: scope }: InvocationContext,
  { config }: LlmRequest,
): unknown {
  const input = scope?.input;
  if (input !== undefined && input !== null) return input;
  return agent?.includeContents === 'none' ? config?.systemInstruction : undefined;
}

function digestOf(task: unknown): number {
  const digest = startDigest(digestText);
  digestJson(digest, task);
  return finish(digest);
}
