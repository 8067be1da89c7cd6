import { digestText } from '../../core/digest-text.ts';
import type { Json } from '../../core/types.ts';
import type { Bookmark } from '../bookmark.ts';
import { digestWording } from '../digest-wording.ts';
import type { HostCall, Run } from '../run.ts';
import type { Question } from '../stop-reason.ts';
import { RUN, type Verdict } from '../verdict.ts';
import type { CallMessage, ChatMessage, MessageEvent, ResultMessage, UserMessage } from './message-events.ts';

export type ReadCall = HostCall & { readonly verdict: Verdict };

/** Where reading has come to in the messages of one agent. */
export type Place = {
  read: number;
  /** Where the last response began. */
  begun: number;
  /** A digest of the last response or result that was read, to notice that the list was rewritten. */
  last: number;
  /** Digests of what was read behind it. */
  loose: readonly number[];
  /** That response or result and the message before it, as long as the host holds them: among equal ones they are known by it. */
  tail: readonly (WeakRef<ChatMessage> | undefined)[];
  /** Words of ours, which come back as messages of the user. */
  nudges: string[];
  /** Calls of the last response that have no result yet. */
  open: readonly ReadCall[];
  /** Whether there are results behind it: then an image is what a tool has given. */
  answered: boolean;
  /** Whether one of them is of a call that was run. */
  ran: boolean;
  /** A digest of what was shown last behind results that had been read before. */
  shown: number;
  /** A digest of what was last said behind results; 0 = nothing. */
  said: number;
  /** Whether the host was told to end. */
  isOver: boolean;
  /** As `News` has it. */
  talksOn: boolean;
  /** What was kept of it last. */
  bookmark: Bookmark | null;
  /** Whether another process has kept it, and nothing was read since. */
  isTakenOver: boolean;
};

/** Agents whose next response was asked for before they were stopped; `cut` = for what it says, and the model knows nothing of that. */
export type Underway = Map<string | undefined, 'asked' | 'cut'>;

/** One reading of new messages. */
export type Telling = {
  readonly run: Run;
  readonly place: Place;
  readonly agent: string | undefined;
  /** Nothing was read before: the list says what came of it all. */
  readonly isFirst: boolean;
  readonly underway: Underway;
  /** Whether results have come in it. */
  hasResults: boolean;
};

const MAX_NUDGES = 16;
const NO_CALLS: Pick<Place, 'open' | 'answered' | 'ran'> = { open: [], answered: false, ran: false };

export function newPlace(): Place {
  return {
    read: 0,
    begun: 0,
    last: 0,
    loose: [],
    tail: [],
    nudges: [],
    shown: 0,
    said: 0,
    isOver: false,
    talksOn: false,
    bookmark: null,
    isTakenOver: false,
    ...NO_CALLS,
  };
}

/** A result that nobody has seen: it is like no other. */
class Unseen {}

/** What was said to the model before it answered has reached it. */
export function deliver({ run, place, agent }: Pick<Telling, 'run' | 'place' | 'agent'>): string | null {
  const nudge = run.takeNudge(agent);
  if (nudge === null) return null;
  place.nudges = [...place.nudges, nudge.text].slice(-MAX_NUDGES);
  return nudge.text;
}

export function tellTurn(telling: Telling, event: MessageEvent & { readonly type: 'turn' }): void {
  const { run, place, agent, isFirst, underway } = telling;
  if (underway.get(agent) !== 'cut') deliver(telling);
  if (isFirst) letGoOn(run, agent);
  // What had no result by then will have none.
  Object.assign(place, NO_CALLS);
  run.turn({ text: event.text, reasoning: event.reasoning, agent });
}

/** The model was called again, so whatever stopped it was answered. */
function letGoOn(run: Run, agent: string | undefined): void {
  if (run.questionFor(agent) !== null) run.answer(true, agent);
  else if (!run.takeLastTurn(agent) && run.isOver(agent)) run.resume(agent);
}

/** `byHost` = what the host says of it. */
export function tellUser(telling: Telling, event: UserMessage, byHost: boolean | undefined): void {
  const { run, place, agent } = telling;
  const { text, shown } = event;
  if (byHost ?? (shown.length > 0 && isOfResults(telling))) {
    run.user(text, { by: 'host', agent });
    if (!telling.hasResults) see(telling, shown);
    return;
  }
  deliver(telling);
  // What was said here is no person's, also where the host knows its own words alone.
  const own =
    byHost === false ? place.nudges.includes(text) : isNudge(place, text) || isSaidAgain(telling, text);
  if (!own) Object.assign(place, NO_CALLS);
  run.user(text, { by: own ? 'host' : 'person', agent });
}

function isNudge({ nudges }: Place, text: string): boolean {
  return nudges.some((nudge) => text.includes(nudge));
}

/** Whether it was said behind the results before, too, as a program does (`Continue.`, `Step 3 of 20.`). */
function isSaidAgain(telling: Telling, text: string): boolean {
  const { place, isFirst, hasResults } = telling;
  if (!place.answered) return false;
  const before = place.said;
  place.said = digestWording(text);
  // Whoever says it to an agent that is known to be stopped is a person.
  return place.said === before && (!isHalted(telling) || (hasResults && !isFirst));
}

function isHalted({ run, agent }: Telling): boolean {
  return run.stoppedFor(agent) !== null || run.questionFor(agent) !== null;
}

/** Whether what is shown now goes with the results: in some APIs an image cannot stand in them. */
function isOfResults(telling: Telling): boolean {
  const { place, isFirst, hasResults } = telling;
  if (!place.answered) return false;
  if (!isHalted(telling)) return true;
  // Whoever shows something later on, when the agent has been stopped, is a person.
  return hasResults && (place.ran || !isFirst);
}

/** The results of the calls were told already: another image than the last one says that something has moved. */
function see({ run, place, agent }: Telling, shown: readonly Json[]): void {
  if (shown.length === 0) return;
  const now = digestText(JSON.stringify(shown));
  if (now !== place.shown) run.tell({ type: 'state-change', agent });
  place.shown = now;
}

/** A call of which the list tells what came of it: nobody can be asked about it any more. */
export function tellAnswered(telling: Telling, call: HostCall, answer: ResultMessage | undefined): ReadCall {
  const { run, isFirst } = telling;
  if (!isFirst || answer === undefined) return { ...call, verdict: run.before(call) };
  answerBy(telling, answer);
  const verdict = run.before(call);
  return { ...call, verdict: verdict.do === 'hold' && answerBy(telling, answer) ? RUN : verdict };
}

/** Whether there was a question, and the call has run: so the answer to it was yes. */
function answerBy({ run, agent }: Telling, { output }: ResultMessage): boolean {
  const question = run.questionFor(agent);
  const isYes = question !== null && !isAbout(output, question);
  if (isYes) run.answer(true, agent);
  return isYes;
}

/** Whether a result is what we said in place of one. */
function isAbout(output: Json, { prompt, message }: Question): boolean {
  return typeof output === 'string' && (output.includes(prompt) || output.includes(message));
}

/** A call that the provider has run, with what is known of its result. */
export function tellHosted(telling: Telling, call: HostCall, answer: ResultMessage | undefined): void {
  const { verdict } = tellAnswered(telling, call, answer);
  if (verdict.do === 'answer' || verdict.do === 'stop') return;
  telling.run.after(call, answer ?? { output: new Unseen() });
}

/** `shown` = what goes with it, in its message or behind it. */
export function tellResult(telling: Telling, event: ResultMessage, shown: readonly Json[]): void {
  const { run, place } = telling;
  const call = place.open.find(({ id }) => id === event.id);
  if (call === undefined) return;
  const { verdict } = call;
  place.open = place.open.filter((other) => other !== call);
  place.answered = true;
  telling.hasResults = true;
  // A call that was not run has got its result from the guard.
  if (verdict.do !== 'run' && (verdict.do !== 'hold' || isAbout(event.output, verdict.question))) return;
  place.ran = true;
  run.after(call, shown.length === 0 ? event : { ...event, output: [event.output, ...shown].flat() });
}

export function callOf({ id, tool, args }: CallMessage, agent: string | undefined): HostCall {
  return { id, tool, args: args ?? null, agent };
}
