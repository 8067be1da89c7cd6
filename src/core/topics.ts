import { FAILURES, NOT_RUN } from './endings.ts';

/** What a call or a result is about, as flags. A detector with nothing on its mind sleeps through what is about something else. */
export const TOPIC = {
  /** It failed, or was refused before it ran. */
  failure: 1,
  /** It was refused by a person or by a guard, or cancelled. */
  refusal: 2,
  /** It is, or would be, the same as before. */
  repeat: 4,
  /** The same words came before. */
  echo: 8,
  /** Nothing is seen of what came of it. */
  blind: 16,
  /** It changes the world. */
  change: 32,
  /** It looks, waits, moves on or thinks. */
  wait: 64,
  /** It shows something. */
  page: 128,
  /** The service failed. */
  outage: 256,
  /** No call at all: a turn, a person's message. */
  other: 512,
} as const;

/** Every event there is, for those who sleep through none. */
export const ANY = 1024;

/** Where nobody has looked, it may be about anything. */
export const ANYTHING = 0xffff;

/** The topics of results with one of these statuses. */
export function topicsOf(statuses: readonly string[]): number {
  const told: readonly string[] = [...FAILURES, ...NOT_RUN];
  return statuses.every((status) => told.includes(status))
    ? TOPIC.failure | TOPIC.refusal | TOPIC.other
    : ANYTHING;
}
