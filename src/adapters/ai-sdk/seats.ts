import type { Run } from '../run.ts';
import { answerIn } from './approvals-in.ts';
import type { Session } from './session.ts';
import type { Message } from './shapes.ts';

/**
 * The name that an agent has in its run, while one call of the SDK holds it: of those that run at the same time, each has its own. A
 * stream that nobody reads any more never ends, so whoever holds a seat may be gone.
 */
export type Seat = {
  readonly agent: string | undefined;
  /** Whoever sits on it, or has left it and nobody came since. */
  holder: WeakRef<Session> | null;
  /** A digest of what was last said to it behind results; 0 = nothing. */
  said: number;
};

const seatsOfRuns = new WeakMap<Run, Map<string | undefined, Seat[]>>();

/** Whether the call needs no other seat than it has. A run without a name has one call only. */
export function isSeated(session: Session): boolean {
  return session.run.session === undefined || (isHolder(session) && !session.hasLeft);
}

/** Gives the call a seat, where it has none, or where another call has begun on it that took it for over. */
export function sit(session: Session, messages: readonly Message[]): void {
  if (isSeated(session)) return;
  const { seat: before } = session;
  const seats = seatsOf(session);
  const seat =
    before === null
      ? (askedIn(session, messages, seats) ?? seats.find(isFree))
      : [before, ...seats].find(isEmpty);
  session.seat = seat ?? nextSeat(session, seats);
  session.seat.holder = new WeakRef(session);
  session.hasLeft = false;
  session.agent = session.seat.agent;
  session.isAsking = session.isHeard;
}

/**
 * Gives a call its seat back that has left it at an error, after which the SDK asks the model again. Where others sat there meanwhile, what
 * they did is not held against it.
 */
export function sitAgain(session: Session): void {
  const { run, seat } = session;
  if (seat === null || isSeated(session)) return;
  const wasKept = isHolder(session);
  sit(session, []);
  if (!wasKept) run.user(undefined, { agent: session.agent });
}

/** Whether the call needs a seat that another one holds which is about to ask its model. */
export function mustWait(session: Session): boolean {
  return !isSeated(session) && preparingIn(session).length > 0;
}

/** More than the SDK takes from preparing a step to asking its model, where it has nothing to load. */
const TICKS = 1000;

/** Lets the others ask their models. Those that have not by then have ended with an error of the SDK. */
export async function othersAsk(session: Session): Promise<void> {
  const others = preparingIn(session).map((other) => [other, other.preparing] as const);
  const isPreparing = () => others.some(([other, step]) => other.preparing === step);
  for (let tick = 0; tick < TICKS && isPreparing(); tick++) await null;
  for (const [other, step] of others) if (other.preparing === step) leave(other);
}

function preparingIn(session: Session): Session[] {
  return seatsOf(session).flatMap(({ holder }) => {
    const other = holder?.deref();
    return other === undefined || other.preparing === 0 ? [] : [other];
  });
}

/** The call is over, as far as one can see. */
export function leave(session: Session): void {
  session.isAsking = false;
  session.preparing = 0;
  session.hasLeft = true;
}

function isHolder(session: Session): boolean {
  return session.seat?.holder?.deref() === session;
}

function seatsOf({ run, name }: Session): Seat[] {
  const byName = seatsOfRuns.get(run) ?? new Map<string | undefined, Seat[]>();
  const seats = byName.get(name) ?? [];
  seatsOfRuns.set(run, byName.set(name, seats));
  return seats;
}

function nextSeat({ name }: Session, seats: Seat[]): Seat {
  const nth = seats.length + 1;
  const seat: Seat = { agent: nth === 1 ? name : `${name ?? 'main'}#${nth}`, holder: null, said: 0 };
  seats.push(seat);
  return seat;
}

/** That of the call which a person was asked about, and has answered in the messages. */
function askedIn(session: Session, messages: readonly Message[], seats: Seat[]): Seat | undefined {
  const { run, canHold, name } = session;
  if (!canHold || messages.at(-1)?.role !== 'tool') return undefined;
  const asked = run.state.desks.find(
    ({ agent, question }) =>
      (agent === (name ?? '') || agent.startsWith(`${name ?? 'main'}#`)) &&
      question?.held?.some((id) => answerIn(messages, id) !== null),
  );
  if (asked === undefined) return undefined;
  const nth = Number(asked.agent.slice((name ?? 'main').length + 1)) || 1;
  while (seats.length < nth) nextSeat(session, seats);
  return seats[nth - 1];
}

function isEmpty({ holder }: Seat): boolean {
  return holder?.deref()?.hasLeft !== false;
}

function isFree({ holder }: Seat): boolean {
  const session = holder?.deref();
  return session === undefined || session.hasLeft || !isBusy(session);
}

/** Whether something of the call is under way; between the answers of a model and its tools it is not for a moment. */
function isBusy({ signal, stepSignal = signal, isAsking, running, stream }: Session): boolean {
  if (stepSignal?.aborted === true) return false;
  return running > 0 || (isAsking && stream?.isWaiting !== true);
}
