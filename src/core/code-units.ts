import type { DigestText } from './digest-text.ts';

/** Below this many code units, reading the text one unit at a time is as quick. */
const FEW = 64;

let units: Uint16Array = /* @__PURE__ */ new Uint16Array(4096);
let held = '';

/** The code units of a text, in memory that the next text takes: several read one text, one after the other. */
export function codeUnitsOf(text: string, { load = loadUnits }: DigestText): Uint16Array {
  if (text === held) return units;
  if (text.length > units.length) units = new Uint16Array(2 * text.length);
  if (text.length < FEW) loadUnits(text, units, 0);
  else load(text, units, 0);
  held = text;
  return units;
}

export function loadUnits(text: string, into: Uint16Array, at: number): void {
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
}
