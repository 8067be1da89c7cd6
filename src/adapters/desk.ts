import type { Intervention, Usage } from '../core/types.ts';
import { type Question, questionOf, type StopReason, stopReasonOf } from './stop-reason.ts';

/** Words for the model. */
export type Nudge = { readonly text: string; readonly strongerModel: boolean };
/** Words that wait for a place in the conversation; of those about the same, the last count. */
type WaitingNudge = Nudge & { readonly about: string };

/** What waits for one agent's host to do: JSON, so that it can be saved between two steps of a run; its fields are replaced, never changed. */
export type Desk = {
  /** Empty = the main agent. */
  readonly agent: string;
  nudges: readonly WaitingNudge[];
  /** Which nudges were put here lately: a call that is presented again gets its answer again. */
  told: readonly string[];
  question: Question | null;
  /** `lastTurn` = the model may still report, once, without tools. */
  stop: { readonly reason: StopReason; readonly lastTurn: boolean } | null;
  /** Whether a stop that follows from the question leaves the model a last turn. */
  reports: boolean;
  /** Tokens that became known after their turn. */
  usage: Usage | null;
};

const MAX_TOLD = 16;
const MAX_WAITING = 8;

export function emptyDesk(agent: string): Desk {
  return { agent, nudges: [], told: [], question: null, stop: null, reports: false, usage: null };
}

/** Nothing waits there, so it need not be kept. */
export function isEmpty({ nudges, told, question, stop, usage }: Desk): boolean {
  return nudges.length + told.length === 0 && question === null && stop === null && usage === null;
}

/** Puts a decision where the host will look for it. `heard` = the model gets its text anyway, as the result of a call. */
export function place(desk: Desk, decision: Intervention, heard: boolean, session: string | undefined): void {
  const { action, hint, message } = decision;
  if (desk.stop !== null) return;
  if (action === 'nudge') nudge(desk, decision);
  else if (action === 'ask') {
    desk.question ??= questionOf(decision, session);
    desk.reports = hint === 'last-turn';
  } else if (action === 'halt') {
    desk.stop = { reason: stopReasonOf(decision, 'halt', session), lastTurn: hint === 'last-turn' };
    desk.question = null;
    // In its last turn the model must know what it is about.
    if (!heard && desk.stop.lastTurn)
      desk.nudges = [...desk.nudges, { about: 'stop', text: message, strongerModel: false }];
  }
}

/** The person has said no, or nobody can be asked. */
export function refuse(desk: Desk): void {
  const { question, reports } = desk;
  if (question === null) return;
  const { prompt: _, continuations: __, held: ___, ...reason } = question;
  desk.question = null;
  desk.stop = { reason, lastTurn: reports };
}

function nudge(desk: Desk, { hint, message, finding, call }: Intervention): void {
  const about = `${finding.detector} ${finding.subject}`;
  const key = `${about} ${call} ${finding.count}`;
  if (desk.told.includes(key)) return;
  desk.told = [...desk.told, key].slice(-MAX_TOLD);
  const others = desk.nudges.filter((other) => other.about !== about);
  desk.nudges = [...others, { about, text: message, strongerModel: hint === 'stronger-model' }].slice(
    -MAX_WAITING,
  );
}
