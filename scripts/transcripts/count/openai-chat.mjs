// Counts messages of OpenAI's chat straight from their JSON.
import { figures, messagesOf, time } from '../messages-of.mjs';

export function count(text) {
  const { messages, beside } = messagesOf(text, 'messages');
  const answers = messages.filter(({ role }) => role === 'assistant');
  return figures({
    calls: answers.flatMap(({ tool_calls, function_call, timestamp }) =>
      [...(tool_calls ?? []), ...(function_call ? [function_call] : [])].map(() => ({ at: time(timestamp) })),
    ),
    results: messages
      .filter(({ role }) => role === 'tool' || role === 'function')
      .map(({ timestamp }) => ({ at: time(timestamp) })),
    turns: answers.map(({ usage }) => spent(usage)),
    total: beside.usage && spent(beside.usage),
  });
}

function spent(usage) {
  if (!usage) return {};
  const cached = usage.prompt_tokens_details?.cached_tokens;
  return { input: usage.prompt_tokens - (cached ?? 0), output: usage.completion_tokens, cached };
}
