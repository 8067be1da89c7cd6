import { jsonOf, piecesOf, textOf } from './text.mjs';

const CALLS = new Set(['function_call', 'custom_tool_call']);
const RESULTS = new Set(['function_call_output', 'custom_tool_call_output']);
let answers = 0;

/** `POST /v1/responses`, without WebSockets and without state on the server. */
export const openaiResponses = {
  matches: (path) => path.endsWith('/responses'),

  read: ({ model, stream = false, tools = [], instructions, input = [] }) => ({
    model,
    stream,
    tools: tools.flatMap(({ type, name, tools: inner }) =>
      type === 'namespace' ? (inner ?? []).map((tool) => `${name}.${tool.name}`) : [name ?? type],
    ),
    messages: [
      ...(instructions ? [{ role: 'system', text: instructions }] : []),
      ...(typeof input === 'string' ? [{ role: 'user', text: input }] : input.flatMap(message)),
    ],
  }),

  whole: (said) => response(said, 'completed', itemsOf(said)),

  *pieces(said) {
    let sequence = 0;
    const event = (type, fields) => {
      sequence += 1;
      return { event: type, data: { type, sequence_number: sequence, ...fields } };
    };
    const begun = response(said, 'in_progress', []);
    yield event('response.created', { response: begun });
    yield event('response.in_progress', { response: begun });
    const items = itemsOf(said);
    for (const [index, item] of items.entries()) {
      const place = { output_index: index, item_id: item.id };
      yield event('response.output_item.added', { output_index: index, item: started(item) });
      yield* deltas(item, place, event);
      yield event('response.output_item.done', { output_index: index, item });
    }
    yield event('response.completed', { response: { ...response(said, 'completed', items), id: begun.id } });
  },
};

function* deltas(item, place, event) {
  if (item.type === 'message') {
    const [part] = item.content;
    const where = { ...place, content_index: 0 };
    yield event('response.content_part.added', { ...where, part: { ...part, text: '' } });
    for (const delta of piecesOf(part.text)) yield event('response.output_text.delta', { ...where, delta });
    yield event('response.output_text.done', { ...where, text: part.text });
    yield event('response.content_part.done', { ...where, part });
  } else if (item.type === 'reasoning') {
    const [part] = item.summary;
    const where = { ...place, summary_index: 0 };
    yield event('response.reasoning_summary_part.added', { ...where, part: { ...part, text: '' } });
    yield event('response.reasoning_summary_text.delta', { ...where, delta: part.text });
    yield event('response.reasoning_summary_text.done', { ...where, text: part.text });
    yield event('response.reasoning_summary_part.done', { ...where, part });
  } else if (item.type === 'custom_tool_call') {
    for (const delta of piecesOf(item.input)) {
      yield event('response.custom_tool_call_input.delta', { ...place, delta });
    }
    yield event('response.custom_tool_call_input.done', { ...place, input: item.input });
  } else {
    for (const delta of piecesOf(item.arguments)) {
      yield event('response.function_call_arguments.delta', { ...place, delta });
    }
    yield event('response.function_call_arguments.done', { ...place, arguments: item.arguments });
  }
}

/** An item whose content is still to come. */
function started(item) {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'reasoning') return { ...item, summary: [] };
  if (item.type === 'custom_tool_call') return { ...item, input: '' };
  return { ...item, status: 'in_progress', arguments: '' };
}

function itemsOf({ text, reasoning, calls }) {
  const items = [];
  if (reasoning !== undefined) {
    const summary = [{ type: 'summary_text', text: reasoning }];
    items.push({ type: 'reasoning', id: identity('rs'), summary, encrypted_content: 'c2VhbGVk' });
  }
  if (text !== undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    items.push({ type: 'message', id: identity('msg'), status: 'completed', role: 'assistant', content });
  }
  for (const { id: callId, tool: name, namespace, args, input } of calls) {
    const called = { call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
    items.push(
      input === undefined
        ? {
            type: 'function_call',
            id: identity('fc'),
            status: 'completed',
            ...called,
            arguments: JSON.stringify(args),
          }
        : { type: 'custom_tool_call', id: identity('ctc'), status: 'completed', ...called, input },
    );
  }
  return items;
}

function identity(kind) {
  answers += 1;
  return `${kind}_${String(answers).padStart(6, '0')}`;
}

function response({ model, usage }, status, output) {
  return {
    id: identity('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status,
    model,
    output,
    usage: status === 'completed' ? tokens(usage) : null,
  };
}

// What came from the cache is part of the input here, reasoning is part of the output.
const tokens = ({ input, cachedInput, output, reasoning }) => ({
  input_tokens: input + cachedInput,
  input_tokens_details: { cached_tokens: cachedInput },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + cachedInput + output,
});

function message(item) {
  if (CALLS.has(item.type)) {
    const args = item.type === 'function_call' ? jsonOf(item.arguments) : item.input;
    return [{ role: 'assistant', text: '', calls: [{ id: item.call_id, tool: item.name, args }] }];
  }
  if (RESULTS.has(item.type)) {
    return [{ role: 'tool', text: '', results: [{ id: item.call_id, output: textOf(item.output) }] }];
  }
  if (item.type !== undefined && item.type !== 'message') return [];
  const role = item.role === 'user' || item.role === 'assistant' ? item.role : 'system';
  return [{ role, text: textOf(item.content) }];
}
