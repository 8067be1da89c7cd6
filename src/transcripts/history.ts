import { type Fields, fieldsOf } from './fields.ts';
import type { Sample } from './format.ts';

/** The conversation as the requests of a log repeat it, each time from its beginning. */
export type History = {
  /** The messages that no request before held, of the same conversation. */
  fresh(messages: readonly unknown[]): readonly unknown[];
  /** The response was told; the next request repeats it. */
  answered(): void;
};

/** One conversation, as the last of its requests had it. */
type Told = { texts: readonly string[]; answered: boolean };

/** So many conversations may take turns in one log. */
const CONVERSATIONS = 8;

export function createHistory(): History {
  /** The one that was continued last stands last. */
  let conversations: Told[] = [];

  function remember(told: Told, instead: Told | undefined): void {
    conversations = conversations.filter((other) => other !== instead);
    conversations.push(told);
    if (conversations.length > CONVERSATIONS) conversations.shift();
  }

  return {
    fresh(messages) {
      // A response alone belongs to the request before it.
      if (messages.length === 0) return [];
      const texts = messages.map(sameness);
      const { told, same } = nearest(conversations, texts);
      const before = new Set(told?.texts.slice(same));
      const fresh: unknown[] = [];
      for (let index = same; index < texts.length; index++) {
        if (!before.has(texts[index] as string)) fresh.push(messages[index]);
      }
      const start = told?.answered === true ? fresh.findIndex((message) => !isFromModel(message)) : 0;
      // Where it parted from the other, that one may still go on.
      const continued = told?.texts.length === same ? told : undefined;
      for (let index = 0; index < same; index++) texts[index] = told?.texts[index] as string;
      remember({ texts, answered: false }, continued);
      return start < 0 ? [] : fresh.slice(start);
    },
    answered() {
      const told = conversations.at(-1);
      if (told === undefined) remember({ texts: [], answered: true }, undefined);
      else told.answered = true;
    },
  };
}

/** The conversation that has the longest beginning in common with a request, of several the latest. */
function nearest(
  conversations: readonly Told[],
  texts: readonly string[],
): { readonly told: Told | undefined; readonly same: number } {
  let told = conversations.at(-1);
  let longest = -1;
  for (const candidate of conversations) {
    let same = 0;
    while (same < texts.length && candidate.texts[same] === texts[same]) same += 1;
    if (same < longest) continue;
    longest = same;
    told = candidate;
  }
  return { told, same: Math.max(0, longest) };
}

/** Several requests in a row; one alone is a document that should be read as one. */
export function isLog({ records }: Sample): boolean {
  return records.length > 1 && records[0]?.key === '';
}

/** A line of a log that holds a whole request, its response, or both. */
export function exchangeOf(value: unknown): { readonly request: Fields; readonly response: Fields } {
  const line = fieldsOf(value);
  const response = fieldsOf(line['response'] ?? line);
  return {
    request: fieldsOf(line['request'] ?? line['body'] ?? line),
    response: fieldsOf(response['body'] ?? response),
  };
}

/** Without the marks for the provider's cache, which wander from message to message. */
function sameness(message: unknown): string {
  try {
    return JSON.stringify(message, (name, value) => (name === 'cache_control' ? undefined : value)) ?? '';
  } catch {
    return '';
  }
}

function isFromModel(message: unknown): boolean {
  const { role, type } = fieldsOf(message);
  if (role !== undefined) return role === 'assistant';
  return typeof type === 'string' && !type.endsWith('_output') && !type.endsWith('_result');
}
