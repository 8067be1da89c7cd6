import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { stateFolder } from '../../state-folder.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { SignIn } from '../remote/ask.ts';
import type { Headers } from '../remote/headers.ts';
import { browserOf, openPage } from './browser.ts';
import { type Credentials, openCredentials } from './credentials.ts';

/** Where sign-ins are kept. */
export function credentialsOf(url: URL, surroundings: Surroundings): Credentials {
  return openCredentials(join(stateFolder(surroundings), 'sign-ins'), url);
}

/** Signs in to a server when it asks for that: with what is kept, or with a person in a browser, once. */
export function createSignIn(url: URL, surroundings: Surroundings, say: (text: string) => void): SignIn {
  const credentials = credentialsOf(url, surroundings);
  const browser = browserOf(surroundings);
  const where = `${url.origin}${url.pathname}`;
  let running: Promise<boolean> | null = null;
  /** A person was asked in vain: nobody is asked again. */
  let isGivenUp = false;

  const proof = async (): Promise<Headers> => {
    const { tokens } = credentials.read();
    return tokens === undefined ? {} : { Authorization: `Bearer ${tokens.access_token}` };
  };

  async function renewed(challenge: string | undefined, isFresh: boolean, sent: Headers): Promise<boolean> {
    return credentials.alone(async () => {
      // Another process may have done so in the meantime.
      const { Authorization: now } = await proof();
      if (now !== undefined && now !== sent['Authorization']) return true;
      const show = (page: URL) => {
        say(`${where} wants a sign-in. If no browser opens, open this: ${page.href}`);
        if (browser !== null) openPage(browser, page);
      };
      const { signIn } = await import('./flow.ts');
      try {
        await signIn({
          url,
          credentials,
          challenge,
          isFresh,
          show: browser === null || isGivenUp ? null : show,
        });
        return true;
      } catch (error) {
        isGivenUp = true;
        say(`${where} wants a sign-in: ${(error as Error).message}. Run: deloop mcp login ${where}`);
        return false;
      }
    });
  }

  return {
    proof,
    async refused({ statusCode, headers }: IncomingMessage, sent) {
      const challenge = headers['www-authenticate'];
      const isMore = statusCode === 403 && /insufficient_scope/.test(challenge ?? '');
      if (statusCode === 403 && !isMore) return false;
      running ??= renewed(challenge, isMore, sent).finally(() => {
        running = null;
      });
      return running;
    },
  };
}
