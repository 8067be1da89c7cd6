/** Calls what the host has given to hear of errors: its own, now or later, must not reach it through us. */
export function safely(tell: () => unknown): void {
  try {
    const result = tell() as { catch?: (fail: () => void) => void } | null | undefined;
    result?.catch?.(() => {});
  } catch {
    // There is nobody left to tell.
  }
}
