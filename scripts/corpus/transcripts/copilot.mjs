// Copilot CLI: one event a line.

/** @returns {{ model?: string, events: object[] }} */
export function copilot(entries) {
  const events = [];
  let model;
  for (const { type, data, timestamp } of entries) {
    const at = Date.parse(timestamp);
    if (type === 'user.message') events.push({ type: 'user', at, text: data.content });
    else if (type === 'assistant.message') {
      model ??= data.model;
      events.push(data.content ? { type: 'turn', at, text: data.content } : { type: 'turn', at });
      for (const { toolCallId: id, name: tool, arguments: args } of data.toolRequests ?? []) {
        events.push({ type: 'tool-call', at, id, tool, args });
      }
    } else if (type === 'tool.execution_complete') {
      const output = data.result?.content ?? data.error?.message ?? '';
      events.push({ type: 'tool-result', at, id: data.toolCallId, ok: data.success, output });
    }
  }
  return { model, events };
}
