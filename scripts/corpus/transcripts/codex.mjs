// Codex: one item a line; what the model says and calls between two results is one response.

const FAILED = /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?Process exited with code [1-9]/;

/** @returns {{ model?: string, events: object[] }} */
export function codex(entries) {
  const events = [];
  let model;
  for (const { type, payload, timestamp } of entries) {
    const at = Date.parse(timestamp);
    if (type === 'turn_context') model ??= payload.model;
    else if (type === 'event_msg' && payload.type === 'user_message') {
      events.push({ type: 'user', at, text: payload.message });
    } else if (type === 'response_item') events.push(...converted(payload, at, events.at(-1)));
  }
  return { model, events };
}

function converted(item, at, last) {
  if (item.type === 'message' && item.role === 'assistant') {
    return [{ type: 'turn', at, text: item.content.map(({ text }) => text).join('\n') }];
  }
  const { call_id: id } = item;
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const call = { type: 'tool-call', at, id, tool: item.name, args: argsOf(item) };
    return last?.type === 'turn' || last?.type === 'tool-call' ? [call] : [{ type: 'turn', at }, call];
  }
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return [];
  const output = typeof item.output === 'string' ? item.output : JSON.stringify(item.output);
  return [{ type: 'tool-result', at, id, ok: !FAILED.test(output), output }];
}

function argsOf({ arguments: text, input }) {
  if (text === undefined) return { input };
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
