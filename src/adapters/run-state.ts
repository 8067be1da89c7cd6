import { DeloopError, show } from '../core/errors.ts';
import type { GuardState } from '../core/types.ts';
import { type Bookmark, isBookmark } from './bookmark.ts';
import { type Desk, emptyDesk } from './desk.ts';

/** Everything that a run remembers, as JSON: the guard, and what was decided but not yet done. */
export type RunState = {
  readonly version: 1;
  readonly guard: GuardState;
  readonly desks: readonly Desk[];
  /** Where messages were read. */
  readonly bookmarks?: readonly Bookmark[];
};

/** The agents that a run remembers; `undefined` = the main agent. */
export function agentsIn({ guard, desks }: RunState): Set<string | undefined> {
  const named = [...guard.agents, ...desks].map(({ agent }) => agent).filter((agent) => agent !== '');
  return new Set([undefined, ...named]);
}

/** What was saved, looked over; the guard looks at its own part. Throws what it cannot read. */
export function parseRunState(saved: unknown): {
  readonly guard: unknown;
  readonly desks: Desk[];
  readonly bookmarks: readonly Bookmark[];
} {
  const { version, guard, desks, bookmarks = [] } = fieldsOf(saved);
  if (version !== 1 || !Array.isArray(desks)) throw unreadable(saved);
  if (!Array.isArray(bookmarks) || !bookmarks.every(isBookmark)) throw unreadable(saved);
  return { guard, desks: desks.map(parseDesk), bookmarks };
}

function parseDesk(saved: unknown): Desk {
  const { agent, nudges, told, question, stop, reports, usage } = fieldsOf(saved);
  if (typeof agent !== 'string' || !Array.isArray(nudges) || !Array.isArray(told)) throw unreadable(saved);
  const texts = nudges.every((nudge) => typeof fieldsOf(nudge)['text'] === 'string');
  if (!texts || !isReason(question) || !isReason(stop === null ? null : fieldsOf(stop)['reason']))
    throw unreadable(saved);
  return {
    ...emptyDesk(agent),
    nudges: nudges.map(({ about, text, strongerModel }) => ({
      about: String(about),
      text,
      strongerModel: strongerModel === true,
    })),
    told: told.filter((key) => typeof key === 'string'),
    question: parseQuestion(question),
    stop: stop as Desk['stop'],
    reports: reports === true,
    usage: (usage ?? null) as Desk['usage'],
  };
}

/** One that was saved before there were words for persons is asked in those for the model. */
function parseQuestion(saved: unknown): Desk['question'] {
  if (saved === null) return null;
  const question = saved as NonNullable<Desk['question']>;
  return { ...question, prompt: String(question.prompt ?? question.message) };
}

function isReason(value: unknown): boolean {
  if (value === null) return true;
  const { by, message } = fieldsOf(value);
  return by === 'deloop' && typeof message === 'string';
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null) throw unreadable(value);
  return value as { readonly [name: string]: unknown };
}

function unreadable(value: unknown): DeloopError {
  return new DeloopError('state', `${show(value)} is no saved state of a run`);
}
