import { type Fields, fieldsOf } from './fields.ts';
import type { Sample } from './format.ts';

/** The conversation as the requests of a log repeat it, each time from its beginning. */
export type History = {
  /** The messages that the request before did not hold. */
  fresh(messages: readonly unknown[]): readonly unknown[];
  /** The response was told; the next request repeats it. */
  answered(): void;
};

export function createHistory(): History {
  let told: readonly string[] = [];
  let answered = false;
  return {
    fresh(messages) {
      const texts = messages.map(sameness);
      let same = 0;
      while (same < told.length && same < texts.length && told[same] === texts[same]) same += 1;
      const before = new Set(told.slice(same));
      const fresh: unknown[] = [];
      for (let index = same; index < texts.length; index++) {
        if (!before.has(texts[index] as string)) fresh.push(messages[index]);
      }
      const start = answered ? fresh.findIndex((message) => !isFromModel(message)) : 0;
      told = texts;
      answered = false;
      return start < 0 ? [] : fresh.slice(start);
    },
    answered() {
      answered = true;
    },
  };
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
