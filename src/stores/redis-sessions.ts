import { DeloopError, show } from '../core/errors.ts';
import { checkSession } from './check-session.ts';
import { newId } from './new-id.ts';
import type { RunScript } from './redis-client.ts';
import { ENLIST, NAMES, STRIKE } from './redis-list-scripts.ts';
import { decodeName, encodeName } from './redis-names.ts';
import { CHANGE, DROP, LOOK } from './redis-session-scripts.ts';
import { stateText } from './state-text.ts';
import type { Change, Store, StoredSession } from './store.ts';

export type RedisSessionsOptions = {
  readonly run: RunScript;
  readonly prefix: string;
  readonly tenant: string;
  readonly expiresAfterMs: number;
  readonly maxSessions: number;
  readonly now: (() => number) | undefined;
};

type Known = { readonly version: string; readonly text: string };

const NONE: Known = { version: '', text: '' };
/** The state that is expected to be there still; beyond so many it is read again. */
const MAX_KNOWN = 256;
/** Others changed the session this often in between: each time one of them went on, but who is always a little later than a busy one waits for it. */
const MAX_ATTEMPTS = 10_000;
/** Whatever a session is called, its name stays readable in the index. */
const MAX_LISTED = 5 * 512;

/** States in Redis. One that nobody else has changed since takes one round trip: the last one is known here. */
export function redisSessions(options: RedisSessionsOptions): Pick<Store, 'update' | 'delete' | 'list'> {
  const { run, prefix, tenant, expiresAfterMs, maxSessions, now } = options;
  const expiry = String(expiresAfterMs);
  const index = `${prefix}:{${encodeName(tenant)}}:sessions`;
  const clock = () => (now === undefined ? '' : String(now()));
  const known = new Map<string, Known>();
  const queues = new Map<string, Promise<unknown>>();

  function keyOf(session: string): string {
    checkSession(session);
    return `${prefix}:{${encodeName(tenant)}:${encodeName(session)}}:state`;
  }

  function learn(session: string, state: Known): void {
    known.delete(session);
    known.set(session, state);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string);
  }

  async function enlist(session: string): Promise<void> {
    const names = await run(
      ENLIST,
      [index],
      [clock(), expiry, encodeName(session, MAX_LISTED), String(maxSessions)],
    );
    for (const name of names as readonly string[]) await run(DROP, [keyOf(decodeName(name))], []);
  }

  async function attempt<Answer>(key: string, session: string, change: Change<Answer>): Promise<Answer> {
    for (let n = 0; n < MAX_ATTEMPTS; n++) {
      const expected = known.get(session);
      if (expected !== undefined) {
        const [next, answer] = change(expected.version === '' ? null : JSON.parse(expected.text));
        const text = stateText(next);
        const version = newId();
        const values = [clock(), expiry, expected.version, version, text, JSON.stringify(session)];
        const [found, other] = await told(session, run(CHANGE, [key], values));
        if (other === undefined) {
          learn(session, { version: found, text });
          return answer;
        }
        learn(session, found === '' ? NONE : { version: found, text: other });
        continue;
      }
      const [found, text = ''] = await told(session, run(CHANGE, [key], [clock(), expiry, '?', '', '', '']));
      learn(session, found === '' ? NONE : { version: found, text });
    }
    throw new DeloopError(
      'store',
      `the state of ${show(session)} was changed by others ${MAX_ATTEMPTS} times`,
    );
  }

  /** What is known is no longer known when the answer did not come. */
  async function told(session: string, answer: Promise<unknown>): Promise<readonly [string, string?]> {
    try {
      return (await answer) as readonly [string, string?];
    } catch (error) {
      known.delete(session);
      throw error;
    }
  }

  /** One after the other in this process, so that they do not get in each other's way. */
  async function inTurn<Answer>(session: string, act: () => Promise<Answer>): Promise<Answer> {
    const before = queues.get(session);
    const turn = before === undefined ? act() : before.then(act, act);
    const settled = turn.catch(() => {});
    queues.set(session, settled);
    try {
      return await turn;
    } finally {
      if (queues.get(session) === settled) queues.delete(session);
    }
  }

  return {
    async update(session, change) {
      const key = keyOf(session);
      return inTurn(session, async () => {
        const [answer] = await Promise.all([attempt(key, session, change), enlist(session)]);
        return answer;
      });
    },
    async delete(session) {
      const key = keyOf(session);
      known.delete(session);
      await Promise.all([run(DROP, [key], []), run(STRIKE, [index], [encodeName(session, MAX_LISTED)])]);
    },
    async list() {
      const names = ((await run(NAMES, [index], [])) as readonly string[]).filter((_, at) => at % 2 === 0);
      const found = await Promise.all(
        names.map(async (name): Promise<readonly StoredSession[]> => {
          const [session, updatedAt, bytes] = (await run(
            LOOK,
            [keyOf(decodeName(String(name)))],
            [clock(), expiry],
          )) as readonly [string?, number?, number?];
          if (session === undefined) return [];
          return [
            { session: JSON.parse(session) as string, updatedAt: Number(updatedAt), bytes: Number(bytes) },
          ];
        }),
      );
      return found.flat();
    },
  };
}
