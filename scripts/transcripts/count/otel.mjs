// Counts GenAI spans straight from OTLP JSON: a call is a span, or a part of a message that no span tells of.
import { figures, messagesOf } from '../messages-of.mjs';

export function count(text) {
  const { messages, beside } = messagesOf(text);
  const resources = beside.resourceSpans ?? messages.flatMap(({ resourceSpans = [] }) => resourceSpans);
  const spans = resources
    .flatMap(({ scopeSpans = [] }) => scopeSpans)
    .flatMap((scope) => scope.spans)
    .map((span) => ({
      of: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      failed: span.status?.code === 2 || span.attributes.some(({ key }) => key === 'error.type'),
      start: Number(span.startTimeUnixNano) / 1e6,
      end: Number(span.endTimeUnixNano) / 1e6,
    }));
  const tools = spans.filter(({ of }) => of['gen_ai.operation.name'] === 'execute_tool');
  const chats = spans.filter(({ of }) => of['gen_ai.operation.name'] === 'chat');
  const known = new Set(tools.map(({ of }) => of['gen_ai.tool.call.id']));
  const parts = (name, kind) =>
    chats.flatMap(({ of, start }) =>
      JSON.parse(of[name] ?? '[]')
        .flatMap((message) => message.parts)
        .filter(({ type }) => type === kind)
        .map(({ id }) => ({ id, at: start })),
    );
  const said = parts('gen_ai.output.messages', 'tool_call');
  const sayers = new Map(said.map((part) => [part.id, part]));
  const heard = new Map(parts('gen_ai.input.messages', 'tool_call_response').map((part) => [part.id, part]));
  return figures({
    calls: [
      ...said,
      ...tools.filter(({ of }) => !sayers.has(of['gen_ai.tool.call.id'])).map(({ start }) => ({ at: start })),
    ],
    results: [
      ...tools.map(({ end, failed }) => ({ at: end, failed })),
      ...[...heard.values()].filter(({ id }) => !known.has(id)),
    ],
    turns: chats.map(({ of }) => {
      const cached = Number(of['gen_ai.usage.cache_read.input_tokens'] ?? 0);
      return {
        input: Number(of['gen_ai.usage.input_tokens'] ?? 0) - cached,
        output: Number(of['gen_ai.usage.output_tokens'] ?? 0),
        cached,
      };
    }),
  });
}
