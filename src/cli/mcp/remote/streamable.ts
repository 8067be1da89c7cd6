import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fieldsOf } from '../../../mcp/fields.ts';
import { isBatch, readMessages } from '../../../mcp/message.ts';
import { collected } from '../http/exchange.ts';
import { whyUnreached } from '../http/why-unreached.ts';
import { createBodyHeaders } from './body-headers.ts';
import { decoded } from './decoded.ts';
import { eventsIn, messageIn } from './events.ts';
import { answeredIn, type Outgoing, outgoing } from './outgoing.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { EVENTS_TYPE, isDone, isOfType, JSON_TYPE, type Remote, type RemoteOptions } from './remote.ts';

export type StreamableOptions = RemoteOptions & {
  /** The server refuses to begin this way; whether somebody else takes over. */
  readonly onRefused?: ((message: Outgoing) => Promise<boolean>) | undefined;
};

const SESSION_ID = 'mcp-session-id';
const INITIALIZED: Buffer = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}');
/** How often an answer is looked for in vain after its stream was cut. */
const MAX_RESUMED = 5;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** How long messages wait for the stream on which the server may ask something in return. */
const OPENING_MS = 1000;
/** A client that leaves has two seconds. */
const GOODBYE_MS = 1000;
/** How servers say that they do not know this transport, by the specification of 2025-03-26. */
const UNKNOWN_HERE: readonly number[] = [400, 404, 405];

/** A stream of events, up to where it was read. */
type Reading = { lastId: string | null; retryMs: number | null; isHeard: boolean };

/** Streamable HTTP: every message is a request, and what comes back for it is JSON or a stream of events. */
export function createStreamable(options: StreamableOptions): Remote {
  const { url, ask, deliver, fail, say, onRefused } = options;
  const over = new AbortController();
  const inFlight = new Map<Outgoing, AbortController>();
  const bodyHeaders = createBodyHeaders();
  let session: string | null = null;
  let version: string | null = null;
  /** What the client began with, to begin anew when the server has forgotten it. */
  let first: Outgoing | null = null;
  let listening: AbortController | null = null;
  let renewing: Promise<boolean> | null = null;

  function headersFor(message: Outgoing | null): { readonly [name: string]: string } {
    const spoken = message?.version ?? version;
    const isFirst = message?.kind === 'initialize';
    return {
      ...(session === null || isFirst ? {} : { [SESSION_ID]: session }),
      ...(spoken === null || isFirst ? {} : { 'MCP-Protocol-Version': spoken }),
      ...(message === null ? {} : bodyHeaders.of(message)),
    };
  }

  function post(message: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = {
      ...headersFor(message),
      'Content-Type': JSON_TYPE,
      Accept: `${JSON_TYPE}, ${EVENTS_TYPE}`,
    };
    return ask({ method: 'POST', headers, body: message.bytes, signal });
  }

  async function send(message: Outgoing): Promise<void> {
    const leaving = new AbortController();
    const { signal } = leaving;
    inFlight.set(message, leaving);
    if (message.kind === 'initialize') begin(message);
    if (message.version !== null) version = message.version;
    try {
      await exchange(message, signal, true);
    } catch (error) {
      if (!signal.aborted) fail(message, whyUnreached(url, error));
    }
    message.settled.then(() => inFlight.delete(message));
  }

  function begin(message: Outgoing): void {
    first = message;
    session = null;
    version = null;
    listening?.abort();
    listening = null;
  }

  /** `mayRenew` = a session that the server has forgotten is begun anew, once. */
  async function exchange(message: Outgoing, signal: AbortSignal, mayRenew: boolean): Promise<void> {
    const sentIn = session;
    const answer = await post(message, signal);
    const { statusCode = 0 } = answer;
    if (!isDone(answer)) {
      const refusal = await refusalOf(answer, url, message);
      if (message.kind === 'initialize' || sentIn === null || !isForgotten(statusCode, refusal))
        return refused(message, refusal, statusCode);
      if (mayRenew && (session !== sentIn || (await renewed()))) return exchange(message, signal, false);
      const where = `${url.origin}${url.pathname}`;
      return fail(message, `${where} does not know this session any more: connect to it anew`);
    }
    if (message.kind === 'initialize') session = nameIn(answer);
    if (isOfType(answer, EVENTS_TYPE) && message.open.size > 0) {
      // The server has taken it; its answers may take as long as they like.
      follow(message, answer, signal).catch((error) => {
        if (!signal.aborted) fail(message, whyUnreached(url, error));
      });
      return;
    }
    // As the official clients do: whoever says anything else than 202 has no stream to listen to.
    if (message.kind === 'initialized' && statusCode === 202) await listen();
    const body = await collected(decoded(answer));
    if (message.open.size === 0) return;
    if (body === null) return fail(message, 'the answer of the server is too long');
    if (isOfType(answer, JSON_TYPE)) await told(message, body);
    // Whoever listens may still hear of it.
    if (message.open.size > 0 && (listening === null || statusCode !== 202))
      fail(message, `${url.origin}${url.pathname} has answered ${statusCode} without a message for it`);
  }

  async function refused(message: Outgoing, { why, answer }: Refusal, status: number): Promise<void> {
    const isUnknown = message.kind === 'initialize' && UNKNOWN_HERE.includes(status);
    if (isUnknown && (await onRefused?.(message)) === true) return;
    if (answer !== null) await told(message, answer);
    if (answer === null || message.open.size > 0) fail(message, why);
  }

  /** Gives the client what the server says to a message. */
  async function told(message: Outgoing | null, bytes: Buffer): Promise<void> {
    bodyHeaders.learn(bytes);
    if (message?.kind === 'initialize') version = versionIn(bytes) ?? version;
    await deliver(bytes);
  }

  /** Reads the answer to a message to its end; where it is cut off, it is asked for again. */
  async function follow(message: Outgoing, answer: IncomingMessage, signal: AbortSignal): Promise<void> {
    const reading: Reading = { lastId: null, retryMs: null, isHeard: false };
    let cut = await readAll(message, answer, reading);
    for (let failed = 0; message.open.size > 0; failed++) {
      signal.throwIfAborted();
      if (reading.lastId === null || failed >= MAX_RESUMED)
        return fail(
          message,
          `${url.origin}${url.pathname} has closed its stream before it answered${cut === null ? '' : `: ${cut}`}`,
        );
      await wait(delayAfter(failed, reading), undefined, { signal });
      reading.isHeard = false;
      cut = await resumed(message, reading, signal);
      if (reading.isHeard) failed = -1;
    }
  }

  /** Why the stream could not be read on; null = it ended by itself. */
  async function resumed(message: Outgoing, reading: Reading, signal: AbortSignal): Promise<string | null> {
    try {
      const answer = await stream(reading.lastId, signal);
      if (isDone(answer) && isOfType(answer, EVENTS_TYPE)) return await readAll(message, answer, reading);
      answer.resume();
      return `it has answered ${answer.statusCode}`;
    } catch (error) {
      signal.throwIfAborted();
      return (error as Error).message;
    }
  }

  function stream(lastId: string | null, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { ...headersFor(null), Accept: EVENTS_TYPE };
    return ask({
      method: 'GET',
      headers: lastId === null ? headers : { ...headers, 'Last-Event-ID': lastId },
      signal,
    });
  }

  /** Reads to the end, or until the message is answered; gives why it was cut off. */
  async function readAll(
    message: Outgoing | null,
    answer: IncomingMessage,
    reading: Reading,
  ): Promise<string | null> {
    try {
      for await (const event of eventsIn(answer)) {
        reading.isHeard = true;
        if (event.id !== null) reading.lastId = event.id;
        if (event.retry !== null) reading.retryMs = event.retry;
        const bytes = messageIn(event);
        if (bytes !== null) await told(message, bytes);
      }
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Hears what the server has to say without being asked; it may have nothing, and then it says so. Resolves when it has said which. */
  async function listen(): Promise<void> {
    listening?.abort();
    const own = new AbortController();
    listening = own;
    const { signal } = own;
    const reading: Reading = { lastId: null, retryMs: null, isHeard: false };
    const open = () => stream(reading.lastId, signal).catch(() => null);
    let next = open();
    const opened = Promise.race([next, wait(OPENING_MS, undefined, { ref: false })]);
    const hear = async () => {
      for (let failed = 0; ; failed++) {
        reading.isHeard = false;
        const answer = await next;
        if (answer !== null && isDone(answer) && isOfType(answer, EVENTS_TYPE))
          await readAll(null, answer, reading);
        else {
          answer?.resume();
          if (answer !== null && (answer.statusCode ?? 0) < 500) break;
        }
        if (reading.isHeard) failed = 0;
        await wait(delayAfter(failed, reading), undefined, { signal, ref: false });
        next = open();
      }
      if (listening === own) listening = null;
    };
    hear().catch(() => {});
    await opened;
  }

  /** Begins a session in the place of one that the server has forgotten, with the client's own words. */
  function renewed(): Promise<boolean> {
    renewing ??= renew()
      .catch(() => false)
      .finally(() => {
        renewing = null;
      });
    return renewing;
  }

  async function renew(): Promise<boolean> {
    if (first === null) return false;
    const again = outgoing(first.bytes);
    const answer = await post(again, over.signal);
    if (!isDone(answer)) {
      answer.resume();
      return false;
    }
    const result = await answerIn(answer, again);
    if (result === null || versionIn(result) === null) return false;
    session = nameIn(answer);
    version = versionIn(result);
    const accepted = await post(outgoing(INITIALIZED), over.signal);
    accepted.resume();
    if (!isDone(accepted)) return false;
    await listen();
    say(`${url.origin}${url.pathname} has forgotten the session; a new one was begun`);
    return true;
  }

  return {
    send,
    cancel(id) {
      const found = [...inFlight].find(([message]) => message.version !== null && message.open.has(id));
      // In the wire of 2026-07-28 whoever hangs up has cancelled.
      found?.[1].abort();
      found?.[0].settle();
      return found !== undefined;
    },
    async close() {
      const ended = session;
      for (const hangUp of [over, listening, ...inFlight.values()]) hangUp?.abort();
      if (ended === null) return;
      const headers = headersFor(null);
      session = null;
      await ask({ method: 'DELETE', headers, signal: AbortSignal.timeout(GOODBYE_MS) })
        .then((answer) => answer.resume())
        .catch(() => {});
    },
  };
}

/** By the specification 404 says so; servers that were written after the official examples say it in words. */
function isForgotten(status: number, { why }: Refusal): boolean {
  return status === 404 || (status === 400 && /\bsession\b/i.test(why));
}

/** What the server has asked for, or longer each time; a client is not left waiting for a server that asks for years. */
function delayAfter(failed: number, { retryMs }: Reading): number {
  return Math.min(retryMs ?? FIRST_DELAY_MS * 1.5 ** failed, MAX_DELAY_MS);
}

function nameIn({ headers }: IncomingMessage): string | null {
  const name = headers[SESSION_ID];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** The version that the server has chosen. */
function versionIn(bytes: Buffer): string | null {
  const read = readMessages(bytes);
  if (read === null || isBatch(read)) return null;
  const { protocolVersion } = fieldsOf(read.fields['result']);
  return typeof protocolVersion === 'string' ? protocolVersion : null;
}

/** The answer to a message that the client knows nothing of. */
async function answerIn(answer: IncomingMessage, { open }: Outgoing): Promise<Buffer | null> {
  const isMeant = (bytes: Buffer) => answeredIn(bytes)?.some((id) => open.has(id)) === true;
  if (!isOfType(answer, EVENTS_TYPE)) {
    const body = await collected(decoded(answer));
    return body !== null && isMeant(body) ? body : null;
  }
  for await (const event of eventsIn(answer)) {
    const bytes = messageIn(event);
    if (bytes !== null && isMeant(bytes)) return bytes;
  }
  return null;
}
