import type { Action, AgentEvent } from '../../src/index.ts';
import type { Session } from './session.ts';

export const say = (text: string): AgentEvent => ({ type: 'text-delta', channel: 'content', text });
export const think = (text: string): AgentEvent => ({ type: 'text-delta', channel: 'reasoning', text });

/** What was answered to each piece of text. */
export function hear(session: Session, pieces: readonly string[]): (Action | 'allow')[] {
  return pieces.map((text) => session.accept(say(text)).action);
}

/** Which piece of text was the first to get an answer, counted from 1; 0 = none did. */
export function firstAnswered(session: Session, pieces: readonly string[]): number {
  return hear(session, pieces).findIndex((action) => action !== 'allow') + 1;
}

/** Text that repeats nothing: the same for the same seed. */
export function filler(length: number, seed: number): string {
  let text = '';
  for (let state = seed + 1; text.length < length; ) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

/** Exactly fifty characters. */
export const CHUNK = 'the build is still red, so I will look at it again';
/** 143, 104 and 75 characters of text over lines, none of which begins a list. */
export const BLOCK_143: string = [
  'Now I am going to say nothing more.',
  'There is nothing left to be said.',
  'The work is over and done with.',
  'All of it was handed in today.',
  'Good bye.\n',
].join('\n');
export const BLOCK_104 =
  'Every log line that was asked for has been put in. Next I will go over the file once more to be sure.\n\n\n';
export const BLOCK_75 = 'First the file has to be looked at, to see what stands in its first lines.\n';
/** Fifteen items of 70 characters that begin alike. */
export const LISTING: string = Array.from(
  { length: 15 },
  (_, index) =>
    `- regions/europe-west/clusters/production/namespaces/shop/services/${String(index).padStart(2, '0')}\n`,
).join('');
