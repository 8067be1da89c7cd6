import type { Json } from '../../core/types.ts';
import type { Run } from '../run.ts';
import type { Question, StopReason } from '../stop-reason.ts';
import type { Verdict } from '../verdict.ts';
import {
  type ChatMessage,
  eventsOf,
  type IsFailure,
  type MessageEvent,
  outputOf,
  type ResultMessage,
} from './message-events.ts';
import {
  callOf,
  deliver,
  type ReadCall,
  type Telling,
  tellAnswered,
  tellHosted,
  tellResult,
  tellTurn,
  tellUser,
  type Underway,
} from './message-telling.ts';
import { markOf, newsIn } from './news.ts';
import { keepPlace, type Places, placeIn, reopen } from './places.ts';
import { chatOf } from './response-items.ts';

/** What the host must do now that it has shown its messages. */
export type Reading = {
  /** The calls that have no result yet, and what is to be done with each. */
  readonly calls: readonly ReadCall[];
  /** Add this as a user message; there is one only when every call has its result. */
  readonly nudge: string | null;
  /** Ask the model once more, without tools, and then end. */
  readonly lastTurn: boolean;
  /** End now: the run is stopped, or there is a `question`. */
  readonly over: boolean;
  readonly stopped: StopReason | null;
  /** What a person must be asked before the run goes on; with `onAsk` there is none, because that was asked. */
  readonly question: Question | null;
};

export type MessageReader = (
  messages: readonly ChatMessage[],
  options?: {
    readonly agent?: string | undefined;
    /** Without it that of the guard counts; without any, it looks for signs of failure in the text alone. */
    readonly isFailure?: IsFailure | undefined;
    /** Without it, a message of the user is a person's, unless it is a nudge, or shows an image or a file behind the results of calls. */
    readonly byHost?: ((message: ChatMessage) => boolean | undefined) | undefined;
  },
) => Promise<Reading>;

/** `byHost` = what the host says of a message of the user. */
type Message = {
  readonly message: ChatMessage;
  readonly events: readonly MessageEvent[];
  readonly byHost: boolean | undefined;
};

const NONE: readonly undefined[] = [];

/** Reads a list of messages again and again, and each message once. A list of which a new process knows nothing is gone through as history. */
export function createMessageReader(
  run: Run,
  fails?: (output: unknown) => boolean | undefined,
  underway: Underway = new Map(),
): MessageReader {
  const places: Places = new Map();
  const ofGuard: IsFailure | undefined = fails && (({ content }) => fails(outputOf(content)));

  return async function read(messages, { agent, isFailure = ofGuard, byHost } = {}) {
    await run.ready();
    const place = placeIn(places, run, agent);
    const { fresh, from, isCut, talksOn } = newsIn(place, messages);
    if (place.isTakenOver) reopen(place, messages.slice(0, from), agent);
    const isFirst = place.read === 0;
    // Nobody could know of a stop that comes with this reading.
    const isAtWork = !isFirst && run.stoppedFor(agent) === null;
    const telling: Telling = { run, place, agent, isFirst, underway, hasResults: false };
    if (isCut) run.tell({ type: 'compaction', agent });
    const list = chatOf(fresh).map((message) => ({
      message,
      events: eventsOf(message, isFailure),
      byHost: message?.role === 'user' ? byHost?.(message) : undefined,
    }));
    await tell(telling, list, isFirst ? endOfPast(list) : 0, isAtWork);
    Object.assign(place, markOf(messages), { talksOn });
    const isNew = (await judgeAgain(telling)) || fresh.length > 0;
    const calls = place.open;
    const settled = calls.length === 0;
    if (settled) await run.settle(agent);
    const lastTurn = settled && run.takeLastTurn(agent);
    const nudge = settled ? deliver(telling) : null;
    if (isNew || nudge !== null) keepPlace(place, run, agent);
    await run.saved();
    const question = run.questionFor(agent);
    const over = !lastTurn && ((question !== null && calls.every(isHeld)) || run.isOver(agent));
    place.isOver = over;
    return { calls, nudge, lastTurn, over, stopped: run.stoppedFor(agent), question };
  };
}

/** What stands before `past` happened earlier, and whoever hears of decisions has heard of it then. */
async function tell(
  telling: Telling,
  list: readonly Message[],
  past: number,
  isAtWork: boolean,
): Promise<void> {
  const { run, place, agent, underway } = telling;
  if (past > 0) run.replay(true);
  for (const [index, { events, byHost }] of list.entries()) {
    // Up to here nothing was waited for.
    if (index === past) run.replay(false);
    const isCalling = events.some(({ type }) => type === 'call');
    if (isCalling && isAtWork && !underway.has(agent)) underway.set(agent, 'asked');
    const answers = isCalling ? answersTo(list, index) : NONE;
    let nth = 0;
    for (const event of events) {
      if (event.type === 'turn') tellTurn(telling, event);
      else if (event.type === 'user') tellUser(telling, event, byHost);
      else if (event.type === 'result') tellResult(telling, event, shownWith(event, list, index));
      else {
        const answer = answers[nth++];
        const call = callOf(event, agent);
        if (event.hosted) tellHosted(telling, call, answer);
        else if (answer !== undefined) place.open = [...place.open, tellAnswered(telling, call, answer)];
        else {
          const verdict = index < past ? run.before(call) : await run.check(call);
          place.open = [...place.open, { ...call, verdict }];
        }
      }
    }
    if (isCalling) run.tell({ type: 'calls-known', agent });
  }
}

/** The results that the calls of a message have in the list already, in the order of the calls. */
function answersTo(list: readonly Message[], index: number): readonly (ResultMessage | undefined)[] {
  const results: ResultMessage[] = [];
  for (const { events } of behind(list, index))
    for (const event of events) if (event.type === 'result') results.push(event);
  if (results.length === 0) return NONE;
  const calls = (list[index] as Message).events.filter((event) => event.type === 'call');
  return calls.map(({ id }) => {
    const found = results.findIndex((result) => result.id === id);
    return found < 0 ? undefined : results.splice(found, 1)[0];
  });
}

/** What is shown beside a result, or behind it by the host: in some APIs an image cannot stand in it. */
function shownWith({ shown }: ResultMessage, list: readonly Message[], index: number): readonly Json[] {
  if (index === list.length - 1) return shown;
  const users = behind(list, index).flatMap(({ events: [event], byHost }) =>
    event?.type === 'user' && byHost !== false ? event.shown : [],
  );
  return users.length === 0 ? shown : [...shown, ...users];
}

/** The message, and those up to the next response. */
function behind(list: readonly Message[], index: number): readonly Message[] {
  let next = index + 1;
  while (next < list.length && !isTurn(list[next] as Message)) next += 1;
  return list.slice(index, next);
}

/** Calls that waited for a person, or were stopped, may run by now. Gives whether anything else is said to one. */
async function judgeAgain({ run, place }: Telling): Promise<boolean> {
  if (!place.open.some(isHeld)) return false;
  const calls: ReadCall[] = [];
  let isNew = false;
  for (const call of place.open) {
    const verdict = isHeld(call) ? await run.check(call) : call.verdict;
    isNew ||= verdict.do !== call.verdict.do || wordsOf(verdict) !== wordsOf(call.verdict);
    calls.push({ ...call, verdict });
  }
  place.open = calls;
  return isNew;
}

function wordsOf(verdict: Verdict): string {
  return verdict.do === 'run' ? '' : verdict.text;
}

function isHeld({ verdict }: ReadCall): boolean {
  return verdict.do === 'hold' || verdict.do === 'stop';
}

/**
 * Where the news begin in a list that is read for the first time: at what a person has said last, or with the results that the
 * model has got last, whichever comes later.
 */
function endOfPast(list: readonly Message[]): number {
  const last = list.findLastIndex(isTurn);
  const said = list.findLastIndex(
    ({ events: [event], byHost }) => event?.type === 'user' && !(byHost ?? event.shown.length > 0),
  );
  const isAnswered = list.slice(last + 1).some(({ events: [event] }) => event?.type === 'result');
  const before = isAnswered ? last : list.slice(0, Math.max(last, 0)).findLastIndex(isTurn) + 1;
  return Math.max(before, said, 0);
}

function isTurn({ events: [event] }: Message): boolean {
  return event?.type === 'turn';
}
