import { DeloopError } from '../core/errors.ts';
import { wrong } from '../core/options.ts';
import type { Script } from './redis-scripts.ts';

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
  keys: readonly string[],
  values: readonly string[],
  waitMs?: number,
) => Promise<unknown>;

/** So many commands may be without an answer: a client without a connection must not be filled up with more. */
const MAX_OVERDUE = 8;

export function scriptRunner(client: RedisClient, waitMs: number): RunScript {
  const send = senderOf(client);
  let overdue = 0;

  async function run(
    { text, sha }: Script,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> {
    try {
      return await send(true, sha, keys, values);
    } catch (error) {
      if (!String((error as Error | null)?.message ?? error).includes('NOSCRIPT')) throw error;
      return send(false, text, keys, values);
    }
  }

  return (script, keys, values, patience = waitMs) => {
    if (overdue >= MAX_OVERDUE)
      return Promise.reject(new DeloopError('store', `Redis has not answered the last ${overdue} commands`));
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        overdue += 1;
        reject(new DeloopError('store', `Redis has not answered within ${patience} ms`));
      }, patience);
      const settle = () => {
        clearTimeout(timer);
        if (late) overdue -= 1;
      };
      run(script, keys, values).then(
        (answer) => {
          settle();
          resolve(answer);
        },
        (cause: unknown) => {
          settle();
          const why = cause instanceof Error ? cause.message : String(cause);
          reject(new DeloopError('store', `Redis: ${why}`, { cause }));
        },
      );
    });
  };
}

type Send = (
  known: boolean,
  scriptOrSha: string,
  keys: readonly string[],
  values: readonly string[],
) => Promise<unknown>;

function senderOf(client: RedisClient): Send {
  if (client !== null && typeof client === 'object') {
    if ('evalSha' in client && typeof client.evalSha === 'function')
      return (known, what, keys, values) => {
        const options = { keys: [...keys], arguments: [...values] };
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
