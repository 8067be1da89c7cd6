/** Calls what the host has given: its own errors, now or later, must not reach it through us; by default nobody is left to tell. */
export function safely(tell: () => unknown, fail: (error: unknown) => void = () => {}): void {
  try {
    const result = tell() as { catch?: (fail: (error: unknown) => void) => void } | null | undefined;
    result?.catch?.(fail);
  } catch (error) {
    fail(error);
  }
}
