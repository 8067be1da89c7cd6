// Counts the events of a session of Copilot CLI straight from its lines.

/** What happened in the text of one file. */
export function count(text) {
  const events = text.split('\n').flatMap(parsed);
  const of = (type) => events.filter((event) => event.type === type);
  const byPerson = new Set(of('tool.user_requested').map(({ data }) => data.toolCallId));
  const started = of('tool.execution_start').filter(({ data }) => !byPerson.has(data.toolCallId));
  const ended = of('tool.execution_complete').filter(({ data }) => !byPerson.has(data.toolCallId));
  const messages = of('assistant.message');
  const requested = messages.flatMap(({ data, timestamp }) =>
    (data.toolRequests ?? []).map(({ toolCallId }) => ({ toolCallId, timestamp })),
  );
  const ids = new Set([...requested, ...started.map(({ data }) => data)].map(({ toolCallId }) => toolCallId));
  const responses = new Set(messages.map(({ data }) => data.apiCallId ?? data.messageId));
  const records = of('session.usage_record').map(({ data }) => data.usage);
  const unheard = records.filter(({ apiCallId }) => !responses.has(apiCallId));
  const spent = records.length > 0 ? records : totals(of('session.shutdown'));
  const sum = (name) => spent.reduce((all, usage) => all + (usage[name] ?? 0), 0);
  const times = events
    .filter(({ type, data }) => data?.toolRequests?.length > 0 || type === 'tool.execution_complete')
    .map(({ timestamp }) => Date.parse(timestamp));
  return {
    calls: ids.size,
    results: ended.length,
    failures: ended.filter(({ data }) => isFailure(data)).length,
    input: sum('inputTokens') - sum('cacheReadTokens'),
    output: sum('outputTokens'),
    cachedInput: sum('cacheReadTokens'),
    turns: responses.size + unheard.length,
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
  };
}

/** Without a record a response, the session's total; what the messages say is their output alone. */
function totals(shutdowns) {
  return Object.values(shutdowns.at(-1)?.data.modelMetrics ?? {}).map(({ usage }) => usage);
}

function isFailure({ success, shellExecution, result }) {
  if (!success) return true;
  if (shellExecution) return shellExecution.exitCode !== 0;
  return /exit code (?!0>)-?\d+>\s*$/.test(result?.content ?? '');
}

function parsed(line) {
  try {
    const value = JSON.parse(line);
    return value !== null && typeof value === 'object' ? [value] : [];
  } catch {
    return [];
  }
}
