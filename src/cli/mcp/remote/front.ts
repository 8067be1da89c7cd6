import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { failure } from '../../../mcp/answers.ts';
import { fieldsOf } from '../../../mcp/fields.ts';
import { idKey } from '../../../mcp/requests.ts';
import type { Session } from '../../../mcp/session.ts';
import type { Way } from '../../../mcp/way.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { McpFlags } from '../flags.ts';
import { createConnection } from '../http/connection.ts';
import { createLinePipe } from '../line-pipe.ts';
import { createHeadersHelper } from '../sign-in/headers-helper.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { createAsk, type SignIn } from './ask.ts';
import { type Headers, headersOf } from './headers.ts';
import { createOldSse } from './old-sse.ts';
import { answeredIn, type Outgoing, outgoing } from './outgoing.ts';
import type { Remote, RemoteOptions } from './remote.ts';
import { createStreamable } from './streamable.ts';
import { type Transport, transportOf } from './transport.ts';

export type Front = {
  readonly url: URL;
  readonly transport: Transport;
  readonly headers: Headers;
  readonly signIn: SignIn | null;
  readonly session: Session;
  readonly process: NodeJS.Process;
  /** Says something to people. */
  readonly say: (text: string) => void;
};

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const WATCH_MS = 250;
/** How long what follows a notification waits for the server to take that. */
const TAKING_MS = 5000;
/** So much of what the client says may wait for the server. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
/** It is open for as long as the client is there. */
const LASTING = 'subscriptions/listen';

/** What the flags say of the way to a server. */
export function frontOptions(
  url: URL,
  flags: McpFlags,
  surroundings: Surroundings,
  say: (text: string) => void,
): Pick<Front, 'transport' | 'headers' | 'signIn'> {
  const transport = transportOf(flags.transport);
  const headers = headersOf(flags, surroundings.env);
  const isSigned = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const { headersHelper, name, login } = flags;
  if (headersHelper !== undefined)
    return { transport, headers, signIn: createHeadersHelper(headersHelper, url, name, say) };
  return { transport, headers, signIn: isSigned || !login ? null : createSignIn(url, surroundings, say) };
}

/** Speaks to a client on standard input and output, and to a server in the network, until the client leaves. */
export async function runFront({
  url,
  transport,
  headers,
  signIn,
  session,
  process,
  say,
}: Front): Promise<number> {
  const { stdin, stdout } = process;
  const connection = createConnection(url);
  const waiting = new Map<unknown, Outgoing>();
  const remote = createRemote(transport, {
    url,
    ask: createAsk(url, connection, headers, signIn),
    deliver,
    fail,
    say,
  });
  const way: Way = {
    toClient: (message) => write(message),
    toServer: (message) => transmit(message),
  };
  let queue: Promise<void> = Promise.resolve();
  let queued = 0;

  function write(message: Buffer): void {
    if (stdout.destroyed || stdout.writableEnded) return;
    stdout.write(Buffer.concat([onOneLine(message), Buffer.of(LINE_FEED)]));
  }

  async function deliver(message: Buffer): Promise<void> {
    const answered = answeredIn(message);
    if (answered === null) {
      say('the server has said something that is no message; it is not passed on');
      return;
    }
    for (const id of answered) done(id);
    write(session.fromServer(message));
    if (stdout.writableNeedDrain) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
  }

  function done(id: unknown): void {
    const message = waiting.get(id);
    waiting.delete(id);
    message?.open.delete(id);
    if (message?.open.size === 0) message.settle();
  }

  function fail(message: Outgoing, why: string): void {
    const { open, bytes } = message;
    if (open.size === 0) {
      say(why);
      return;
    }
    const answer = failure(bytes, why, (id) => open.has(idKey(id)));
    for (const id of [...open]) done(id);
    write(session.fromServer(answer));
  }

  /** Messages go out in the order they came in; only requests do not wait until the server has taken the last one. */
  function transmit(bytes: Buffer): void {
    queued += bytes.length;
    if (queued > MAX_WAITING_BYTES) stdin.pause();
    queue = queue.then(async () => {
      await sent(outgoing(withoutEnd(bytes)));
      queued -= bytes.length;
      if (stdin.isPaused() && queued <= MAX_WAITING_BYTES) stdin.resume();
    });
  }

  async function sent(message: Outgoing): Promise<void> {
    const { method, params } = message.message?.fields ?? {};
    if (method === 'notifications/cancelled') {
      const id = idKey(fieldsOf(params)['requestId']);
      const isAll = remote.cancel(id);
      done(id);
      if (isAll) return;
    }
    for (const id of message.open) waiting.set(id, message);
    const taken = remote.send(message);
    // Before the server has answered that one, nothing can be said to it.
    if (message.kind === 'initialize') await message.settled;
    else if (message.open.size === 0) await Promise.race([taken, wait(TAKING_MS, undefined, { ref: false })]);
  }

  const fromClient = createLinePipe({
    handle(line) {
      const passed = isBlank(line) ? null : session.fromClient(line, way);
      if (passed !== null) transmit(passed);
      return null;
    },
    write: () => {},
    onTooLong: () => say('a message of the client is too long; it is not sent'),
  });
  stdin.on('data', fromClient.push);
  const status = await leaving(process, async () => {
    fromClient.end();
    await queue;
    const open = [...waiting.values()].filter(({ message }) => message?.fields['method'] !== LASTING);
    await Promise.all(open.map(({ settled }) => settled));
  });
  stdin.destroy();
  await remote.close();
  connection.close();
  return status;
}

/** Until the client is gone, and has been told all that it has asked for; gives the exit status. */
async function leaving(process: NodeJS.Process, finished: () => Promise<void>): Promise<number> {
  const { stdin, stdout, ppid: parent } = process;
  let watch: NodeJS.Timeout | undefined;
  let forget = () => {};
  const status = await new Promise<number>((resolve) => {
    const listeners = SIGNALS.map(
      (signal) => [signal, () => resolve(128 + constants.signals[signal])] as const,
    );
    for (const [signal, listener] of listeners) process.on(signal, listener);
    forget = () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    };
    stdout.on('error', () => resolve(0));
    stdin.on('error', () => resolve(0));
    stdin.on('end', () => {
      // Whoever was killed does not wait for answers.
      watch = setInterval(() => process.ppid !== parent && resolve(0), WATCH_MS);
      finished().then(() => resolve(0));
    });
  });
  clearInterval(watch);
  forget();
  return status;
}

function createRemote(transport: Transport, options: RemoteOptions): Remote {
  if (transport === 'sse') return createOldSse(options);
  if (transport === 'http') return createStreamable(options);
  let chosen: Remote = createStreamable({
    ...options,
    async onRefused(message) {
      const old = createOldSse(options);
      if (!(await old.connect())) return false;
      chosen = old;
      await old.send(message);
      return true;
    },
  });
  return {
    send: (message) => chosen.send(message),
    cancel: (id) => chosen.cancel(id),
    close: () => chosen.close(),
  };
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === SPACE);
}

/** The message of a line. */
function withoutEnd(line: Buffer): Buffer {
  if (line.at(-1) !== LINE_FEED) return line;
  return line.subarray(0, line.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/** A line holds one message; between the parts of one a blank does as well. */
function onOneLine(message: Buffer): Buffer {
  if (!message.includes(LINE_FEED) && !message.includes(CARRIAGE_RETURN)) return message;
  return Buffer.from(message.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)));
}
