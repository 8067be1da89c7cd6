import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { failure } from '../../../mcp/answers.ts';
import { createRequests } from '../../../mcp/requests.ts';
import type { Pending } from '../../../mcp/running.ts';
import type { Session } from '../../../mcp/session.ts';
import type { Way } from '../../../mcp/way.ts';
import { MAX_MESSAGE_BYTES } from '../max-message-bytes.ts';
import { eventOf, guardedEvents, type OnOther } from './event-stream.ts';
import { headersOf, type Upstream } from './upstream.ts';

export type ExchangeOptions = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly session: Session;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  /** Hears of the answer before the client does; gives headers to add. */
  readonly onAnswer: (answer: IncomingMessage) => readonly string[];
  /** Hears of a server that cannot be reached; gives the words for it. */
  readonly onFailure: (error: unknown) => string;
};

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';

/** A message that a client posts, and what comes back for it. */
export async function exchange(options: ExchangeOptions): Promise<void> {
  const { request, response, body, session, upstream, signal } = options;
  /** What we say ourselves, until there is a stream for it. */
  const said: Buffer[] = [];
  let isStreaming = false;
  /** Calls that wait for a person, and answers of the server that are on their way. */
  let open = 0;
  let isResumable = false;

  const way: Way = {
    requests: createRequests<Pending>(),
    holder: acceptsEvents(request)
      ? {
          hold() {
            open += 1;
          },
          release: finish,
        }
      : null,
    toClient(message) {
      if (isStreaming) response.write(eventOf(message));
      else said.push(message);
    },
    toServer(message) {
      open += 1;
      relay(message).finally(finish);
    },
  };

  function finish(): void {
    open -= 1;
    if (open === 0 && isStreaming) response.end();
  }

  /** The answer as events, behind what we have said ourselves. */
  async function relay(message: Buffer): Promise<void> {
    try {
      const answer = await upstream.send(request, message, signal);
      if (isOf(answer, EVENTS_TYPE)) {
        isResumable = true;
        await pipeline(answer, guardedEvents(fromServer), response, { end: false });
      } else if (isOf(answer, JSON_TYPE)) {
        const bytes = await collected(answer);
        response.write(
          eventOf(fromServer(bytes ?? failure(message, 'The answer of the server is too long.'))),
        );
      } else {
        answer.resume();
        response.write(
          eventOf(fromServer(failure(message, `The server has answered ${answer.statusCode}.`))),
        );
      }
    } catch (error) {
      if (!signal.aborted) response.write(eventOf(fromServer(failure(message, options.onFailure(error)))));
    }
  }

  const fromServer = (message: Buffer): Buffer => session.fromServer(message, way);

  response.once('close', () => session.over(way, isResumable));
  const passed = session.fromClient(body, way);
  if (open > 0 || (passed !== null && said.length > 0)) {
    isStreaming = true;
    response.writeHead(200, { 'Content-Type': EVENTS_TYPE, 'Cache-Control': 'no-cache' });
    response.flushHeaders();
    for (const message of said) response.write(eventOf(message));
    if (passed !== null) way.toServer(passed);
  } else if (passed !== null) {
    const answer = await upstream.send(request, passed, signal);
    isResumable = isOf(answer, EVENTS_TYPE);
    await pass(answer, response, fromServer, options.onAnswer(answer));
  } else if (said.length === 0) response.writeHead(202).end();
  else response.writeHead(200, { 'Content-Type': JSON_TYPE }).end(said[0]);
}

/** Gives the client an answer of the server, with its messages as `handle` makes them. */
export async function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  handle: (message: Buffer) => Buffer,
  added: readonly string[],
  onOther?: OnOther,
): Promise<void> {
  const { statusCode = 502, statusMessage } = answer;
  if (isOf(answer, JSON_TYPE) && !isLong(answer)) {
    const bytes = await collected(answer);
    if (bytes === null) throw new Error('the answer of the server is too long');
    const passed = handle(bytes);
    const headers = [
      ...headersOf(answer, ['content-length']),
      'Content-Length',
      String(passed.length),
      ...added,
    ];
    response.writeHead(statusCode, statusMessage, headers);
    response.end(passed);
    return;
  }
  response.writeHead(statusCode, statusMessage, [...headersOf(answer), ...added]);
  // A stream may have nothing to say for a long time.
  response.flushHeaders();
  if (isOf(answer, EVENTS_TYPE)) await pipeline(answer, guardedEvents(handle, onOther), response);
  else await pipeline(answer, response);
}

/** All there is to read; null = too much. */
export async function collected(source: Readable): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_BYTES) return null;
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** It says that it is longer than anything that is looked at. */
export function isLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES;
}

function isOf({ headers }: IncomingMessage, type: string): boolean {
  // What is compressed against our wish cannot be looked at.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return false;
  return (headers['content-type'] ?? '').toLowerCase().split(';', 1)[0]?.trim() === type;
}

function acceptsEvents({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').toLowerCase().includes(EVENTS_TYPE);
}
