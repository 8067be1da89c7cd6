import { dollars, tokens, whole } from './figures.ts';

import type { Loop, Spent } from './scan-report.ts';
import { tokensOf } from './spent.ts';

/** In what waste is drawn. */
export type WasteMeasure = {
  readonly name: 'money' | 'tokens' | 'calls';
  /** null = not known. */
  of(spent: Spent): number | null;
  word(value: number | null): string;
  /** Without its unit, for an axis. */
  short(value: number): string;
};

const MEASURES: readonly WasteMeasure[] = [
  { name: 'money', of: ({ usd }) => usd, word: dollars, short: dollars },
  {
    name: 'tokens',
    of: tokensOf,
    word: (value) => (value === null ? tokens(value) : `${tokens(value)} tokens`),
    short: tokens,
  },
];
const CALLS: WasteMeasure = {
  name: 'calls',
  of: ({ calls }) => calls,
  short: whole,
  word: (value) => `${whole(value ?? 0)} ${value === 1 ? 'call' : 'calls'}`,
};

/** Money where it is known for half of the loops at least, else tokens by the same rule, else calls. */
export function wasteMeasure(loops: readonly Loop[]): WasteMeasure {
  const isKnown = ({ of }: WasteMeasure) =>
    2 * loops.filter(({ wasted }) => of(wasted) !== null).length >= loops.length;
  return loops.length === 0 ? CALLS : (MEASURES.find(isKnown) ?? CALLS);
}
