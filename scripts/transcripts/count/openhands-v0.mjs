/** Counts a trajectory of OpenHands before its SDK straight from the raw JSON. */
export function count(text) {
  const events = JSON.parse(text);
  const replies = events.filter(({ action, source }) => source === 'agent' && action && action !== 'system');
  const calls = replies.filter(({ action }) => action !== 'message');
  const numbers = new Set(calls.map(({ id }) => id));
  const results = events.filter(
    ({ observation, cause }) => observation && observation !== 'null' && numbers.has(cause),
  );
  const times = [...calls, ...results].map(({ timestamp }) => Date.parse(timestamp));
  const responses = new Map();
  for (const { id, tool_call_metadata } of replies) {
    const response = tool_call_metadata?.model_response;
    responses.set(response?.id ?? `own-${id}`, response?.usage);
  }
  return {
    calls: calls.length,
    results: results.length,
    failures: results.filter(
      ({ observation, extras }) =>
        ['error', 'user_rejected'].includes(observation) || (extras?.metadata?.exit_code ?? 0) > 0,
    ).length,
    ...tokens(replies.at(-1)?.llm_metrics?.accumulated_token_usage, [...responses.values()]),
    turns: responses.size,
    first: Math.min(...times),
    last: Math.max(...times),
  };
}

/** The last total, or where there is none, what each response says. */
function tokens(total, usages) {
  const sum = (pick) => usages.reduce((all, usage) => all + (usage ? pick(usage) : 0), 0);
  const input = total?.prompt_tokens ?? sum((usage) => usage.prompt_tokens);
  const cachedInput =
    total?.cache_read_tokens ?? sum((usage) => usage.prompt_tokens_details?.cached_tokens ?? 0);
  const output = total?.completion_tokens ?? sum((usage) => usage.completion_tokens);
  return { input: input - cachedInput, output, cachedInput };
}
