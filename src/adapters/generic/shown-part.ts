import { digestText } from '../../core/digest-text.ts';
import { digestOutcome } from '../../core/evidence.ts';
import type { Json } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';

const MEDIA = /image|screenshot|file|document|audio|video/;
const LETTERS = 'qrstuvwxyz';

/** A part of a content as it is compared: an image or a file by a word of its own, because names and data in it would be taken for noise. */
export function shownPart(part: unknown): Json {
  const { type } = fieldsOf(part);
  if (typeof type !== 'string' || !MEDIA.test(type)) return part as Json;
  const digest = digestOutcome(part as Json, 'ok', digestText).toString(26);
  return `${type} ${digest.replace(/\d/g, (digit) => LETTERS.charAt(Number(digit)))}`;
}
