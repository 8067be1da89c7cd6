import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

/** Responses that more messages may come of. */
const MAX_COUNTED = 32;

/**
 * The tokens that a message tells of, without those that earlier messages of its response have told; null = none. A response
 * comes as several messages, each with all tokens that were known then, and those of sub-agents come in between.
 */
export function newTokens(message: unknown, counted: Map<unknown, Usage>): Usage | null {
  const told = usageIn(message);
  if (told === null) return null;
  const { id, usage } = told;
  if (id === undefined) return usage;
  const before = counted.get(id);
  const news = before === undefined ? usage : moreThan(before, usage);
  if (news === null) return null;
  counted.delete(id);
  counted.set(id, before === undefined ? usage : plus(before, news));
  if (counted.size > MAX_COUNTED) counted.delete(counted.keys().next().value);
  return news;
}

/** The tokens of a response as far as the message knows; null = it is none, or tells none. */
function usageIn(message: unknown): { readonly id: unknown; readonly usage: Usage } | null {
  const { type, message: response } = fieldsOf(message);
  if (type !== 'assistant') return null;
  const { id, usage } = fieldsOf(response);
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
    fieldsOf(usage);
  const counts = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens];
  if (!counts.some((count) => typeof count === 'number')) return null;
  const [input, written, read, output] = counts.map(countOf) as [number, number, number, number];
  return { id, usage: { input: input + written, output, cachedInput: read } };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function plus(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cachedInput: (one.cachedInput ?? 0) + (other.cachedInput ?? 0),
  };
}

/** What is more in `now`; null = nothing. */
export function moreThan(before: Usage, now: Usage): Usage | null {
  const input = Math.max(0, now.input - before.input);
  const output = Math.max(0, now.output - before.output);
  const cachedInput = Math.max(0, (now.cachedInput ?? 0) - (before.cachedInput ?? 0));
  return input + output + cachedInput === 0 ? null : { input, output, cachedInput };
}
