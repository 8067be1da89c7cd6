import { DeloopError } from '../core/errors.ts';
import { wrong } from '../core/options.ts';
import type { Script } from './redis-script.ts';

type Eval = (scriptOrSha: string, options: { keys: string[]; arguments: string[] }) => Promise<unknown>;
type FlatEval = (scriptOrSha: string, keys: number, ...rest: string[]) => Promise<unknown>;

/** A client of `redis` (node-redis): single, pool, Sentinel or Cluster. */
export type NodeRedisClient = { readonly evalSha: Eval; readonly eval: Eval };
/** A client of `ioredis` or `iovalkey`: single, Sentinel or Cluster. */
export type IoRedisClient = { readonly evalsha: FlatEval; readonly eval: FlatEval };
/** A client that is connected already, and that its owner closes. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** Runs a script on the server that has the keys; rejects with a `DeloopError` when that takes too long. */
export type RunScript = (
  script: Script,
  keys: string[],
  values: string[],
  waitMs?: number,
) => Promise<unknown>;

/** So many commands may be without an answer: a client without a connection must not be filled up with more. */
const MAX_OVERDUE = 8;

type Sent = { readonly by: number; late: boolean; isOver: boolean; reject(error: unknown): void };

export function scriptRunner(client: RedisClient, waitMs: number): RunScript {
  const send = senderOf(client);
  let overdue = 0;
  /** Scripts without an answer, by how long they may take: the first to be sent is the first to be late. */
  const queues = new Map<number, Queue>();

  function watch(sent: Sent, patience: number): Queue {
    let queue = queues.get(patience);
    if (queue === undefined) {
      queue = { waiting: [], open: 0, timer: null };
      queues.set(patience, queue);
    }
    queue.waiting.push(sent);
    queue.open += 1;
    if (queue.timer === null) queue.timer = setTimeout(() => look(queue, patience), patience);
    else if (queue.open === 1) queue.timer.ref?.();
    return queue;
  }

  function look(queue: Queue, patience: number): void {
    queue.timer = null;
    const now = performance.now();
    while (queue.waiting.length > 0) {
      const sent = queue.waiting[0] as Sent;
      if (!sent.isOver && sent.by > now) break;
      queue.waiting.shift();
      if (sent.isOver) continue;
      sent.late = true;
      overdue += 1;
      end(sent, queue);
      sent.reject(new DeloopError('store', `Redis has not answered within ${patience} ms`));
    }
    const [next] = queue.waiting;
    if (next === undefined) return;
    queue.timer = setTimeout(() => look(queue, patience), Math.max(1, Math.ceil(next.by - now)));
    if (queue.open === 0) queue.timer.unref?.();
  }

  function end(sent: Sent, queue: Queue): void {
    sent.isOver = true;
    queue.open -= 1;
    while (queue.waiting[0]?.isOver) queue.waiting.shift();
    // It must not keep a process alive that has nothing else to do.
    if (queue.open === 0) queue.timer?.unref?.();
  }

  function settle(sent: Sent, queue: Queue): void {
    if (sent.late) overdue -= 1;
    else end(sent, queue);
  }

  return ({ text, sha }, keys, values, patience = waitMs) => {
    if (overdue >= MAX_OVERDUE)
      return Promise.reject(new DeloopError('store', `Redis has not answered the last ${overdue} commands`));
    return new Promise((resolve, reject) => {
      const sent: Sent = { by: performance.now() + patience, late: false, isOver: false, reject };
      const queue = watch(sent, patience);
      const answer = (given: unknown) => {
        settle(sent, queue);
        resolve(given);
      };
      const fail = (cause: unknown) => {
        settle(sent, queue);
        reject(failure(cause));
      };
      const again = (error: unknown) => {
        if (!String((error as Error | null)?.message ?? error).includes('NOSCRIPT')) fail(error);
        else attempt(send, false, text, keys, values, answer, fail);
      };
      attempt(send, true, sha, keys, values, answer, again);
    });
  };
}

function failure(cause: unknown): DeloopError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DeloopError('store', `Redis: ${why}`, { cause });
}

type Queue = {
  readonly waiting: Sent[];
  /** Those among them that are not over. */
  open: number;
  timer: ReturnType<typeof setTimeout> | null;
};

/** A client may throw at once. */
function attempt(
  send: Send,
  known: boolean,
  scriptOrSha: string,
  keys: string[],
  values: string[],
  answer: (given: unknown) => void,
  fail: (error: unknown) => void,
): void {
  try {
    send(known, scriptOrSha, keys, values).then(answer, fail);
  } catch (error) {
    fail(error);
  }
}

type Send = (known: boolean, scriptOrSha: string, keys: string[], values: string[]) => Promise<unknown>;

function senderOf(client: RedisClient): Send {
  if (client !== null && typeof client === 'object') {
    if ('evalSha' in client && typeof client.evalSha === 'function')
      return (known, what, keys, values) => {
        const options = { keys, arguments: values };
        return known ? client.evalSha(what, options) : client.eval(what, options);
      };
    if ('evalsha' in client && typeof client.evalsha === 'function')
      return (known, what, keys, values) =>
        known
          ? client.evalsha(what, keys.length, ...keys, ...values)
          : client.eval(what, keys.length, ...keys, ...values);
  }
  throw wrong('client', client, 'a client of redis, ioredis or iovalkey');
}
