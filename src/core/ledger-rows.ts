import type { Entry, ToolKind } from './types.ts';

/** What the ledger keeps, and how far it still speaks of what happens now. */

export const NONE: readonly number[] = [];
export const NONE_OPEN: readonly Open[] = [];
/** Calls of one change that are remembered. */
export const MAX_MADE = 6;

/** How it ended. */
export const FAILED: number = 0;
export const FINE: number = 1;
/** It said nothing at all. */
export const MUTE: number = 2;
/** Beside how it ended: it said no, it brought something new, it was a check that found all well. */
export const ENDING: number = 3;
export const NEGATIVE: number = 4;
export const FRESH: number = 8;
export const PASSED: number = 16;

export type Row = readonly [
  key: number,
  outcome: number,
  call: number,
  round: number,
  epoch: number,
  user: number,
  ending: number,
];
/** `epoch` and `round` = when it was made last, the world as it was after it; waits are left out of this epoch. */
export type Change = readonly [
  key: number,
  epoch: number,
  round: number,
  outcome: number,
  calls: readonly number[],
];
/** A call whose result has not come. */
export type Open = readonly [key: number, call: number, round: number];
/** What a look has shown, whether it weighs or not. */
export type Shown = readonly [key: number, outcome: number];

/** Whether a row still speaks of the world as it is; what a person said since makes a lookup worth repeating, a failure not. */
export function holds(row: Row, epoch: number, users: number): boolean {
  return row[4] === epoch && ((row[6] & ENDING) === FAILED || row[5] === users);
}

/** Whether a person has spoken since the last of these. */
export function isAsked(same: readonly Row[] | null, users: number): boolean {
  return same !== null && same.at(-1)?.[5] !== users;
}

/** It was done before something moved. What has failed, or has said no, has moved nothing. */
export function isForgiven(row: Row, since: number): boolean {
  return row[2] <= since && (row[6] & ENDING) !== FAILED && (row[6] & NEGATIVE) === 0;
}

/** Whether something was found out in a round after each of these: then work goes on around them. What fails is no lookup. */
export function isBusy(rows: readonly Row[], same: readonly Row[] | null, { round }: Entry): boolean {
  const first = same?.[0];
  if (same === null || first === undefined || (first[6] & ENDING) === FAILED) return false;
  let isNew = false;
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index] as Row;
    if (!same.includes(row))
      isNew ||= (row[6] & FRESH) !== 0 && row[3] !== round && !same.some((other) => other[3] === row[3]);
    else if (!isNew) return false;
    else if (row === first) return true;
    else isNew = false;
  }
  return false;
}

/** One call number a round, the present one among them; none if there is no other round. */
export function callsByRound(rows: readonly Row[] | null, { call, round }: Entry): readonly number[] {
  if (rows === null) return NONE;
  const calls = [call];
  let last = -1;
  for (const row of rows) {
    if (row[3] === round || row[3] === last) continue;
    last = row[3];
    calls.push(row[2]);
  }
  return calls.length === 1 ? NONE : calls.sort((a, b) => a - b);
}

export function wasShown(shown: readonly Shown[], outcome: number): boolean {
  return shown.some((look) => look[1] === outcome);
}

export function isAmong(shown: readonly Shown[], key: number, outcome: number): boolean {
  for (const look of shown) if (look[0] === key && look[1] === outcome) return true;
  return false;
}

/** The same look has shown something before, and never this. */
export function isOtherThan(shown: readonly Shown[], key: number, outcome: number): boolean {
  return shown.some((look) => look[0] === key) && !isAmong(shown, key, outcome);
}

/** The others that wait; most of the time there is none. */
export function answered(open: readonly Open[], call: number): readonly Open[] {
  return open.length === 1 && open[0]?.[1] === call ? NONE_OPEN : open.filter((other) => other[1] !== call);
}

export function changeBy(changes: readonly Change[], key: number): Change | undefined {
  for (const change of changes) if (change[0] === key) return change;
  return undefined;
}

/** Whether one of them, beside the last, came after this call. */
export function after(calls: readonly number[], call: number): boolean {
  return calls.length > 1 && (calls[calls.length - 2] as number) > call;
}

/** The calls that made this change. A content is the same whenever it is written, unless something has moved since; a command may be worth running again once something else than time has changed, and an act may be meant. */
export function madeBy(
  change: Change | undefined,
  kind: ToolKind,
  epoch: number,
  moved: number,
  { call, round }: Entry,
): readonly number[] {
  if (change === undefined) return [call];
  const [, made, last, , calls] = change;
  if (kind === 'write' && (calls.at(-1) ?? 0) <= moved && last !== round) return [call];
  if (kind !== 'write' && (kind !== 'shell' || made !== epoch)) return [call];
  return last === round ? calls : [...calls.slice(-(MAX_MADE - 1)), call];
}
