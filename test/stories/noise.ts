/** What changes on every run of a real program, the same in every run of a story. */

export function hex(seed: number, length: number): string {
  let text = '';
  for (let state = seed * 7919 + 17; text.length < length; ) {
    state = (state * 48_271 + 11) % 2_147_483_647;
    text += state.toString(16).padStart(8, '0');
  }
  return text.slice(0, length);
}

/** Ids like `01f3c6a2-…`. */
export function uuid(seed: number): string {
  const all = hex(seed, 32);
  return [
    all.slice(0, 8),
    all.slice(8, 12),
    `4${all.slice(13, 16)}`,
    `a${all.slice(17, 20)}`,
    all.slice(20),
  ].join('-');
}

/** A time of a morning, later with each index. */
export function timeOf(index: number, stepMs = 61_337): string {
  return new Date(Date.UTC(2026, 2, 9, 8, 30, 4, 211) + index * stepMs).toISOString();
}

export function seconds(index: number): string {
  return `${(1.2 + ((index * 37) % 90) / 100).toFixed(2)}s`;
}

export function pid(index: number): number {
  return 41_207 + index * 13;
}

const NOUNS = ['order', 'cart', 'stock', 'user', 'price', 'coupon', 'refund', 'parcel', 'invoice', 'address'];
const VERBS = ['load', 'check', 'apply', 'merge', 'round', 'split', 'store', 'notify', 'cancel', 'archive'];

/** A line of a program, different for each number. */
export function codeLine(line: number): string {
  const noun = NOUNS[line % NOUNS.length] as string;
  const verb = VERBS[Math.floor(line / NOUNS.length) % VERBS.length] as string;
  return `  const ${noun}${line} = ${verb}(${noun}, ${line * 3}); // ${hex(line, 6)}`;
}

/** Lines of a file, numbered as editors show them. */
export function page(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `${from + i}\t${codeLine(from + i)}`).join('\n');
}

/** A file of its own, without numbers. */
export function file(name: string, lines = 12): string {
  const body = Array.from({ length: lines }, (_, i) =>
    codeLine(name.length * 101 + i * 7 + name.charCodeAt(0)),
  );
  return [`// ${name}`, 'import { shop } from "./shop.ts";', ...body, ''].join('\n');
}

/** A sentence or two of its own for each number, without anything that changes on every run. */
export function prose(seed: number): string {
  const word = (list: readonly string[], step: number) =>
    list[Math.floor(seed / step) % list.length] as string;
  const [noun, verb, other] = [word(NOUNS, 1), word(VERBS, 10), word(NOUNS, 100)];
  return `Every ${noun} has to ${verb} its ${other} before the ${word(VERBS, 3)} step; see part ${seed} of the guide.`;
}
