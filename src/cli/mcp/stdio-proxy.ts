import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Session } from '../../mcp/session.ts';
import type { Way } from '../../mcp/way.ts';
import { counted, printable } from '../text.ts';
import { createLinePipe } from './line-pipe.ts';
import { type ServerEnd, type ServerProcess, startServer, statusOf } from './server-process.ts';

export type StdioProxy = {
  readonly command: readonly string[];
  readonly session: Session;
  readonly process: NodeJS.Process;
  /** Says something to people. */
  readonly say: (text: string) => void;
};

/** So much of our own answers may wait for a client that does not read. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** How long a server may go on without a client and with nothing to do. */
const IDLE_MS = 3000;
const WATCH_MS = 250;
/** How long what a server has left behind may keep its output open without using it. */
const SILENCE_MS = 2000;
const NOT_STARTED = 2;
const WHY_NOT: { readonly [code: string]: string } = {
  ENOENT: 'there is no such command',
  EACCES: 'it is no program, or may not be run',
};
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs the server behind the guard until it ends; gives its exit status. */
export async function proxyStdio({ command, session, process, say }: StdioProxy): Promise<number> {
  const [program = '', ...args] = command;
  const { stdin, stdout } = process;
  const stop = new AbortController();
  const forward = (signal: NodeJS.Signals) => {
    server.dismiss(signal);
    stop.abort();
  };
  // Before there is a server: whoever is killed while it starts would leave it behind.
  for (const signal of SIGNALS) process.on(signal, forward);
  const server = startServer(program, args);
  const shown = printable(program);
  const leave = createLeaving(server, session, process, () => say(`the client is gone; ${shown} is ended`));

  const toServer = createLinePipe({
    handle: (line) => session.fromClient(line, way),
    write: (pieces) => writeAll(server.stdin, pieces),
    onTooLong: () => say('a message of the client is too long to be looked at; it passes as it is'),
  });
  const toClient = createLinePipe({
    handle: session.fromServer,
    write: (pieces) => writeAll(stdout, pieces),
    onTooLong: () => say('a message of the server is too long to be looked at; it passes as it is'),
  });
  const way: Way = { toServer: toServer.insert, toClient: toClient.insert };

  const isFree = () => !server.stdin.writableNeedDrain && stdout.writableLength < MAX_WAITING_BYTES;
  const goOn = () => {
    if (stdin.isPaused() && isFree()) stdin.resume();
    if (server.stdout.isPaused() && !stdout.writableNeedDrain) server.stdout.resume();
  };
  stdin.on('data', (chunk: Buffer) => {
    toServer.push(chunk);
    if (!isFree()) stdin.pause();
  });
  server.stdout.on('data', (chunk: Buffer) => {
    leave.heard();
    toClient.push(chunk);
    if (stdout.writableNeedDrain) server.stdout.pause();
  });
  server.stdin.on('drain', goOn);
  stdout.on('drain', goOn);

  stdin.on('end', () => {
    toServer.end();
    server.stdin.end();
    leave.closed();
  });
  stdin.on('error', () => server.stdin.end());
  server.stdout.on('end', () => {
    toClient.end();
    leave.closed();
  });
  // The server takes no more: the client is to feel it, as it would without us.
  server.stdin.on('error', () => stdin.destroy());
  stdout.on('error', () => {
    server.stdin.end();
    server.stdout.resume();
    leave.clientLost();
  });

  const end = await server.ended;
  if (!('failure' in end) && !stop.signal.aborted) {
    const stopped = once(stop.signal, 'abort');
    await Promise.race([fellSilent(server.stdout), stopped]);
    await Promise.race([flushed(stdout), stopped]);
  }
  leave.done();
  stdin.destroy();
  for (const signal of SIGNALS) process.off(signal, forward);
  return report(end, shown, session.unanswered, say);
}

function report(end: ServerEnd, shown: string, unanswered: number, say: (text: string) => void): number {
  if ('failure' in end) {
    say(`${shown} could not be started: ${WHY_NOT[end.failure.code ?? ''] ?? end.failure.message}`);
    return NOT_STARTED;
  }
  const { code, signal } = end;
  const how = signal === null ? `with status ${code}` : `by ${signal}`;
  const open = unanswered === 0 ? '' : `, ${counted(unanswered, 'request')} unanswered`;
  if (signal !== null || code !== 0 || unanswered > 0) say(`${shown} has ended ${how}${open}`);
  return statusOf(end);
}

/** The server is gone, but what it has started may still talk for it. */
function fellSilent(source: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (source.readableEnded || source.destroyed) return resolve();
    let silence = setTimeout(resolve, SILENCE_MS);
    source.on('data', () => {
      clearTimeout(silence);
      silence = setTimeout(resolve, SILENCE_MS);
    });
    source.once('close', () => {
      clearTimeout(silence);
      resolve();
    });
  });
}

/** What was written has arrived, or there is nobody to take it. */
function flushed(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (sink.destroyed || sink.errored !== null) return resolve();
    sink.once('error', () => resolve());
    sink.write('', () => resolve());
  });
}

type Leaving = {
  /** The server has said something. */
  heard(): void;
  /** One side will say nothing more. */
  closed(): void;
  /** Nobody is there to listen. */
  clientLost(): void;
  done(): void;
};

/** Nobody may stay behind: when the client goes, the server goes, and when it does not, it is made to. */
function createLeaving(
  server: ServerProcess,
  session: Session,
  process: NodeJS.Process,
  onDismissed: () => void,
): Leaving {
  const parent = process.ppid;
  let last = Date.now();
  let watch: NodeJS.Timeout | undefined;
  let isDone = false;

  function dismiss(): void {
    if (isDone) return;
    stopWatch();
    onDismissed();
    server.dismiss();
  }

  function stopWatch(): void {
    clearInterval(watch);
    watch = undefined;
  }

  /** While the client lives, a server may bring to an end what it was asked for. */
  function look(): void {
    const idle = session.unanswered === 0 && Date.now() - last > IDLE_MS;
    if (idle || process.ppid !== parent) dismiss();
  }

  return {
    heard() {
      last = Date.now();
    },
    closed() {
      last = Date.now();
      if (!isDone) watch ??= setInterval(look, WATCH_MS);
    },
    clientLost: dismiss,
    done() {
      isDone = true;
      stopWatch();
    },
  };
}

function writeAll(stream: Writable, pieces: readonly Buffer[]): void {
  if (stream.destroyed || stream.writableEnded) return;
  if (pieces.length === 1) {
    stream.write(pieces[0]);
    return;
  }
  stream.cork();
  for (const piece of pieces) stream.write(piece);
  stream.uncork();
}
