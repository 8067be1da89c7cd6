/** What a command's exit status says. */
export const EXIT = { ok: 0, found: 1, usage: 2, unreadable: 3, interrupted: 130 } as const;
export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Wrong usage: one line for people, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
