/**
 * What a parser must find in the transcript of one conversation, told by the other side: what the model said and what
 * it was sent back. A result that never reached the model is none, but for the
 * one of a call that ends a conversation. `kept` = how many answers the agent keeps;
 * `cutOff` = it stopped a call half-way and wrote that down as a failure.
 */
export function expectedOf(log, conversation, { kept = Number.POSITIVE_INFINITY, cutOff = false } = {}) {
  const served = log.filter((entry) => entry.conversation === conversation && entry.turn <= kept);
  const calls = served.flatMap(({ answer }) => answer.calls);
  const received = new Set(
    log.flatMap(({ messages = [] }) =>
      messages.flatMap(({ results = [] }) => results.map(({ id }) => plain(id))),
    ),
  );
  const results = calls.filter(({ id, ends }) => cutOff || ends || received.has(plain(id)));
  const sum = (kind) => served.reduce((total, { answer }) => total + answer.usage[kind], 0);
  return {
    calls: calls.length,
    results: results.length,
    failures: results.filter(({ id, fails, ends }) => fails || !(ends || received.has(plain(id)))).length,
    turns: served.length,
    input: sum('input'),
    output: sum('output'),
    cachedInput: sum('cachedInput'),
  };
}

// Some agents rewrite the ids of calls for the model.
const plain = (id) => id.replaceAll('_', '');
