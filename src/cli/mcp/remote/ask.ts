import type { IncomingMessage } from 'node:http';
import { VERSION } from '../../version.ts';
import type { Connection } from '../http/connection.ts';
import type { Headers } from './headers.ts';
import type { Ask, AskRequest } from './remote.ts';

/** Who proves to the server who asks, in the client's place. */
export type SignIn = {
  /** What proves it; none = nobody has signed in. */
  proof(): Promise<Headers>;
  /** The server has refused what was sent; whether it is worth another try. */
  refused(answer: IncomingMessage, sent: Headers): Promise<boolean>;
};

const MAX_REDIRECTS = 5;
const MOVED: readonly number[] = [307, 308];

/** Requests with the headers that go with every one of them. */
export function createAsk(url: URL, connection: Connection, own: Headers, signIn: SignIn | null): Ask {
  /** Where the server has said that it is. */
  let moved = url;

  function open(
    { method, url: asked, headers, body, signal }: AskRequest,
    proof: Headers,
  ): Promise<IncomingMessage> {
    const target = asked ?? moved;
    const all = {
      'User-Agent': `deloop/${VERSION}`,
      ...own,
      ...proof,
      ...headers,
      Host: target.host,
      // It is meant to be read as it comes.
      'Accept-Encoding': 'identity',
      ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
    };
    const wanted = {
      method,
      path: target.pathname + target.search,
      headers: Object.entries(all).flat(),
      signal,
    };
    return connection.open(wanted, (sent) => sent.end(body));
  }

  /** Follows the server to another address of its own: nowhere else may its headers go. */
  async function followed(request: AskRequest, proof: Headers): Promise<IncomingMessage> {
    for (let left = MAX_REDIRECTS; ; left--) {
      const answer = await open(request, proof);
      const { location } = answer.headers;
      if (!MOVED.includes(answer.statusCode ?? 0) || location === undefined || left === 0) return answer;
      const next = URL.canParse(location, moved.href) ? new URL(location, moved) : null;
      if (next?.origin !== url.origin || request.url !== undefined) return answer;
      answer.resume();
      moved = next;
    }
  }

  return async (request) => {
    const proof = (await signIn?.proof()) ?? {};
    const answer = await followed(request, proof);
    const { statusCode } = answer;
    if (signIn === null || (statusCode !== 401 && statusCode !== 403)) return answer;
    if (!(await signIn.refused(answer, proof))) return answer;
    answer.resume();
    return followed(request, await signIn.proof());
  };
}
