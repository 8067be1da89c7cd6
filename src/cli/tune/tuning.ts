import type { Preset } from '../../core/preset.ts';
import type { Rung } from '../../core/types.ts';
import type { Reached } from './session-counts.ts';

/** In how many sessions, and for how many subjects in them, a detector counts as far as this. */
export type Reach = { readonly count: number; readonly sessions: number; readonly loops: number };

/** A session in which a detector counts far. */
type FarSession = Omit<Reached, 'subjects'> & {
  readonly file: string;
  readonly agent: string;
  readonly session: string | null;
};

type Acting = Pick<Rung, 'at' | 'action'> & {
  readonly [Condition in 'strikes' | 'below' | 'where']?: Rung[Condition] | undefined;
};

export type DetectorTuning = {
  readonly name: string;
  readonly kind: string;
  /** Where the guard acts today. */
  readonly rungs: readonly Acting[];
  readonly reaches: readonly Reach[];
  /** Those with the greatest counts. */
  readonly most: readonly FarSession[];
};

export type Tuning = {
  readonly preset: string;
  readonly sessions: number;
  readonly calls: number;
  readonly detectors: readonly DetectorTuning[];
};

export type Tally = {
  add(
    session: Pick<FarSession, 'file' | 'agent' | 'session'>,
    calls: number,
    reached: ReadonlyMap<string, Reached>,
  ): void;
  tuning(): Tuning;
};

/** Counts that are shown beside those at which the preset acts. */
const COUNTS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 50, 100];
const MAX_MOST = 10;

/** Puts the counts of sessions together. */
export function createTally(preset: Preset): Tally {
  const names = Object.keys(preset.detectors);
  const all = new Map(
    names.map((name) => [
      name,
      { sessions: [] as number[], loops: [] as number[], most: [] as FarSession[] },
    ]),
  );
  let sessions = 0;
  let calls = 0;
  return {
    add(session, made, reached) {
      sessions += 1;
      calls += made;
      for (const [name, { subjects, ...far }] of reached) {
        const own = all.get(name);
        if (own === undefined) continue;
        own.sessions.push(far.count);
        own.loops.push(...subjects);
        own.most.push({ ...session, ...far });
        own.most.sort((one, other) => other.count - one.count);
        own.most.splice(MAX_MOST);
      }
    },
    tuning() {
      const detectors = [...all].map(([name, own]): DetectorTuning => {
        const atLeast = (reached: readonly number[], count: number) =>
          reached.filter((greatest) => greatest >= count).length;
        const rungs = preset.ladder
          .filter(({ on }) => on === name)
          .map(({ at, action, strikes, below, where }) => ({ at, action, strikes, below, where }));
        return {
          name,
          kind: preset.detectors[name]?.kind ?? '',
          rungs,
          reaches: countsOf(rungs).map((count) => ({
            count,
            sessions: atLeast(own.sessions, count),
            loops: atLeast(own.loops, count),
          })),
          most: own.most,
        };
      });
      return { preset: preset.name, sessions, calls, detectors };
    },
  };
}

/** The first count at which a detector acts today. */
export function firstAt({ rungs }: Pick<DetectorTuning, 'rungs'>): number {
  return Math.min(...rungs.map(({ at }) => at));
}

/** What comes once is counted only where a rung asks for it. */
function countsOf(rungs: readonly Acting[]): readonly number[] {
  return [...new Set([...COUNTS, ...rungs.map(({ at }) => at)])].sort((one, other) => one - other);
}
