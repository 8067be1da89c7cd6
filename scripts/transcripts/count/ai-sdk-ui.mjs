// Counts UI messages of the AI SDK straight from their JSON.
import { figures, messagesOf, time } from '../messages-of.mjs';

export function count(text) {
  const { messages } = messagesOf(text, 'messages');
  const answers = messages.filter(({ role }) => role === 'assistant');
  const calls = answers.flatMap(({ parts, metadata, createdAt }) =>
    parts
      .filter(({ type, state }) => /^tool-|^dynamic-tool$/.test(type) && state !== 'input-streaming')
      .map((part) => ({
        state: part.toolInvocation?.state ?? part.state,
        at: time(createdAt ?? metadata?.createdAt),
      })),
  );
  return figures({
    calls: calls.filter(({ state }) => state !== 'partial-call'),
    results: calls
      .filter(({ state }) => /^output-|^result$/.test(state))
      .map(({ state, at }) => ({ at, failed: state === 'output-error' || state === 'output-denied' })),
    turns: answers.flatMap(({ parts, metadata }) => {
      const steps = Math.max(1, parts.filter(({ type }) => type === 'step-start').length);
      return Array.from({ length: steps }, (_, index) => (index === steps - 1 ? spent(metadata?.usage) : {}));
    }),
  });
}

function spent(usage) {
  if (!usage) return {};
  const cached = usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens;
  return { input: usage.inputTokens - (cached ?? 0), output: usage.outputTokens, cached };
}
