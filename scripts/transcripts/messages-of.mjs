/** The messages of a file: one a line, the elements of a list, or those of the members of a document. */
export function messagesOf(text, ...members) {
  let whole;
  try {
    whole = JSON.parse(text);
  } catch {
    return { messages: text.split('\n').flatMap(parsed), beside: {} };
  }
  if (Array.isArray(whole)) return { messages: whole, beside: {} };
  const messages = members.flatMap((name) => whole[name] ?? []);
  return messages.length === 0 ? { messages: [whole], beside: {} } : { messages, beside: whole };
}

function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** The figures of a session, from its calls and results, `{at, failed}`, in their order, and its responses, `{input, output, cached}`. */
export function figures({ calls, results, turns, total }) {
  const spent = total && turns.every(({ input }) => input === undefined) ? [total] : turns;
  const sum = (name) => spent.reduce((all, usage) => all + (usage[name] ?? 0), 0);
  const times = [...calls, ...results].flatMap(({ at }) => (at === undefined ? [] : [at]));
  return {
    calls: calls.length,
    results: results.length,
    failures: results.filter(({ failed }) => failed).length,
    input: sum('input'),
    output: sum('output'),
    cachedInput: sum('cached'),
    turns: turns.length,
    first: times.length === 0 ? null : Math.min(...times),
    last: times.length === 0 ? null : Math.max(...times),
  };
}

/** ISO 8601 or seconds, to milliseconds. */
export function time(value) {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? Date.parse(value) : value < 1e11 ? value * 1000 : value;
}
