// Claude Code: one entry a line; a model response is spread over several entries with one message id.

/** @returns {{ model?: string, events: object[] }} */
export function claudeCode(entries) {
  const events = [];
  let model;
  let response;
  for (const { type, isMeta, isCompactSummary, message, timestamp } of entries) {
    if (!message || isMeta || isCompactSummary) continue;
    const at = Date.parse(timestamp);
    const blocks =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    for (const block of blocks ?? []) {
      if (block.type === 'text' && block.text.trim() === '') continue;
      if (block.type === 'tool_result') {
        events.push({
          type: 'tool-result',
          at,
          id: block.tool_use_id,
          ok: !block.is_error,
          output: plain(block.content),
        });
      } else if (type === 'user' && block.type === 'text')
        events.push({ type: 'user', at, text: block.text });
      else if (type === 'assistant' && (block.type === 'text' || block.type === 'tool_use')) {
        model ??= message.model === '<synthetic>' ? undefined : message.model;
        if (message.id !== response)
          events.push({ type: 'turn', at, ...textOf(block), ...usageOf(message.usage) });
        response = message.id;
        if (block.type === 'tool_use') {
          events.push({ type: 'tool-call', at, id: block.id, tool: block.name, args: block.input });
        }
      }
    }
  }
  return { model, events };
}

/** The transcripts of the sub-agents whose progress a transcript reports, by agent id. */
export function subAgents(entries) {
  const found = new Map();
  for (const { type, data, timestamp } of entries) {
    if (type !== 'progress' || data?.type !== 'agent_progress') continue;
    if (!found.has(data.agentId)) found.set(data.agentId, []);
    found.get(data.agentId).push({ ...data.message, timestamp });
  }
  return found;
}

function textOf(block) {
  return block.type === 'text' ? { text: block.text } : {};
}

function usageOf(usage) {
  if (!usage) return {};
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: cachedInput } = usage;
  return { usage: cachedInput ? { input, output, cachedInput } : { input, output } };
}

function plain(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ type, text }) => (type === 'text' ? text : `[${type}]`)).join('\n');
}
