const NUMBERS = 2 ** 32;

/** A digest in 32 bits: enough among the few that are remembered at once, and shorter in a saved state. */
export function shortDigest(digest: number): number {
  return digest % NUMBERS;
}
