import { piecesOf, textOf } from './text.mjs';

/** `POST /v1/messages`. */
export const anthropicMessages = {
  matches: (path) => path.endsWith('/messages'),
  other: (method, path) =>
    method === 'POST' && path.endsWith('/messages/count_tokens') ? { input_tokens: 1 } : undefined,

  read: ({ model, stream = false, tools = [], system, messages = [] }) => ({
    model,
    stream,
    tools: tools.map(({ name }) => name),
    messages: [...(system ? [{ role: 'system', text: textOf(system) }] : []), ...messages.map(message)],
  }),

  whole: (said) => ({
    ...opened(said),
    content: blocksOf(said),
    stop_reason: reason(said),
    usage: { ...asked(said.usage), output_tokens: said.usage.output },
  }),

  *pieces(said) {
    const event = (type, fields) => ({ event: type, data: { type, ...fields } });
    const usage = { ...asked(said.usage), output_tokens: 1 };
    yield event('message_start', { message: { ...opened(said), content: [], stop_reason: null, usage } });
    for (const [index, block] of blocksOf(said).entries()) {
      yield event('content_block_start', { index, content_block: started(block) });
      for (const delta of deltas(block)) yield event('content_block_delta', { index, delta });
      yield event('content_block_stop', { index });
    }
    const delta = { stop_reason: reason(said), stop_sequence: null };
    yield event('message_delta', { delta, usage: { output_tokens: said.usage.output } });
    yield event('message_stop', {});
  },
};

const opened = ({ model }) => ({
  id: `msg_${Date.now().toString(36)}`,
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
});

const reason = ({ calls }) => (calls.length > 0 ? 'tool_use' : 'end_turn');

// What came from the cache stands beside the input here.
const asked = ({ input, cachedInput }) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cachedInput,
});

function blocksOf({ text, reasoning, calls }) {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'c2VhbGVk' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, tool, args }) => ({ type: 'tool_use', id, name: tool, input: args })),
  ];
}

function started(block) {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  if (block.type === 'text') return { ...block, text: '' };
  return { ...block, input: {} };
}

function* deltas(block) {
  if (block.type === 'thinking') {
    for (const thinking of piecesOf(block.thinking)) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'text') {
    for (const text of piecesOf(block.text)) yield { type: 'text_delta', text };
  } else {
    for (const json of piecesOf(JSON.stringify(block.input))) {
      yield { type: 'input_json_delta', partial_json: json };
    }
  }
}

function message({ role, content }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const text = textOf(blocks.filter(({ type }) => type === 'text'));
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id, tool: name, args: input }));
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id: id, content: output }) => ({ id, output: textOf(output) }));
  if (role === 'assistant') return { role, text, calls };
  return results.length > 0 ? { role: 'tool', text, results } : { role: 'user', text };
}
