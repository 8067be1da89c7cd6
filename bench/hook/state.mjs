/** A state of about so many bytes of JSON, with the short lists of numbers and names that states are made of. */
export function stateOf(bytes) {
  const state = { calls: [] };
  for (let n = 0, length = 12; length < bytes; n++) {
    const call = [`call_${n}`, n * 7919, n % 2 === 0];
    state.calls.push(call);
    length += JSON.stringify(call).length + 1;
  }
  return state;
}
