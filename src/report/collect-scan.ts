import type { Loop, LoopingSession, ScanReport, Share, Spent } from './scan-report.ts';
import { together, tokensOf } from './spent.ts';

/** A session as a collector takes it; a timeline of null = there is nothing to draw. */
type CollectedSession = Omit<LoopingSession, 'timeline'> & {
  readonly timeline: LoopingSession['timeline'] | null;
};

export type Collector = {
  add(session: CollectedSession): void;
  skip(file: string, why: string): void;
  report(about: Pick<ScanReport, 'preset' | 'pricesOf' | 'cancelled'>): ScanReport;
};

/** Sessions that are drawn. */
const MAX_DRAWN = 100;

type Tally = { sessions: Set<string>; loops: number; wasted: Spent };
const NOTHING: Spent = { calls: 0, input: null, output: null, cachedInput: null, usd: null };

/** Puts sessions together into one report; only the worst are kept in full. */
export function createCollector(): Collector {
  const skipped: { readonly file: string; readonly why: string }[] = [];
  const loops: Loop[] = [];
  let looping: LoopingSession[] = [];
  const byDay = new Map<string, Tally>();
  const byAgent = new Map<string, Tally>();
  const byDetector = new Map<string, Tally>();
  const byTool = new Map<string, Tally>();
  const unknown = { tokens: 0, usd: 0 };
  let sessions = 0;
  let spent = NOTHING;
  let wasted = NOTHING;

  return {
    add(session) {
      sessions += 1;
      spent = together([spent, session.spent]);
      if (session.calls > 0) {
        if (tokensOf(session.spent) === null) unknown.tokens += 1;
        if (session.spent.usd === null) unknown.usd += 1;
      }
      for (const loop of session.loops) {
        loops.push(loop);
        wasted = together([wasted, loop.wasted]);
        for (const [tallies, name] of [
          [byDay, session.startedAt?.slice(0, 10) ?? ''],
          [byAgent, session.agent],
          [byDetector, loop.detector],
          [byTool, loop.tool ?? ''],
        ] as const)
          tally(tallies, name, session.file, loop.wasted);
      }
      const { timeline } = session;
      if (timeline === null) return;
      looping.push({ ...session, timeline });
      if (looping.length >= 2 * MAX_DRAWN) looping = worstFirst(looping);
    },
    skip(file, why) {
      skipped.push({ file, why });
    },
    report(about) {
      return {
        sessions,
        skipped,
        loops: loops.sort((one, other) => worse(one.wasted, other.wasted) || order(one.file, other.file)),
        totals: { calls: spent.calls, loops: loops.length, spent, wasted, unknown },
        looping: worstFirst(looping),
        byDay: shares(byDay).sort((one, other) => order(one.name, other.name)),
        byAgent: shares(byAgent),
        byDetector: shares(byDetector),
        byTool: shares(byTool),
        ...about,
      };
    },
  };
}

function tally(tallies: Map<string, Tally>, name: string, session: string, wasted: Spent): void {
  const known = tallies.get(name) ?? { sessions: new Set(), loops: 0, wasted: NOTHING };
  known.sessions.add(session);
  known.loops += 1;
  known.wasted = together([known.wasted, wasted]);
  tallies.set(name, known);
}

function shares(tallies: ReadonlyMap<string, Tally>): Share[] {
  return [...tallies]
    .map(([name, { sessions, loops, wasted }]) => ({ name, sessions: sessions.size, loops, wasted }))
    .sort((one, other) => worse(one.wasted, other.wasted) || order(one.name, other.name));
}

function worstFirst(looping: readonly LoopingSession[]): LoopingSession[] {
  const wastedIn = (session: LoopingSession) => together(session.loops.map((loop) => loop.wasted));
  return looping
    .map((session) => ({ session, wasted: wastedIn(session) }))
    .sort((one, other) => worse(one.wasted, other.wasted) || order(one.session.file, other.session.file))
    .slice(0, MAX_DRAWN)
    .map(({ session }) => session);
}

/** By money, then by tokens, then by calls; what is not known comes last. */
function worse(one: Spent, other: Spent): number {
  return (
    (other.usd ?? -1) - (one.usd ?? -1) ||
    (tokensOf(other) ?? -1) - (tokensOf(one) ?? -1) ||
    other.calls - one.calls
  );
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
