import type { Count, SavedRecord } from './board.ts';

/** A number for this half of the window, and one for the half before. */
export type Pair = [now: number, before: number];
/** When a worker called and wasted a call last, in halves of the window. */
export type Mark = [called: number, wasted: number];
/** What is counted of one call, one kind of error, one pair of agents or one parent. */
export type Tally = {
  epoch: number;
  calls: Pair;
  wasted: Pair;
  workers: Pair;
  wasters: Pair;
  failures: Pair;
  firstAt: number;
  /** Of two agents: how far both had got at the last handoff. */
  progress: number;
  first: string;
  /** Commas around each, the oldest first. */
  outcomes: string;
  names: readonly string[];
  said: string;
  readonly marks: Map<string, Mark>;
};

/** No half of any window. */
export const NEVER = -2;

/** What a note comes to that nothing is counted of. */
export const NOTHING: Count = {
  calls: 0,
  workers: 0,
  wasted: 0,
  wasters: 0,
  failures: 0,
  first: '',
  firstAt: 0,
  names: [],
  said: '',
  depth: 0,
  atDepth: 0,
  refused: '',
};

export function newTally(epoch: number, first: string, firstAt: number): Tally {
  return {
    epoch,
    calls: [0, 0],
    wasted: [0, 0],
    workers: [0, 0],
    wasters: [0, 0],
    failures: [0, 0],
    firstAt,
    progress: 0,
    first,
    outcomes: '',
    names: [],
    said: '',
    marks: new Map(),
  };
}

export function countOf(record: Tally): Count {
  const { calls, workers, wasted, wasters, failures, first, firstAt, names, said } = record;
  return {
    calls: sum(calls),
    workers: sum(workers),
    wasted: sum(wasted),
    wasters: sum(wasters),
    failures: sum(failures),
    first,
    firstAt,
    names,
    said,
    depth: 0,
    atDepth: 0,
    refused: '',
  };
}

/** Removes marks older than `oldest`; how many. */
export function sweep(marks: Map<string, Mark>, oldest: number): number {
  const before = marks.size;
  for (const [worker, mark] of marks) if (Math.max(...mark) < oldest) marks.delete(worker);
  return before - marks.size;
}

export function shifted([now, before]: Pair, halves: number): Pair {
  return halves === 0 ? [now, before] : halves === 1 ? [0, now] : [0, 0];
}

export function sum([now, before]: Pair): number {
  return now + before;
}

export function savedOf(key: string, record: Tally): SavedRecord {
  const { epoch, calls, wasted, workers, wasters, failures, firstAt, progress } = record;
  return {
    key,
    tally: [epoch, ...calls, ...wasted, ...workers, ...wasters, ...failures, firstAt, progress],
    first: record.first,
    outcomes: record.outcomes,
    names: record.names,
    said: record.said,
    workers: [...record.marks].map(([worker, mark]) => [worker, ...mark]),
  };
}

export function opened({ tally, first, outcomes, names, said, workers }: SavedRecord): Tally {
  const pairOf = (at: number): Pair => [tally[at] as number, tally[at + 1] as number];
  return {
    epoch: tally[0] as number,
    calls: pairOf(1),
    wasted: pairOf(3),
    workers: pairOf(5),
    wasters: pairOf(7),
    failures: pairOf(9),
    firstAt: tally[11] as number,
    progress: tally[12] as number,
    first,
    outcomes,
    names,
    said,
    marks: new Map(workers.map(([worker, ...mark]) => [worker, mark])),
  };
}
