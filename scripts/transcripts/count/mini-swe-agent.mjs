/** Counts a `.traj.json` of mini-swe-agent straight from the raw JSON, as it is since version 2. */
export function count(text) {
  const { messages } = JSON.parse(text);
  const replies = messages.filter(
    ({ role, object, extra }) =>
      role === 'assistant' || object === 'response' || extra?.interrupt_type === 'FormatError',
  );
  const actions = replies.flatMap(({ extra }) =>
    (extra.actions ?? extra.response?.choices?.[0].message.tool_calls ?? []).map(() => extra.timestamp),
  );
  const answers = messages.filter(
    ({ extra }) => typeof extra?.returncode === 'number' || extra?.exit_status === 'Submitted',
  );
  const refused = messages.filter(
    ({ extra }) => extra?.response?.choices?.[0].message.tool_calls?.length > 0 && !extra.actions,
  );
  const usages = replies.map(({ extra, usage }) => usage ?? extra.response?.usage ?? {});
  const sum = (...names) =>
    usages.reduce((total, usage) => total + (names.map((name) => usage[name]).find(Number.isFinite) ?? 0), 0);
  const cachedInput = usages.reduce(
    (total, { prompt_tokens_details: chat, input_tokens_details: other }) =>
      total + ((chat ?? other)?.cached_tokens ?? 0),
    0,
  );
  const times = [...actions, ...answers.map(({ extra }) => extra.timestamp)].filter((at) => at !== undefined);
  return {
    calls: actions.length,
    results: answers.length + refused.length,
    failures: answers.filter(({ extra }) => (extra.returncode ?? 0) !== 0).length + refused.length,
    input: sum('prompt_tokens', 'input_tokens') - cachedInput,
    output: sum('completion_tokens', 'output_tokens'),
    cachedInput,
    turns: replies.length,
    first: times.length === 0 ? null : Math.min(...times) * 1e3,
    last: times.length === 0 ? null : Math.max(...times) * 1e3,
  };
}
