import type { Control, SavedRecord, SwarmState } from '../stores/board.ts';

export type StatusRow = {
  readonly key: string;
  readonly calls: number;
  readonly workers: number;
  readonly wasted: number;
  readonly failures: number;
  readonly first: string;
  readonly names: readonly string[];
};

/** What can be told of a swarm at a glance; each list is sorted, the worst first. */
export type SwarmStatus = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  readonly active: number;
  readonly agents: number;
  readonly control: Control;
  readonly windowMs: number;
  /** Different calls, errors, pairs and parents that are remembered now. */
  readonly records: number;
  readonly wasted: number;
  readonly deadEnds: readonly StatusRow[];
  readonly errors: readonly StatusRow[];
  readonly handoffs: readonly StatusRow[];
  readonly parents: readonly StatusRow[];
};

const MAX_ROWS = 20;

export function statusOf(state: SwarmState, now: number): SwarmStatus {
  const { half, totals, control, active, epoch: last } = state;
  const epoch = half === 0 ? 0 : Math.max(last, Math.floor(now / half));
  const live = state.records.filter(({ tally }) => (tally[0] as number) >= epoch - 1);
  const rows = live.map((record) => [record.key.slice(0, 1), rowOf(record, epoch)] as const);
  const kind = (wanted: string, by: (row: StatusRow) => number) =>
    rows
      .flatMap(([found, row]) => (found === wanted && by(row) > 0 ? [row] : []))
      .sort((first, second) => by(second) - by(first))
      .slice(0, MAX_ROWS);
  const [calls, tokens, money, agents] = totals;
  return {
    calls,
    tokens,
    money,
    active: pair(active, 0, epoch - last),
    agents,
    control,
    windowMs: 2 * half,
    records: live.length,
    wasted: rows.reduce((sum, [, row]) => sum + row.wasted, 0),
    deadEnds: kind('f', ({ wasted }) => wasted),
    errors: kind('e', (row) => row.calls),
    handoffs: kind('h', (row) => row.calls - 1),
    parents: kind('p', (row) => row.calls),
  };
}

function rowOf({ key, tally, first, names }: SavedRecord, epoch: number): StatusRow {
  const passed = epoch - (tally[0] as number);
  return {
    key: key.slice(2),
    calls: pair(tally, 1, passed),
    wasted: pair(tally, 3, passed),
    workers: pair(tally, 5, passed),
    failures: pair(tally, 9, passed),
    first,
    names,
  };
}

/** Of this half and the one before; a half that has passed since counts as the one before. */
function pair(numbers: readonly number[], at: number, passed: number): number {
  const [now = 0, before = 0] = numbers.slice(at, at + 2);
  return passed <= 0 ? now + before : passed === 1 ? now : 0;
}
