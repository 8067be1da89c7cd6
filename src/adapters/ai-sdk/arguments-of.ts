/** The arguments of a call as the SDK reads what the model has sent. */
export function argumentsOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
