import { jsonOf, piecesOf, textOf } from './text.mjs';

const MODELS = { object: 'list', data: [{ id: 'fake', object: 'model', created: 0, owned_by: 'fake' }] };

/** `POST /v1/chat/completions`. */
export const openaiChat = {
  matches: (path) => path.endsWith('/chat/completions'),
  other: (method, path) => (method === 'GET' && path.endsWith('/models') ? MODELS : undefined),

  read: ({ model, stream = false, tools = [], messages = [] }) => ({
    model,
    stream,
    tools: tools.map((tool) => tool.function?.name ?? tool.type),
    messages: messages.map(message),
  }),

  whole: (said) => ({
    ...head(said, 'chat.completion'),
    choices: [{ index: 0, message: answer(said), finish_reason: reason(said) }],
    usage: usage(said.usage),
  }),

  *pieces(said) {
    const chunk = (delta, finish = null) => ({
      data: {
        ...head(said, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
      },
    });
    yield chunk({ role: 'assistant', content: '' });
    for (const piece of piecesOf(said.reasoning ?? '', said.pieceSize))
      yield chunk({ reasoning_content: piece });
    for (const piece of piecesOf(said.text ?? '', said.pieceSize)) yield chunk({ content: piece });
    for (const [index, call] of said.calls.entries()) {
      const { function: called, ...rest } = callOf(call);
      yield chunk({ tool_calls: [{ index, ...rest, function: { name: called.name, arguments: '' } }] });
      for (const piece of piecesOf(called.arguments, said.pieceSize)) {
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    yield chunk({}, reason(said));
    yield { data: { ...head(said, 'chat.completion.chunk'), choices: [], usage: usage(said.usage) } };
    yield { data: '[DONE]' };
  },
};

function message({ role, content, tool_calls: calls, tool_call_id: id }) {
  const text = textOf(content);
  if (role === 'tool') return { role, text: '', results: [{ id, output: text }] };
  if (role === 'assistant') {
    const made = (calls ?? []).map((call) => ({
      id: call.id,
      tool: call.function.name,
      args: jsonOf(call.function.arguments),
    }));
    return { role, text, calls: made };
  }
  return { role: role === 'user' ? 'user' : 'system', text };
}

const head = ({ model }, object) => ({
  id: `chatcmpl-${Date.now().toString(36)}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

const reason = ({ calls }) => (calls.length > 0 ? 'tool_calls' : 'stop');

const callOf = ({ id, tool, args }) => ({
  id,
  type: 'function',
  function: { name: tool, arguments: JSON.stringify(args) },
});

function answer({ text, reasoning, calls }) {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  };
}

// What came from the cache is part of the prompt here, reasoning is part of the completion.
const usage = ({ input, cachedInput, output, reasoning }) => ({
  prompt_tokens: input + cachedInput,
  completion_tokens: output,
  total_tokens: input + cachedInput + output,
  prompt_tokens_details: { cached_tokens: cachedInput },
  completion_tokens_details: { reasoning_tokens: reasoning },
});
