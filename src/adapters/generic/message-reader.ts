import type { HostCall, Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { RUN, type Verdict } from '../verdict.ts';
import { type ChatMessage, eventsOf, type IsFailure, type MessageEvent, textOf } from './message-events.ts';
import { chatOf, lastResponse } from './response-items.ts';

export type ReadCall = HostCall & { readonly verdict: Verdict };

/** What the host must do now that it has shown its messages. */
export type Reading = {
  /** The calls that have no result yet, and what is to be done with each. */
  readonly calls: readonly ReadCall[];
  /** Add this as a user message; there is one only when every call has its result. */
  readonly nudge: string | null;
  /** Ask the model once more, without tools, and then end. */
  readonly lastTurn: boolean;
  /** End now. */
  readonly over: boolean;
  readonly stopped: StopReason | null;
};

export type MessageReader = (
  messages: readonly ChatMessage[],
  options?: {
    readonly agent?: string | undefined;
    /** Without it the guard looks for signs of failure in the text alone. */
    readonly isFailure?: IsFailure | undefined;
  },
) => Promise<Reading>;

type Place = {
  read: number;
  /** The message read last, to notice that the list was rewritten. */
  last: string;
  /** Words of ours, which come back as messages of the user. */
  nudges: string[];
  open: Map<string | HostCall, ReadCall>;
};

const MAX_NUDGES = 16;

/** Reads a list of messages again and again, and each message once. A list that a new process reads is gone through as history. */
export function createMessageReader(run: Run): MessageReader {
  const places = new Map<string, Place>();

  function tell(place: Place, event: MessageEvent, agent: string | undefined): ReadCall | null {
    // What had no result by then will have none.
    if (event.type === 'turn' || event.type === 'user') place.open.clear();
    switch (event.type) {
      case 'user': {
        const own = place.nudges.some((nudge) => event.text.includes(nudge));
        run.user(event.text, { by: own ? 'host' : 'person', agent });
        break;
      }
      case 'turn':
        run.turn({ text: event.text, reasoning: event.reasoning, agent });
        break;
      case 'call':
        return { ...callOf(event, agent), verdict: RUN };
      case 'result': {
        const [key, call] = answered(place, event.id);
        if (call === undefined) break;
        place.open.delete(key as string | HostCall);
        // A call that was not run has got its result from the guard.
        if (call.verdict.do === 'run') run.after(call, event);
      }
    }
    return null;
  }

  /** What was said to the model before it answered has reached it. */
  function deliver(place: Place, agent: string | undefined): string | null {
    const nudge = run.takeNudge(agent);
    if (nudge === null) return null;
    place.nudges = [...place.nudges, nudge.text].slice(-MAX_NUDGES);
    return nudge.text;
  }

  return async function read(messages, { agent, isFailure } = {}) {
    await run.ready();
    const place = places.get(agent ?? '') ?? { read: 0, last: '', nudges: [], open: new Map() };
    places.set(agent ?? '', place);
    const from = startOf(place, messages);
    if (from < place.read) run.tell({ type: 'compaction', agent });
    for (const message of chatOf(messages.slice(from))) {
      const events = eventsOf(message, isFailure);
      if (events.some(({ type }) => type === 'turn' || type === 'user')) deliver(place, agent);
      for (const event of events) {
        const call = tell(place, event, agent);
        if (call === null) continue;
        const verdict = await run.check(call);
        place.open.set(call.id ?? call, { ...call, verdict });
      }
      if (events.some(({ type }) => type === 'call')) run.tell({ type: 'calls-known', agent });
    }
    place.read = messages.length;
    place.last = printOf(messages.at(-1));
    const calls = [...place.open.values()];
    const settled = calls.length === 0;
    if (settled) await run.settle(agent);
    await run.saved();
    const lastTurn = settled && run.takeLastTurn(agent);
    return {
      calls,
      nudge: settled ? deliver(place, agent) : null,
      lastTurn,
      over: !lastTurn && run.isOver(agent),
      stopped: run.stoppedFor(agent),
    };
  };
}

/** The first message that is new. In a list that was rewritten, what stands behind the message read last; or the last response. */
function startOf({ read, last }: Place, messages: readonly ChatMessage[]): number {
  if (read === 0 || printOf(messages[read - 1]) === last) return read;
  return messages.findLastIndex((message) => printOf(message) === last) + 1 || lastResponse(messages);
}

function answered(
  { open }: Place,
  id: string | undefined,
): readonly [string | HostCall | undefined, ReadCall?] {
  if (id !== undefined && open.has(id)) return [id, open.get(id) as ReadCall];
  const first = [...open].find(([key]) => typeof key !== 'string');
  return id === undefined && first !== undefined ? first : [undefined];
}

function callOf({ id, tool, args }: MessageEvent & { type: 'call' }, agent: string | undefined): HostCall {
  return { id, tool, args: args ?? null, agent };
}

/** Enough of a message to know it again, also when words were added to a result, or it was cut. */
function printOf(message: ChatMessage | undefined): string {
  if (typeof message !== 'object' || message === null) return '';
  const [same = message] = chatOf([message]);
  const ids = eventsOf(same, undefined).flatMap((event) => ('id' in event && event.id ? [event.id] : []));
  return JSON.stringify([same.role, ids.length > 0 ? ids : textOf(same.content)]);
}
