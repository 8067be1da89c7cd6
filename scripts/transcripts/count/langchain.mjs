// Counts messages of LangChain straight from their JSON, whichever way they were serialised.
import { figures, messagesOf, time } from '../messages-of.mjs';

const KIND = /^(human|ai|tool|system|function)(?:message)?(?:chunk)?$/i;

export function count(text) {
  const { messages, beside } = messagesOf(text, 'messages');
  const all = (beside.values?.messages ?? messages).map((message) => ({
    kind: KIND.exec(message.lc ? message.id.at(-1) : message.type)?.[1].toLowerCase(),
    ...(message.kwargs ?? message.data ?? message),
  }));
  const answers = all.filter(({ kind }) => kind === 'ai');
  return figures({
    calls: answers.flatMap(({ tool_calls = [], invalid_tool_calls = [], additional_kwargs, created_at }) => {
      const calls = [...tool_calls, ...invalid_tool_calls];
      return (calls.length > 0 ? calls : (additional_kwargs?.tool_calls ?? [])).map(() => ({
        at: time(created_at),
      }));
    }),
    results: all
      .filter(({ kind }) => kind === 'tool' || kind === 'function')
      .map(({ status, content, created_at }) => ({
        at: time(created_at),
        failed: status === 'error' || /^Error: \S+ is not a valid tool/.test(content),
      })),
    turns: answers.map(({ usage_metadata: usage }) =>
      usage
        ? {
            input: usage.input_tokens - (usage.input_token_details?.cache_read ?? 0),
            output: usage.output_tokens,
            cached: usage.input_token_details?.cache_read,
          }
        : {},
    ),
  });
}
