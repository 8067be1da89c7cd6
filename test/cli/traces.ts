/** A call and its result, as two events. */
export function done(
  id: string,
  tool: string,
  args: unknown,
  output: unknown,
  ok = true,
): readonly [object, object] {
  return [
    { type: 'tool-call', id, tool, args },
    { type: 'tool-result', id, output, ok },
  ];
}

/** The example of the contract: one call with these outputs. */
export function sameCall(outputs: string): readonly object[] {
  return [...outputs].flatMap((output, index) => done(`c${index}`, 'read', { path: 'a' }, output));
}

/** Different calls of one tool, all failing. */
export function failures(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) =>
    done(`f${index}`, 'fetch', { page: index }, 'no', false),
  ).flat();
}
