/** What a command's exit status says. */
export const EXIT = { ok: 0, found: 1, usage: 2, unreadable: 3, interrupted: 130 } as const;
/** One of these, or what a command that was run in our place has ended with. */
export type ExitStatus = number;

/** Wrong usage: one line for people, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
