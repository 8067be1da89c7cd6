import type { Status } from './types.ts';

/** Endings of calls that went wrong; a person's no and a cancelled sibling are none. */
export const FAILURES: readonly Status[] = ['error', 'invalid', 'unknown-tool'];

/** Endings of calls that never ran: they brought nothing and cost nothing. */
export const NOT_RUN: readonly Status[] = ['blocked', 'denied', 'cancelled'];
