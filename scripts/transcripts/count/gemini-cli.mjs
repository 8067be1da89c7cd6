// Counts a Gemini CLI transcript straight from its JSON, independently of the parser: all of it in memory, the last
// word on every message and every call.

export function count(text, fileName) {
  const lines = jsonLines(text);
  if (lines === null) return session([JSON.parse(text)]);
  return fileName.includes('stdout-stream') ? stream(lines) : session(lines);
}

function jsonLines(text) {
  const values = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line));
    } catch {
      if (values.length === 0) return null;
    }
  }
  return values;
}

function session(lines) {
  const messages = new Map();
  const put = (message) => {
    if (typeof message?.id === 'string')
      messages.set(message.id, { ...messages.get(message.id), ...message });
  };
  for (const line of lines) {
    if (Array.isArray(line?.$set?.messages)) {
      for (const message of line.$set.messages) if (!messages.has(message.id)) put(message);
    } else if (Array.isArray(line?.messages)) line.messages.forEach(put);
    else if (line?.type !== undefined) put(line);
  }
  const calls = new Map();
  const times = [];
  const total = { calls: 0, results: 0, failures: 0, input: 0, output: 0, cachedInput: 0, turns: 0 };
  for (const message of messages.values()) {
    if (message.type !== 'gemini') continue;
    if (!message.model && !message.tokens && !message.toolCalls?.length) continue;
    total.turns += 1;
    const { input = 0, output = 0, cached = 0, thoughts = 0, tool = 0 } = message.tokens ?? {};
    total.input += input + tool - cached;
    total.output += output + thoughts;
    total.cachedInput += cached;
    for (const call of message.toolCalls ?? []) calls.set(call.id, { ...call, asked: message.timestamp });
  }
  for (const { name, status, result, timestamp, asked } of calls.values()) {
    total.calls += 1;
    times.push(Date.parse(asked));
    if (!['success', 'error', 'cancelled'].includes(status)) continue;
    total.results += 1;
    times.push(Date.parse(timestamp));
    const exit = name === 'run_shell_command' ? /\nExit Code: (\d+)\n/.exec(outputOf(result)) : null;
    if (status !== 'success' || Number(exit?.[1] ?? 0) !== 0) total.failures += 1;
  }
  return { ...total, ...span(times) };
}

function outputOf(result) {
  const { output } = result?.[0]?.functionResponse?.response ?? {};
  return `${output ?? ''}\n`;
}

function stream(lines) {
  const total = { calls: 0, results: 0, failures: 0, input: 0, output: 0, cachedInput: 0, turns: 0 };
  const times = [];
  let before = '';
  for (const line of lines) {
    const kind = line.type === 'message' ? line.role : line.type;
    if ((kind === 'tool_use' || kind === 'assistant') && before !== 'tool_use' && before !== 'assistant')
      total.turns += 1;
    before = kind;
    if (kind === 'tool_use') total.calls += 1;
    if (kind === 'tool_result') {
      total.results += 1;
      if (line.status !== 'success' || /^Command exited with code: [1-9]/.test(line.output ?? ''))
        total.failures += 1;
    }
    if (kind === 'tool_use' || kind === 'tool_result') times.push(Date.parse(line.timestamp));
    if (kind === 'result') {
      const { input_tokens = 0, total_tokens = 0, cached = 0 } = line.stats ?? {};
      total.input = input_tokens - cached;
      total.output = total_tokens - input_tokens;
      total.cachedInput = cached;
    }
  }
  return { ...total, ...span(times) };
}

function span(times) {
  return times.length === 0
    ? { first: null, last: null }
    : { first: Math.min(...times), last: Math.max(...times) };
}
