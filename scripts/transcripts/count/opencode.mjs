/** Counts an opencode export, or the lines of `opencode run --format json`, straight from the raw JSON. */
export function count(text) {
  const parts =
    text.trimStart().startsWith('{\n') || isOne(text) ? exported(JSON.parse(text)) : streamed(text);
  const tools = parts.filter(({ type, state, own }) => type === 'tool' && own && state.status !== 'pending');
  const ended = tools.filter(({ state }) => ['completed', 'error'].includes(state.status));
  const finishes = parts.filter(({ type }) => type === 'step-finish');
  const times = tools
    .flatMap(({ state }) => [state.time?.start, state.time?.end])
    .filter((at) => at !== undefined);
  const total = (pick) => finishes.reduce((sum, { tokens }) => sum + pick(tokens), 0);
  return {
    calls: tools.length,
    results: ended.length,
    failures: ended.filter(failed).length,
    input: total(({ input, cache }) => input + cache.write),
    output: total(({ output, reasoning }) => output + reasoning),
    cachedInput: total(({ cache }) => cache.read),
    turns: parts.filter(({ type }) => type === 'step-start').length,
    first: times.length === 0 ? null : Math.min(...times),
    last: times.length === 0 ? null : Math.max(...times),
  };
}

function isOne(text) {
  return text.trim().split('\n').length === 1 && text.includes('"messages"');
}

/** A message without a step is a command of the person's own. */
function exported({ messages }) {
  return messages.flatMap(({ info, parts }) => {
    const own = info.role === 'assistant' && parts.some(({ type }) => type === 'step-start');
    return parts.map((part) => ({ ...part, own }));
  });
}

function streamed(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => ({ ...JSON.parse(line).part, own: true }));
}

function failed({ tool, state }) {
  return state.status === 'error' || tool === 'invalid' || ![0, undefined].includes(state.metadata?.exit);
}
