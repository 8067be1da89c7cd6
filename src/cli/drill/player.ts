import type { Meaning } from './answer-meaning.ts';

/** What was answered at one place. */
export type Answered = Meaning & {
  /** As the host names the place. */
  readonly event: string;
  /** Why nothing came back; empty = something did, or nothing was to be said. */
  readonly fault: string;
};

/** Plays the part of a host, whose agent makes the same call over and over. */
export type Player = {
  prompt(): Promise<readonly Answered[]>;
  before(call: number): Promise<readonly Answered[]>;
  after(call: number): Promise<readonly Answered[]>;
  next(call: number): Promise<readonly Answered[]>;
};
