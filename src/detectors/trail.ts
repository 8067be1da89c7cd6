/** How many call numbers a finding shows at most. */
export const MAX_EVIDENCE = 16;

/** The call numbers with one more at the end, the oldest dropped. */
export function extended(calls: readonly number[], call: number): readonly number[] {
  return calls.length < MAX_EVIDENCE ? [...calls, call] : [...calls.slice(1), call];
}

/** A call in a form that shows no payload: its tool and a digest of its arguments. */
export function callSubject(tool: string, digest: number): string {
  return `${tool}#${digest.toString(36)}`;
}
