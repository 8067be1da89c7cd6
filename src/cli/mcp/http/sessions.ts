import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../../../mcp/fields.ts';
import type { Session } from '../../../mcp/session.ts';
import type { NewSession } from '../guards.ts';

/** The sessions of all clients. */
export type Sessions = {
  /** The one that a message belongs to. */
  of(headers: IncomingHttpHeaders, message: Buffer | null): Session;
  /** What the client is to call a session that has just begun; `id` is the server's own name for it. */
  named(session: Session, id: string | undefined): string;
  /** It is over. */
  forget(id: string): void;
};

/** Beyond this, the session that was not used for the longest time is forgotten: its guard begins anew. */
const MAX_SESSIONS = 1000;
/** A client that has no session is the same one until it was silent for so long. */
const SILENCE_MS = 30 * 60_000;
const OWN = 'deloop-';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/** A name that we have given; the server does not know it. */
export function isOwnName(id: string): boolean {
  return id.startsWith(OWN);
}

export function createSessions(newSession: NewSession, now: () => number): Sessions {
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>();

  function keep(key: string, session: Session): void {
    sessions.delete(key);
    sessions.set(key, { session, usedAt: now() });
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string);
  }

  function find(key: string, silenceMs: number): Session {
    const known = sessions.get(key);
    const session =
      known !== undefined && now() - known.usedAt <= silenceMs ? known.session : newSession(digestOf(key));
    keep(key, session);
    return session;
  }

  return {
    of(headers, message) {
      const id = headers['mcp-session-id'];
      if (typeof id === 'string') return find(id, Number.POSITIVE_INFINITY);
      const { method, params } = fieldsOf(parsed(message));
      // Its guard is known by a name as soon as the server has answered.
      if (method === 'initialize') return newSession(digestOf(crypto.randomUUID()));
      const client = fieldsOf(fieldsOf(params)['_meta'])[CLIENT_INFO];
      const { authorization = '', 'user-agent': agent = '' } = headers;
      return find(`client ${digestOf(JSON.stringify([authorization, agent, client]))}`, SILENCE_MS);
    },
    named(session, id = `${OWN}${crypto.randomUUID()}`) {
      keep(id, session);
      return id;
    },
    forget(id) {
      sessions.delete(id);
    },
  };
}

function parsed(message: Buffer | null): unknown {
  try {
    return JSON.parse(String(message));
  } catch {
    return null;
  }
}

/** Names of sessions open doors, so only their digests are written down. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
