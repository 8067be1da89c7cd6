import type { IncomingMessage } from 'node:http';
import type { Outgoing } from './outgoing.ts';

/** A server somewhere in the network, behind one of the transports. */
export type Remote = {
  /** Done when the server has taken it, or was found not to; what it answers is delivered. Never fails. */
  send(message: Outgoing): Promise<void>;
  /** The client does not wait any more for the answer to a request; whether that is all there is to do. */
  cancel(id: unknown): boolean;
  /** Says goodbye to the server, and hangs up. */
  close(): Promise<void>;
};

export type RemoteOptions = {
  readonly url: URL;
  readonly ask: Ask;
  /** Gives the client a message; done when it may have the next. */
  readonly deliver: (message: Buffer) => Promise<void>;
  /** Answers what is still open of a message. */
  readonly fail: (message: Outgoing, why: string) => void;
  /** Says something to people. */
  readonly say: (text: string) => void;
};

/** Sends a request; gives the answer as soon as its headers are there. */
export type Ask = (request: AskRequest) => Promise<IncomingMessage>;

export type AskRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Where, if not at the server's own address. */
  readonly url?: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Buffer;
  readonly signal: AbortSignal;
};

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

export function isDone({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

export function isOfType({ headers }: IncomingMessage, type: string): boolean {
  return (headers['content-type'] ?? '').toLowerCase().split(';', 1)[0]?.trim() === type;
}
