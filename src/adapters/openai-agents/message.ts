import type { Invocation } from './invocation.ts';
import { type Agent, type Item, type State, textOf } from './shapes.ts';

/** What an invocation was begun with: it is for everyone who gets the word in it. */
export type Message = {
  /** Undefined = nobody has shown it. */
  readonly text: string | undefined;
  /** A program has said it by itself; undefined = a person has. */
  readonly by?: 'host' | undefined;
  /** A conversation begins with it: nothing was said in it yet. */
  isNew: boolean;
  /** By their names. */
  readonly heardBy: Set<string>;
};

type Said = Pick<Message, 'text' | 'by'>;

/** Whether a message of the user is the program's own, and no person's. */
export type ByHost = (message: Item) => boolean | undefined;

/** A person has written, or an agent was given a task, unless a run goes on from where it was. */
export function hear(now: Invocation, agent: Agent, input: unknown, byHost?: ByHost): void {
  const said = messageIn(input, byHost);
  if (said !== null) give(now, agent, said, false);
}

/** As `hear`, where another process has begun the run: those who had the word there have heard it. */
export function recall(
  now: Invocation,
  { _currentAgent, _originalInput, _generatedItems = [] }: State,
  byHost?: ByHost,
): void {
  const said = messageIn(_originalInput, byHost);
  if (said === null || _currentAgent === undefined) return;
  const heardBy = new Set(
    _generatedItems.map(({ agent, sourceAgent }) => (agent ?? sourceAgent)?.name ?? ''),
  );
  now.message = { ...said, isNew: false, heardBy };
  now.pass(_currentAgent);
}

/** Whoever else gets the word is told then. */
export function give(now: Invocation, agent: Agent, said: Said, isNew: boolean): void {
  now.message = { ...said, isNew, heardBy: new Set() };
  now.pass(agent);
}

/** Null = there is none. What the system adds may stand behind it. */
function messageIn(input: unknown, byHost?: ByHost): Said | null {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (!Array.isArray(items)) return null;
  const last = (items as Item[]).findLast(({ role }) => role !== 'system');
  if (last?.role !== 'user') return null;
  return { text: textOf(last.content), by: byHost?.(last) === true ? 'host' : undefined };
}
