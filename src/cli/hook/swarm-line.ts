import { resembles } from '../../core/snapshot.ts';
import type { Json } from '../../core/types.ts';
import {
  type Answer,
  type Control,
  NO_CONTROL,
  type Note,
  type Request,
  type Totals,
} from '../../stores/board.ts';
import { newId } from '../../stores/new-id.ts';

/** The way of a session's notes to one board, as it is kept between two hooks: in order, each counted once. */
export type Line = {
  /** Who sends them. */
  readonly member: string;
  /** The number of the first note that waits, and how many of them were sent before. */
  readonly first: number;
  readonly sent: number;
  readonly born: string;
  readonly control: Control;
  readonly totals: Totals;
  readonly waiting: readonly Note[];
};

/** Beyond so many, notes are dropped while the store is away. */
const MAX_WAITING = 128;
const NO_TOTALS: Totals = { calls: 0, tokens: 0, money: 0, active: 0, agents: 0 };
const SHAPE = {
  member: '',
  first: 0,
  sent: 0,
  born: '',
  control: NO_CONTROL,
  totals: NO_TOTALS,
  waiting: [{ kind: '', worker: '' }],
};

/** A line that was kept; a new one where there is none that could be. */
export function lineOf(saved: unknown): Line {
  if (resembles(saved as Json, SHAPE)) return saved as Line;
  return {
    member: newId(),
    first: 1,
    sent: 0,
    born: '',
    control: NO_CONTROL,
    totals: NO_TOTALS,
    waiting: [],
  };
}

/** Puts notes at its end, and numbers them: all, or none when there is no room. */
export function joined(line: Line, notes: readonly Note[]): Line {
  const waiting = [...line.waiting, ...notes];
  return waiting.length > MAX_WAITING ? line : { ...line, waiting };
}

/** All that waits, which from now on may have been counted. */
export function requestOf(line: Line, windowMs: number): readonly [Line, Request] {
  const { member, first, sent, born, control, waiting } = line;
  const request = { member, first, notes: waiting, resent: sent, born, control, windowMs };
  return [{ ...line, sent: waiting.length }, request];
}

/** The line behind an answer, whatever has happened to it since the request. */
export function answered(line: Line, request: Request, answer: Answer): Line {
  if (line.member !== request.member) return line;
  const done = Math.max(0, Math.min(line.waiting.length, request.first + request.notes.length - line.first));
  return {
    ...line,
    first: line.first + done,
    sent: Math.max(0, line.sent - done),
    born: answer.born,
    control: answer.control.version > line.control.version ? answer.control : line.control,
    totals: answer.totals,
    waiting: line.waiting.slice(done),
  };
}

/** The totals, with what waits on top of them. */
export function totalsOf({ totals, waiting }: Line): Totals {
  let { calls, tokens, money } = totals;
  for (const note of waiting) {
    if (note.kind === 'call') calls += 1;
    if (note.kind !== 'spend') continue;
    tokens += note.tokens;
    money += note.money;
  }
  return { ...totals, calls, tokens, money };
}
