import type { IncomingMessage } from 'node:http';
import { createEventSplitter, readEvent, type ServerEvent } from '../http/event-stream.ts';
import { decoded } from './decoded.ts';

/** The events of an answer, one after the other; fails when the connection does, or when one is too long. */
export async function* eventsIn(answer: IncomingMessage): AsyncGenerator<ServerEvent> {
  const splitter = createEventSplitter();
  for await (const chunk of decoded(answer) as AsyncIterable<Buffer>)
    for (const { bytes, isEvent } of splitter.push(chunk)) {
      if (!isEvent) throw new Error('a message of the server is too long');
      yield readEvent(bytes);
    }
}

/** The message in an event; null = it holds none. */
export function messageIn({ type, data }: ServerEvent): Buffer | null {
  return (type === null || type === 'message') && data !== null && data.length > 0 ? data : null;
}
