import { MAX_BOOKMARKS } from '../bookmark.ts';
import { keepFor } from '../keep-for.ts';
import type { Run } from '../run.ts';
import { type ChatMessage, eventsOf } from './message-events.ts';
import { callOf, newPlace, type Place, type ReadCall } from './message-telling.ts';
import { chatOf, lastResponse } from './response-items.ts';

/** Where reading has come to, by agent. */
export type Places = Map<string, Place>;

/** Nudges that may come back in another process: those before have been read. */
const MAX_NUDGES = 4;

/** The place in this process, or where another one has come to: what that has saved was taken over by the run. */
export function placeIn(places: Places, run: Run, agent = ''): Place {
  const known = places.get(agent);
  const bookmark = run.bookmarkFor(agent);
  const isCurrent = known !== undefined && (bookmark === null || bookmark === known.bookmark);
  const place = isCurrent ? known : newPlace();
  if (!isCurrent && bookmark !== null) {
    const { read, last, loose = [], nudges, answered, ran, shown, said = 0 } = bookmark;
    Object.assign(place, {
      read,
      begun: read,
      last,
      loose,
      nudges,
      answered,
      ran,
      shown,
      said,
      bookmark,
      isTakenOver: true,
    });
  }
  // Each holds calls.
  keepFor(places, agent, place, MAX_BOOKMARKS);
  return place;
}

/** So that another process can go on from here. */
export function keepPlace(place: Place, run: Run, agent = ''): void {
  const { read, last, loose, nudges, open, answered, ran, shown, said } = place;
  const verdicts = open.map(({ verdict }) => verdict);
  place.bookmark = {
    agent,
    read,
    last,
    loose,
    nudges: nudges.slice(-MAX_NUDGES),
    verdicts,
    answered,
    ran,
    shown,
    said,
  };
  run.keepBookmark(place.bookmark);
}

/** The calls that had no result when another process read them; `known` = the messages that it read. */
export function reopen(place: Place, known: readonly ChatMessage[], agent: string | undefined): void {
  const verdicts = place.bookmark?.verdicts ?? [];
  place.isTakenOver = false;
  if (verdicts.length === 0) return;
  const calls = callsWithoutResult(known, agent).slice(-verdicts.length);
  place.open = calls.map((call, index) => ({ ...call, verdict: verdicts[index] as ReadCall['verdict'] }));
}

function callsWithoutResult(messages: readonly ChatMessage[], agent: string | undefined) {
  const calls: ReturnType<typeof callOf>[] = [];
  for (const message of chatOf(messages.slice(lastResponse(messages))))
    for (const event of eventsOf(message, undefined)) {
      if (event.type === 'call' && !event.hosted) calls.push(callOf(event, agent));
      if (event.type !== 'result') continue;
      const answered = calls.findIndex(({ id }) => id === event.id);
      if (answered >= 0) calls.splice(answered, 1);
    }
  return calls;
}
