/** Counts a `.messages.json` of Cline, or the lines of `cline --json`, straight from the raw JSON. */
export function count(text) {
  const lines = text.trim().split('\n');
  return lines[0].startsWith('{"ts"')
    ? streamed(lines.map((line) => JSON.parse(line)))
    : kept(JSON.parse(text));
}

function kept(document) {
  const messages = Array.isArray(document) ? document : document.messages;
  const blocks = messages.flatMap(({ content, ts, role }) =>
    (typeof content === 'string' ? [] : content).map((block) => ({ ...block, ts, role })),
  );
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const metrics = messages.map((message) => message.metrics ?? {});
  return {
    ...totals(calls, results),
    failures: results.filter(({ content, is_error }) => is_error || flagged(content)).length,
    ...tokens(metrics),
    turns: messages.filter(({ role }) => role === 'assistant').length,
  };
}

function streamed(lines) {
  const events = lines
    .filter(({ type }) => type === 'agent_event')
    .map(({ ts, event }) => ({ ...event, ts: Date.parse(ts) }));
  const tools = events.filter(({ contentType }) => contentType === 'tool');
  const calls = tools.filter(({ type }) => type === 'content_start');
  const results = tools.filter(({ type }) => type === 'content_end');
  return {
    ...totals(calls, results),
    failures: results.filter(({ output, error }) => error !== undefined || flagged(output)).length,
    ...tokens(events.filter(({ type }) => type === 'usage')),
    turns: events.filter(({ type }) => type === 'iteration_start').length,
  };
}

function totals(calls, results) {
  const times = [...calls, ...results].map(({ ts }) => ts).filter((at) => at !== undefined);
  return {
    calls: calls.length,
    results: results.length,
    first: times.length === 0 ? null : Math.min(...times),
    last: times.length === 0 ? null : Math.max(...times),
  };
}

function flagged(content) {
  return /"success": ?false/.test(typeof content === 'string' ? content : JSON.stringify(content));
}

function tokens(counts) {
  const sum = (name) => counts.reduce((total, each) => total + (each[name] ?? 0), 0);
  const cachedInput = sum('cacheReadTokens');
  return { input: sum('inputTokens') - cachedInput, output: sum('outputTokens'), cachedInput };
}
