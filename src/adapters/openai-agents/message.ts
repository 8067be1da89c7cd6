import type { Invocation } from './invocation.ts';
import { type Agent, type Item, type State, textOf } from './shapes.ts';

/** What an invocation was begun with: it is for everyone who gets the word in it. */
export type Message = {
  /** Undefined = nobody has shown it. */
  readonly text: string | undefined;
  /** A conversation begins with it: nothing was said in it yet. */
  isNew: boolean;
  /** By their names. */
  readonly heardBy: Set<string>;
};

/** A person has written, or an agent was given a task, unless a run goes on from where it was. */
export function hear(now: Invocation, agent: Agent, input: unknown): void {
  const text = messageIn(input);
  if (text !== null) give(now, agent, text, false);
}

/** As `hear`, where another process has begun the run: those who had the word there have heard it. */
export function recall(
  now: Invocation,
  { _currentAgent, _originalInput, _generatedItems = [] }: State,
): void {
  const text = messageIn(_originalInput);
  if (text === null || _currentAgent === undefined) return;
  const heardBy = new Set(
    _generatedItems.map(({ agent, sourceAgent }) => (agent ?? sourceAgent)?.name ?? ''),
  );
  now.message = { text, isNew: false, heardBy };
  now.pass(_currentAgent);
}

/** Whoever else gets the word is told then. */
export function give(now: Invocation, agent: Agent, text: string | undefined, isNew: boolean): void {
  now.message = { text, isNew, heardBy: new Set() };
  now.pass(agent);
}

/** Null = there is none. What the system adds may stand behind it. */
function messageIn(input: unknown): string | null {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) return null;
  const { role, content } = (input as Item[]).findLast((item) => item.role !== 'system') ?? {};
  return role === 'user' ? textOf(content) : null;
}
