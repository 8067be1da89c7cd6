// Counts a Qwen Code transcript straight from its JSON, independently of the parser.

export function count(text, fileName) {
  const empty = { calls: 0, results: 0, failures: 0, input: 0, output: 0, cachedInput: 0, turns: 0 };
  const lines = [];
  for (const line of text.split('\n')) {
    try {
      lines.push(JSON.parse(line));
    } catch {}
  }
  // The note beside a sub-agent's file holds no events.
  if (fileName.endsWith('.json')) return { ...empty, first: null, last: null };
  return fileName.includes('stdout-stream') ? stream(lines, empty) : session(lines, empty);
}

function session(lines, total) {
  const times = [];
  for (const record of lines) {
    if (record?.message?.parts === undefined || record.forkedFrom) continue;
    const parts = record.message.parts;
    const at = Date.parse(record.timestamp);
    if (record.type === 'assistant') {
      const calls = parts.filter((part) => part.functionCall);
      total.calls += calls.length;
      if (calls.length > 0) times.push(at);
      // In a sub-agent's file only the first record of a response has usage.
      if (record.usageMetadata || !record.isSidechain) total.turns += 1;
      if (record.usageMetadata) {
        const usage = record.usageMetadata;
        const cached = usage.cachedContentTokenCount ?? 0;
        total.input += usage.promptTokenCount - cached;
        total.output += usage.totalTokenCount - usage.promptTokenCount;
        total.cachedInput += cached;
      }
    }
    if (record.type === 'tool_result') {
      for (const { functionResponse } of parts.filter((part) => part.functionResponse)) {
        total.results += 1;
        times.push(at);
        const { status } = record.toolCallResult ?? {};
        if (functionResponse.response.error !== undefined || (status && status !== 'success'))
          total.failures += 1;
      }
    }
  }
  return { ...total, first: times[0] ?? null, last: times.at(-1) ?? null };
}

function stream(lines, total) {
  let unfinished = null;
  for (const record of lines) {
    const agent = record.parent_tool_use_id ?? '';
    if (record.type === 'assistant') {
      const { content, usage } = record.message;
      if (unfinished !== agent) total.turns += 1;
      unfinished = usage.input_tokens + usage.output_tokens === 0 ? agent : null;
      const cached = usage.cache_read_input_tokens ?? 0;
      total.input += usage.input_tokens - cached;
      total.output += usage.output_tokens;
      total.cachedInput += cached;
      total.calls += content.filter(({ type }) => type === 'tool_use').length;
    }
    if (record.type === 'user') {
      unfinished = null;
      const results = record.message.content.filter(({ type }) => type === 'tool_result');
      total.results += results.length;
      total.failures += results.filter(({ is_error }) => is_error).length;
    }
  }
  return { ...total, first: null, last: null };
}
