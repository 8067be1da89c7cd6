import { setTimeout as wait } from 'node:timers/promises';
import { whyUnreached } from '../http/why-unreached.ts';
import { eventsIn, messageIn } from './events.ts';
import { answeredIn, type Outgoing, outgoing } from './outgoing.ts';
import { refusalOf } from './refusal.ts';
import { EVENTS_TYPE, isDone, isOfType, JSON_TYPE, type Remote, type RemoteOptions } from './remote.ts';

export type OldSse = Remote & {
  /** Whether a server of this kind is there. */
  connect(): Promise<boolean>;
};

/** One stream that is open: where messages go, and how it is left. */
type Line = { readonly endpoint: URL; readonly hangUp: AbortController };

const INITIALIZED: Buffer = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}');
/** A server of this kind says at once where messages go. */
const ENDPOINT_MS = 15_000;

/** HTTP+SSE, the transport of 2024-11-05: the server says in a stream where messages go, and answers there. */
export function createOldSse({ url, ask, deliver, fail, say }: RemoteOptions): OldSse {
  const over = new AbortController();
  const where = `${url.origin}${url.pathname}`;
  const waiting = new Set<Outgoing>();
  let line: Promise<Line> | null = null;
  /** What the client began with, to begin anew on another stream. */
  let first: Outgoing | null = null;

  function opened(): Promise<Line> {
    line ??= open().catch((error: unknown) => {
      line = null;
      throw error;
    });
    return line;
  }

  async function open(): Promise<Line> {
    const hangUp = new AbortController();
    const signal = AbortSignal.any([over.signal, hangUp.signal]);
    const late = setTimeout(() => hangUp.abort(), ENDPOINT_MS);
    try {
      const answer = await ask({ method: 'GET', headers: { Accept: EVENTS_TYPE }, signal });
      if (!isDone(answer)) throw new Error((await refusalOf(answer, url, outgoing(Buffer.alloc(0)))).why);
      if (!isOfType(answer, EVENTS_TYPE)) {
        answer.destroy();
        throw new Error(`${where} has no stream of events`);
      }
      const events = eventsIn(answer);
      const { value: told } = await events.next();
      const endpoint = told?.type === 'endpoint' ? endpointIn(told.data, url) : null;
      if (endpoint === null) {
        hangUp.abort();
        throw new Error(`${where} does not say where messages go`);
      }
      const begun: Line = { endpoint, hangUp };
      hear(events, begun).catch(() => {});
      return begun;
    } finally {
      clearTimeout(late);
    }
  }

  async function hear(events: ReturnType<typeof eventsIn>, { hangUp }: Line): Promise<void> {
    let why = '';
    try {
      for await (const event of events) {
        const bytes = messageIn(event);
        if (bytes === null || takesAnswer(bytes)) continue;
        await deliver(bytes);
      }
    } catch (error) {
      why = `: ${(error as Error).message}`;
    }
    if (over.signal.aborted || hangUp.signal.aborted) return;
    line = null;
    for (const message of waiting) fail(message, `${where} has closed its stream before it answered${why}`);
  }

  /** The answer to a beginning that the client knows nothing of. */
  let again: Outgoing | null = null;
  function takesAnswer(bytes: Buffer): boolean {
    if (again === null || !answeredIn(bytes)?.some((id) => again?.open.has(id))) return false;
    again.settle();
    again = null;
    return true;
  }

  async function post(message: Outgoing, { endpoint }: Line): Promise<string | null> {
    const headers = { 'Content-Type': JSON_TYPE };
    const answer = await ask({
      method: 'POST',
      url: endpoint,
      headers,
      body: message.bytes,
      signal: over.signal,
    });
    if (!isDone(answer)) return (await refusalOf(answer, url, message)).why;
    answer.resume();
    return null;
  }

  async function hangUp(): Promise<void> {
    const old = await line?.catch(() => null);
    line = null;
    old?.hangUp.abort();
  }

  /** Another stream is another session, which begins as the client has begun. */
  async function ready(message: Outgoing): Promise<Line> {
    if (message.kind === 'initialize') {
      if (first !== null) await hangUp();
      first = message;
      return opened();
    }
    const isNew = line === null;
    const current = await opened();
    if (!isNew || first === null) return current;
    again = outgoing(first.bytes);
    const { settled } = again;
    await post(again, current);
    await Promise.race([settled, wait(ENDPOINT_MS, undefined, { signal: over.signal, ref: false })]);
    await post(outgoing(INITIALIZED), current);
    say(`${where} has closed the session; a new one was begun`);
    return current;
  }

  return {
    async connect() {
      return opened().then(
        () => true,
        () => false,
      );
    },
    async send(message) {
      try {
        const current = await ready(message);
        if (message.open.size > 0) waiting.add(message);
        message.settled.then(() => waiting.delete(message));
        const why = await post(message, current);
        if (why !== null) fail(message, why);
      } catch (error) {
        const { code, message: words } = error as NodeJS.ErrnoException;
        if (!over.signal.aborted) fail(message, code === undefined ? words : whyUnreached(url, error));
      }
    },
    cancel: () => false,
    async close() {
      over.abort();
    },
  };
}

/** Messages, and what is sent with them, stay with the server that was named. */
function endpointIn(data: Buffer | null, url: URL): URL | null {
  const told = String(data ?? '').trim();
  if (told === '' || !URL.canParse(told, url.href)) return null;
  const endpoint = new URL(told, url);
  return endpoint.origin === url.origin ? endpoint : null;
}
