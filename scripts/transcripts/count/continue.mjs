/** Counts a session of Continue straight from the raw JSON; it writes no times. */
export function count(text) {
  const { history } = JSON.parse(text);
  const replies = history.filter(({ message }) => message.role === 'assistant');
  const states = history.flatMap(({ toolCallStates }) => toolCallStates ?? []);
  const results = states.filter(({ status }) => ['done', 'errored', 'canceled'].includes(status));
  const usages = replies.map(({ message }) => message.usage ?? {});
  const sum = (name) => usages.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  const cachedInput = usages.reduce(
    (total, usage) => total + (usage.prompt_tokens_details?.cached_tokens ?? 0),
    0,
  );
  return {
    calls: history.reduce((total, { message }) => total + (message.toolCalls?.length ?? 0), 0),
    results: results.length,
    failures: results.filter(({ status }) => status !== 'done').length,
    input: sum('prompt_tokens') - cachedInput,
    output: sum('completion_tokens'),
    cachedInput,
    turns: replies.length,
    first: null,
    last: null,
  };
}
