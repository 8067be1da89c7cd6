const HALF = 36 ** 5;

/** `toString(36)` of a digest in two halves: engines take ten times as long for whole numbers beyond 31 bits. */
export function base36(digest: number): string {
  const high = Math.floor(digest / HALF);
  const low = (digest % HALF).toString(36);
  return high === 0 ? low : high.toString(36) + low.padStart(5, '0');
}
