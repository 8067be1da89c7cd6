// Counts model messages or steps of the AI SDK straight from their JSON.
import { figures, messagesOf, time } from '../messages-of.mjs';

export function count(text) {
  const { messages, beside } = messagesOf(text, 'messages');
  const steps = beside.steps ?? messages.filter(({ finishReason }) => finishReason);
  const told = messages.some(({ role }) => role === 'assistant');
  const sources = told ? messages : steps;
  const parts = sources.flatMap(({ content, toolCalls, toolResults, createdAt, response }) =>
    (Array.isArray(content) ? content : [...call(toolCalls), ...result(toolResults)]).map((part) => ({
      ...part,
      at: time(createdAt ?? response?.timestamp),
    })),
  );
  const spent = steps.map(({ usage }) => used(usage));
  const answers = messages.filter(({ role }) => role === 'assistant');
  return figures({
    calls: parts.filter(({ type }) => type === 'tool-call'),
    results: parts
      .filter(({ type }) => type === 'tool-result' || type === 'tool-error')
      .map((part) => ({ at: part.at, failed: failed(part) })),
    turns: told ? answers.map(() => ({})) : spent,
    total: spent.reduce(
      (all, { input, output, cached }) => ({
        input: all.input + input,
        output: all.output + output,
        cached: all.cached + (cached ?? 0),
      }),
      { input: 0, output: 0, cached: 0 },
    ),
  });
}

const call = (calls = []) => calls.map((part) => ({ ...part, type: 'tool-call' }));
const result = (results = []) => results.map((part) => ({ ...part, type: 'tool-result' }));

function used(usage) {
  const cached = usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens;
  return {
    input: (usage.inputTokens ?? usage.promptTokens) - (cached ?? 0),
    output: usage.outputTokens ?? usage.completionTokens,
    cached,
  };
}

function failed({ type, output, isError }) {
  return (
    type === 'tool-error' ||
    isError === true ||
    /^(?:error-|execution-denied)/.test(output?.type) ||
    output?.value?.isError === true
  );
}
