/** Counts the events of an OpenHands conversation, given as one list: the state first, then the files of the folder. */
export function count(text) {
  const [state, ...events] = JSON.parse(text);
  const of = (kind) => events.filter((event) => event.kind === kind);
  const calls = of('ActionEvent');
  const observed = of('ObservationEvent');
  const refused = [...of('AgentErrorEvent'), ...of('UserRejectObservation')];
  const replies = [
    ...calls,
    ...of('Condensation'),
    ...of('MessageEvent').filter(({ source }) => source === 'agent'),
  ];
  const ids = new Set(replies.map(({ llm_response_id }) => llm_response_id));
  const usages = Object.values(state.stats.usage_to_metrics)
    .flatMap(({ token_usages }) => token_usages)
    .filter(({ response_id }) => ids.has(response_id));
  const sum = (name) => usages.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  const times = [...calls, ...observed, ...refused].map(({ timestamp }) => Date.parse(timestamp));
  const broke = observed.filter(
    ({ observation }) => observation.is_error || (observation.exit_code ?? 0) > 0,
  );
  return {
    calls: calls.length,
    results: observed.length + refused.length,
    failures: broke.length + refused.length,
    input: usages.reduce((total, usage) => total + fresh(usage), 0),
    output: sum('completion_tokens'),
    cachedInput: sum('cache_read_tokens'),
    turns: ids.size,
    first: Math.min(...times),
    last: Math.max(...times),
  };
}

/** What was cached is a part of the input, or stands beside it, which shows where it is more. */
function fresh({ prompt_tokens, cache_read_tokens = 0 }) {
  return cache_read_tokens > prompt_tokens ? prompt_tokens : prompt_tokens - cache_read_tokens;
}
