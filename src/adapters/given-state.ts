/** The state from the options. Every run begins with it until one of them works: then it is that one's, and the others go back to nothing. */
export type GivenState = {
  readonly saved: unknown;
  isTaken: boolean;
  /** How those that have not worked yet give it back. */
  readonly returns: Map<object, () => void>;
};

export function givenState(saved: unknown): GivenState {
  return { saved, isTaken: saved === undefined, returns: new Map() };
}

/** The run works on it, or has another state by now. */
export function takeState(given: GivenState, run: object, works: boolean): void {
  given.returns.delete(run);
  if (!works) return;
  given.isTaken = true;
  for (const giveBack of given.returns.values()) giveBack();
  given.returns.clear();
}
