/** The loop that is sent: the same command, with the same result, again and again. */
export const LOOP = {
  prompt: 'deloop drill: a loop that is known.',
  command: 'node check.js',
  output: 'check failed: 3 of 7 items are wrong\n',
  /** The call's number follows. */
  id: 'deloop-drill-call-',
} as const;
