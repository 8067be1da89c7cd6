import { dollars, portion, tokens, whole } from './figures.ts';
import { sessionKey } from './loop-words.ts';
import type { Loop, ScanReport, Spent } from './scan-report.ts';
import { tokensOf } from './spent.ts';
import { counted } from './text.ts';

/** One sum of a report in words. */
type Total = {
  readonly name: 'calls' | 'tokens' | 'money';
  readonly wasted: string;
  /** Of how many: `of 48,112 (0.9 %)`; empty = not known. */
  readonly of: string;
  /** What the sum is without; empty = it is complete. */
  readonly note: string;
};

const TOKENS = {
  none: 'no transcript of these loops tells its tokens',
  some: 'partial: no tokens are told by',
};
const MONEY = {
  none: 'no price is known for any of these loops',
  some: 'partial: no price is known for',
};

/** What went into loops, by the transcripts' own records. */
export function totalsOf(report: ScanReport): readonly Total[] {
  const { spent, wasted, unknown } = report.totals;
  const usd = (sum: Spent) => sum.usd;
  return [
    {
      name: 'calls',
      wasted: whole(wasted.calls),
      of: ofAll(wasted.calls, spent.calls, whole),
      note: '',
    },
    {
      name: 'tokens',
      wasted: tokens(tokensOf(wasted)),
      of: ofAll(tokensOf(wasted), tokensOf(spent), tokens),
      note: missing(report, tokensOf, unknown.tokens, TOKENS),
    },
    {
      name: 'money',
      wasted: dollars(wasted.usd),
      of: ofAll(wasted.usd, spent.usd, dollars),
      note: missing(report, usd, unknown.usd, MONEY),
    },
  ];
}

export function loopingSessions(loops: readonly Loop[]): number {
  return new Set(loops.map(sessionKey)).size;
}

function ofAll(part: number | null, all: number | null, word: (value: number) => string): string {
  return part === null || all === null || all <= 0 ? '' : `of ${word(all)} (${portion(part, all)})`;
}

/** Says when a sum is partial, and when there is none. */
function missing(
  { loops, sessions }: ScanReport,
  sumOf: (spent: Spent) => number | null,
  silentSessions: number,
  { none, some }: typeof TOKENS,
): string {
  const silentLoops = loops.filter(({ wasted }) => sumOf(wasted) === null).length;
  if (silentLoops === 0 && silentSessions === 0) return '';
  if (silentLoops === loops.length && silentLoops > 0) return none;
  const parts = [
    ...(silentLoops === 0 ? [] : [`${whole(silentLoops)} of ${counted(loops.length, 'loop')}`]),
    ...(silentSessions === 0 ? [] : [`${whole(silentSessions)} of ${counted(sessions, 'session')}`]),
  ];
  return `${some} ${parts.join(' and ')}`;
}
