import { digestText } from '../core/digest-text.ts';

/** The same for words that differ by their numbers alone, as a program says them after every turn: `Step 3 of 20.` */
export function digestWording(text: string): number {
  return digestText(text.replace(/\d+/g, '#'));
}
