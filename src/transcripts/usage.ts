import type { Usage } from '../core/types.ts';
import { countOf, type Fields, fieldsOf, listOf, usageOf } from './fields.ts';

/** Each list: OpenAI Responses and Anthropic and LangChain, OpenAI chat, AI SDK from 5 on, AI SDK 4. */
const INPUT = ['input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens'];
const OUTPUT = ['output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens'];
const DETAILS = [
  'input_tokens_details',
  'prompt_tokens_details',
  'inputTokenDetails',
  'inputTokensDetails',
  'input_token_details',
];
const CACHED = ['cached_tokens', 'cacheReadTokens', 'cache_read', 'cachedTokens'];
/** Beside the details: AI SDK 5, DeepSeek, proxies of Anthropic that speak OpenAI. */
const CACHED_BESIDE = ['cachedInputTokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'];

/** Tokens of one response, in the words of any provider or framework; they are told apart by the names they use. */
export function usageIn(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  const input = countIn(usage, INPUT);
  const output = countIn(usage, OUTPUT);
  if (usage['prompt_tokens'] === undefined) {
    // Anthropic counts what its cache gave and took beside the input.
    const read = countIn(usage, ['cache_read_input_tokens']);
    const written = countIn(usage, ['cache_creation_input_tokens']);
    if (read !== undefined || written !== undefined)
      return usageOf(input === undefined ? undefined : input + (written ?? 0), output, read);
  }
  const cached = cachedIn(usage) ?? countIn(usage, CACHED_BESIDE);
  // More than the whole cannot be a part of it.
  if (input === undefined || cached === undefined || cached > input) return usageOf(input, output, cached);
  return usageOf(input - cached, output, cached);
}

/** The tokens of both; what is unknown adds nothing. */
export function usageSum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cachedInput: (one.cachedInput ?? 0) + (other.cachedInput ?? 0),
  };
}

function cachedIn(usage: Fields): number | undefined {
  for (const name of DETAILS) {
    const details = usage[name];
    const cached = countIn(fieldsOf(Array.isArray(details) ? listOf(details)[0] : details), CACHED);
    if (cached !== undefined) return cached;
  }
  return undefined;
}

function countIn(fields: Fields, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = countOf(fields[name]);
    if (count !== undefined) return count;
  }
  return undefined;
}
