import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

/** The tokens of a response; null = the message is none, or tells none. */
export function usageIn(message: unknown): { readonly id: unknown; readonly usage: Usage } | null {
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
