import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

/** Tokens as models of any version tell them: in all, or split into those read from the cache and others. */
export function usageOf(value: unknown): Usage | undefined {
  const { inputTokens, outputTokens, inputTokenDetails, cachedInputTokens } = fieldsOf(value);
  const inputs = fieldsOf(inputTokens);
  const input = countOf(inputTokens) ?? countOf(inputs['total']);
  const output = countOf(outputTokens) ?? countOf(fieldsOf(outputTokens)['total']);
  if (input === undefined && output === undefined) return undefined;
  const cached =
    countOf(inputs['cacheRead']) ??
    countOf(fieldsOf(inputTokenDetails)['cacheReadTokens']) ??
    countOf(cachedInputTokens) ??
    0;
  return { input: Math.max(0, (input ?? 0) - cached), output: output ?? 0, cachedInput: cached };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
