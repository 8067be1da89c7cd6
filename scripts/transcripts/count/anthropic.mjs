// Counts messages of Anthropic's API straight from their JSON; parts of one response have one id.
import { figures, messagesOf, time } from '../messages-of.mjs';

export function count(text) {
  const { messages, beside } = messagesOf(text, 'messages');
  const blocks = messages.flatMap(({ content, timestamp }) =>
    (Array.isArray(content) ? content : []).map((block) => ({ ...block, at: time(timestamp) })),
  );
  const answers = new Map();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') answers.set(message.id ?? index, message.usage);
  }
  return figures({
    calls: blocks.filter(({ type }) => /tool_use$/.test(type)),
    results: blocks
      .filter(({ type }) => /tool_result$/.test(type))
      .map(({ at, is_error, content }) => ({
        at,
        failed: is_error === true || /_error$/.test(content?.type),
      })),
    turns: [...answers.values()].map(spent),
    total: beside.usage && spent(beside.usage),
  });
}

function spent(usage) {
  if (!usage) return {};
  return {
    input: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
    cached: usage.cache_read_input_tokens,
  };
}
