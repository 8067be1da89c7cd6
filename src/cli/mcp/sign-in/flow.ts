import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { isPage } from './browser.ts';
import { type Callback, openCallback } from './callback.ts';
import type { Credentials } from './credentials.ts';
import { createProvider, type Provider } from './provider.ts';

export type FlowOptions = {
  readonly url: URL;
  readonly credentials: Credentials;
  /** What the server has said when it refused: `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** A fresh sign-in, although there are tokens. */
  readonly isFresh: boolean;
  /** Puts the page before a person; null = there is none, and nobody is asked. */
  readonly show: ((page: URL) => void) | null;
  /** The address to come back to, where a person brings it by hand. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string>) | undefined;
};

/** How long a person may take. */
const PATIENCE_MS = 5 * 60_000;
const NOBODY = 'a person has to sign in';

/** Signs in, or renews what there is; throws an error that says why it could not. The official SDK does the talking. */
export async function signIn(options: FlowOptions): Promise<void> {
  const { credentials, show } = options;
  const { redirect: known, tokens } = credentials.read();
  if (show === null && tokens?.refresh_token === undefined) throw new Error(NOBODY);
  const callback =
    (known === undefined ? null : await openCallback(Number(new URL(known).port))) ?? (await openCallback(0));
  if (callback === null) throw new Error('no port is free to come back to');
  try {
    await withCallback(options, callback);
  } finally {
    callback.close();
  }
}

async function withCallback(options: FlowOptions, callback: Callback): Promise<void> {
  const { url, credentials, challenge, isFresh, show } = options;
  const provider = createProvider(credentials, callback.url);
  const headers = challenge === undefined ? {} : { 'WWW-Authenticate': challenge };
  const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(
    new Response(null, { status: 401, headers }),
  );
  const scope = credentials.read().scope ?? asked;
  const told = {
    serverUrl: url,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
  const first = await auth(provider, { ...told, forceReauthorization: isFresh });
  if (first === 'AUTHORIZED') return;
  if (show === null) throw new Error(NOBODY);
  if (provider.page === null || !isPage(provider.page))
    throw new Error('its page to sign in is not safe to open');
  const answer = shown(provider, callback, options, show);
  const { code, iss } = codeIn(await answer);
  await auth(provider, { ...told, authorizationCode: code, ...(iss === null ? {} : { iss }) });
}

/** What comes back when a person has signed in. */
async function shown(
  provider: Provider,
  callback: Callback,
  { pasted }: FlowOptions,
  show: (page: URL) => void,
): Promise<URLSearchParams> {
  const over = new AbortController();
  const late = setTimeout(() => over.abort(new Error('nobody has signed in in time')), PATIENCE_MS);
  const answers = [callback.answer(provider.expectedState, over.signal)];
  if (pasted !== undefined)
    answers.push(pasted(over.signal).then((text) => brought(text, provider.expectedState)));
  show(provider.page as URL);
  try {
    return await Promise.race(answers);
  } finally {
    clearTimeout(late);
    over.abort(new Error('it is over'));
    for (const answer of answers) answer.catch(() => {});
  }
}

function brought(text: string, state: string): URLSearchParams {
  const { searchParams } = URL.canParse(text.trim())
    ? new URL(text.trim())
    : { searchParams: new URLSearchParams() };
  if (searchParams.get('state') !== state)
    throw new Error('that is not the address that the browser was sent to');
  return searchParams;
}

function codeIn(answer: URLSearchParams): { readonly code: string; readonly iss: string | null } {
  const code = answer.get('code');
  const error = answer.get('error_description') ?? answer.get('error');
  if (code === null)
    throw new Error(`the sign-in was refused${error === null ? '' : `: ${error.slice(0, 200)}`}`);
  return { code, iss: answer.get('iss') };
}
