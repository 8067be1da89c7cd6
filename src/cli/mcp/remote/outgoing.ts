import { fieldsOf } from '../../../mcp/fields.ts';
import { isBatch, type Message, readMessages } from '../../../mcp/message.ts';
import { idKey } from '../../../mcp/requests.ts';

/** What goes to the server: a message of the client's, or a batch of them. */
export type Outgoing = {
  readonly bytes: Buffer;
  /** The requests in it that are not answered yet, by id. */
  readonly open: Set<unknown>;
  /** What kind it is, where that matters for what follows. */
  readonly kind: 'initialize' | 'initialized' | 'other';
  /** The version of the wire that it says it speaks: it is of the wire of 2026-07-28, then. */
  readonly version: string | null;
  /** Its one message; null in a batch, and for what is no JSON. */
  readonly message: Message | null;
  /** Nobody waits for an answer any more. */
  readonly settled: Promise<void>;
  settle(): void;
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const KINDS: ReadonlyMap<unknown, Outgoing['kind']> = new Map([
  ['initialize', 'initialize'],
  ['notifications/initialized', 'initialized'],
]);

export function outgoing(bytes: Buffer): Outgoing {
  const read = readMessages(bytes);
  const messages = read === null ? [] : isBatch(read) ? read : [read];
  const requests = messages.filter(
    ({ fields }) => fields['method'] !== undefined && fields['id'] !== undefined,
  );
  const kinds = messages.flatMap(({ fields }) => KINDS.get(fields['method']) ?? []);
  const message = read === null || isBatch(read) ? null : read;
  const version = fieldsOf(fieldsOf(message?.fields['params'])['_meta'])[VERSION];
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  if (requests.length === 0) settle();
  return {
    bytes,
    open: new Set(requests.map(({ fields }) => idKey(fields['id']))),
    kind: kinds[0] ?? 'other',
    version: typeof version === 'string' ? version : null,
    message,
    settled,
    settle,
  };
}

/** The ids of the answers in a message of the server's; null = it is none. */
export function answeredIn(bytes: Buffer): readonly unknown[] | null {
  const read = readMessages(bytes);
  if (read === null) return null;
  return (isBatch(read) ? read : [read])
    .filter(({ fields }) => fields['method'] === undefined && fields['id'] !== undefined)
    .map(({ fields }) => idKey(fields['id']));
}
