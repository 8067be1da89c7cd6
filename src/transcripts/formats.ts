import type { Format } from './format.ts';
import { deloop } from './formats/deloop.ts';

/** Every format, in the order in which they are asked: whoever looks for more in a record comes first. */
export const FORMATS: readonly Format[] = [deloop];
