// Counts a session of Claude Code, or its `stream-json` output, straight from its lines.

/** What happened in the text of one file. */
export function count(text) {
  const records = once(text.split('\n').flatMap(parsed)).filter(({ forkedFrom }) => !forkedFrom);
  const responses = new Map();
  const times = [];
  const totals = { calls: 0, results: 0, failures: 0 };
  for (const record of records) {
    const blocks = Array.isArray(record.message?.content) ? record.message.content : [];
    if (record.type === 'assistant' && !isStopGap(record)) {
      const { id, usage } = record.message;
      responses.set(id, usage ?? responses.get(id));
    }
    for (const { type, is_error: isError } of blocks) {
      const isCall = record.type === 'assistant' && /^(?:server_|mcp_)?tool_use$/.test(type);
      const isResult = /tool_result$/.test(type ?? '');
      if (isCall) totals.calls += 1;
      if (isResult) totals.results += 1;
      if (isResult && (isError || record.toolDenialKind || record.toolUseResult?.interrupted))
        totals.failures += 1;
      if ((isCall || isResult) && record.timestamp) times.push(Date.parse(record.timestamp));
    }
  }
  const sum = (name) => [...responses.values()].reduce((all, usage) => all + (usage?.[name] ?? 0), 0);
  return {
    ...totals,
    input: sum('input_tokens') + sum('cache_creation_input_tokens'),
    output: sum('output_tokens'),
    cachedInput: sum('cache_read_input_tokens'),
    turns: responses.size,
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
  };
}

/** A record that stands there again says nothing new. */
function once(records) {
  const seen = new Set();
  return records.filter(({ uuid }) => uuid === undefined || (!seen.has(uuid) && seen.add(uuid)));
}

function isStopGap({ message, isApiErrorMessage }) {
  return isApiErrorMessage === true || message?.model === '<synthetic>';
}

function parsed(line) {
  try {
    const value = JSON.parse(line);
    return value !== null && typeof value === 'object' ? [value] : [];
  } catch {
    return [];
  }
}
