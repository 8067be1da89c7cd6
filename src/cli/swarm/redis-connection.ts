import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { UsageError } from '../exit.ts';
import { createReplyReader, type ReplyError } from './reply-reader.ts';

/** A connection that runs scripts: all that a command or a hook needs, and it loads in no time. */
export type RedisConnection = {
  evalsha(sha: string, keys: number, ...rest: string[]): Promise<unknown>;
  eval(script: string, keys: number, ...rest: string[]): Promise<unknown>;
  close(): void;
};

export type Place = {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly user: string;
  readonly password: string;
  readonly database: number;
};

export type Ways = {
  /** The process may end while it is open. */
  readonly background?: boolean;
  /** How to find a host; default as the system does. */
  readonly lookup?: LookupFunction;
};

type Node = { send(words: readonly string[]): Promise<unknown>; close(): void };

const PORT = 6379;
/** A cluster that sends us on more often than that is being rebuilt. */
const MAX_MOVES = 4;

/** Throws when the URL names no server. It may hold a password, and so no message repeats it. `what` = what it is called. */
export function placeOf(text: string, what = '--redis'): Place {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError(`${what} is no URL; it must be like redis://user:password@host:6379/0`);
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    throw new UsageError(`${what} begins with ${url.protocol}; it must begin with redis: or rediss:`);
  const database = url.pathname.length > 1 ? Number(url.pathname.slice(1)) : 0;
  if (!Number.isInteger(database) || database < 0)
    throw new UsageError(`${what} ends with no number of a database; it must be like redis://host:6379/0`);
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: url.port === '' ? PORT : Number(url.port),
    tls: url.protocol === 'rediss:',
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
  };
}

/** Connects when it is first used. */
export function connectRedis(place: Place, ways: Ways = {}): RedisConnection {
  const nodes = new Map<string, Node>();
  let current = place;

  function nodeAt(at: Place): Node {
    const name = `${at.host}:${at.port}`;
    const known = nodes.get(name);
    if (known !== undefined) return known;
    const node = openNode(at, ways, () => nodes.delete(name));
    nodes.set(name, node);
    return node;
  }

  async function run(words: readonly string[]): Promise<unknown> {
    for (let moves = 0; ; moves++) {
      try {
        return await nodeAt(current).send(words);
      } catch (error) {
        const [, host, port] = /^MOVED \d+ (.*):(\d+)$/.exec((error as Error).message) ?? [];
        if (port === undefined || moves >= MAX_MOVES) throw error;
        current = { ...current, host: host || current.host, port: Number(port) };
      }
    }
  }

  return {
    evalsha: (sha, keys, ...rest) => run(['EVALSHA', sha, String(keys), ...rest]),
    eval: (script, keys, ...rest) => run(['EVAL', script, String(keys), ...rest]),
    close() {
      for (const node of nodes.values()) node.close();
    },
  };
}

function openNode(
  { host, port, tls, user, password, database }: Place,
  { background = false, lookup }: Ways,
  onGone: () => void,
): Node {
  const place = { host, port, ...(lookup === undefined ? {} : { lookup }) };
  const socket: Socket = tls ? connectTls({ ...place, servername: host }) : connectPlain(place);
  socket.setNoDelay(true);
  if (background) socket.unref();
  const waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  const read = createReplyReader((reply) => {
    const next = waiting.shift();
    if (isError(reply)) next?.reject(new Error(reply.error));
    else next?.resolve(reply);
  });
  const end = (error: Error) => {
    onGone();
    socket.destroy();
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  socket.on('data', (bytes) => {
    try {
      read(bytes);
    } catch (error) {
      end(error as Error);
    }
  });
  socket.on('error', end);
  socket.on('close', () => end(new Error(`the connection to ${host}:${port} was closed`)));

  function send(words: readonly string[]): Promise<unknown> {
    if (socket.destroyed) return Promise.reject(new Error(`there is no connection to ${host}:${port}`));
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(encoded(words));
    });
  }
  const greeting: Promise<unknown>[] = [];
  if (password !== '') greeting.push(send(user === '' ? ['AUTH', password] : ['AUTH', user, password]));
  if (database !== 0) greeting.push(send(['SELECT', String(database)]));
  const ready = Promise.all(greeting);
  ready.catch(() => {});
  return {
    async send(words) {
      const answer = send(words);
      answer.catch(() => {});
      await ready;
      return answer;
    },
    close: () => socket.end(),
  };
}

function isError(reply: unknown): reply is ReplyError {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}

function encoded(words: readonly string[]): string {
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  return text;
}
