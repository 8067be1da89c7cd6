// Counts a pi transcript straight from its JSON, independently of the parser; OpenClaw keeps the same entries.

export function count(text, fileName) {
  const total = { calls: 0, results: 0, failures: 0, input: 0, output: 0, cachedInput: 0, turns: 0 };
  const times = [];
  let forkedAt = 0;
  const whole = fileName.includes('stdout-stream') ? 'message_end' : 'message';
  for (const line of text.split('\n')) {
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    const { message } = entry;
    if (entry.type === 'session' && entry.parentSession) forkedAt = Date.parse(entry.timestamp);
    if (entry.type !== 'session' && Date.parse(entry.timestamp) < forkedAt) continue;
    if (entry.type !== whole || !message) continue;
    const at = entry.timestamp === undefined ? message.timestamp : Date.parse(entry.timestamp);
    if (message.role === 'assistant') {
      total.turns += 1;
      total.input += (message.usage?.input ?? 0) + (message.usage?.cacheWrite ?? 0);
      total.output += message.usage?.output ?? 0;
      total.cachedInput += message.usage?.cacheRead ?? 0;
      if (['error', 'aborted'].includes(message.stopReason)) continue;
      const calls = message.content.filter(({ type }) => type === 'toolCall').length;
      total.calls += calls;
      if (calls > 0) times.push(at);
    } else if (message.role === 'toolResult') {
      total.results += 1;
      times.push(at);
      if (message.isError || (message.details?.exitCode ?? 0) !== 0) total.failures += 1;
    }
  }
  return { ...total, first: times[0] ?? null, last: times.at(-1) ?? null };
}
