import type { Requests } from './requests.ts';
import type { Pending } from './running.ts';

/** How messages of our own reach the two sides; each is one message, without a line feed. */
export type Way = {
  toClient(message: Buffer): void;
  toServer(message: Buffer): void;
  /** What is open here, where answers come back the way the requests went; absent = what is open in the session. */
  readonly requests?: Requests<Pending>;
  /** Hears of calls that wait for a person; null = none can wait here. */
  readonly holder?: Holder | null;
};

export type Holder = {
  /** A call of this way waits. */
  hold(): void;
  /** It does no more: it was let through, refused, or taken back. */
  release(): void;
};
