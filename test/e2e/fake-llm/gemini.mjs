import { piecesOf, textOf } from './text.mjs';

const ASKED = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** `POST /v1beta/models/<model>:generateContent` and `:streamGenerateContent` (always as server-sent events). */
export const gemini = {
  matches: (path) => ASKED.test(path),
  other: (method, path) =>
    method === 'POST' && path.endsWith(':countTokens') ? { totalTokens: 1 } : undefined,

  read: ({ tools = [], systemInstruction, contents = [] }, path) => {
    const [, model, action] = ASKED.exec(path);
    return {
      model,
      stream: action === 'streamGenerateContent',
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      messages: [
        ...(systemInstruction ? [{ role: 'system', text: textOf(systemInstruction.parts) }] : []),
        ...contents.map(message),
      ],
    };
  },

  whole: (said) => piece(said, partsOf(said), true),

  *pieces(said) {
    const thought = [...piecesOf(said.reasoning ?? '', said.pieceSize)].map((text) => ({
      text,
      thought: true,
    }));
    const spoken = [...piecesOf(said.text ?? '', said.pieceSize)].map((text) => ({ text }));
    for (const part of [...thought, ...spoken]) yield { data: piece(said, [part], false) };
    yield { data: piece(said, callsOf(said), true) };
  },
};

function piece({ model, usage }, parts, last) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata: tokens(usage),
    modelVersion: model,
    responseId: `r${Date.now().toString(36)}`,
  };
}

// What came from the cache is part of the prompt here, thoughts stand beside the candidates.
const tokens = ({ input, cachedInput, output, reasoning }) => ({
  promptTokenCount: input + cachedInput,
  cachedContentTokenCount: cachedInput,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + cachedInput + output,
});

const callsOf = ({ calls }) =>
  calls.map(({ id, tool, args }) => ({ functionCall: { id, name: tool, args } }));

function partsOf(said) {
  return [
    ...(said.reasoning === undefined ? [] : [{ text: said.reasoning, thought: true }]),
    ...(said.text === undefined ? [] : [{ text: said.text }]),
    ...callsOf(said),
  ];
}

function message({ role, parts = [] }) {
  const text = textOf(parts.filter((part) => part.text !== undefined && !part.thought));
  const calls = parts
    .filter((part) => part.functionCall)
    .map(({ functionCall: { id, name, args } }) => ({ id, tool: name, args }));
  const results = parts
    .filter((part) => part.functionResponse)
    .map(({ functionResponse: { id, response } }) => ({ id, output: outputOf(response) }));
  if (role === 'model') return { role: 'assistant', text, calls };
  return results.length > 0 ? { role: 'tool', text, results } : { role: 'user', text };
}

function outputOf(response) {
  const said = response?.output ?? response?.error;
  return typeof said === 'string' ? said : JSON.stringify(response);
}
