import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { Credentials } from './credentials.ts';

/** One sign-in, as the official SDK wants it told. */
export type Provider = OAuthClientProvider & {
  readonly expectedState: string;
  /** Where a person signs in, once that is known. */
  readonly page: URL | null;
};

export function createProvider(credentials: Credentials, redirect: string): Provider {
  const expectedState = randomBytes(24).toString('base64url');
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  let page: URL | null = null;
  return {
    expectedState,
    get page() {
      return page;
    },
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'deloop',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => expectedState,
    clientInformation() {
      const { client, redirect: known, isGiven } = credentials.read();
      // A client is registered for one address to come back to.
      return isGiven === true || known === redirect ? client : undefined;
    },
    saveClientInformation(client) {
      credentials.keep({ client, redirect });
    },
    tokens: () => credentials.read().tokens,
    saveTokens(tokens) {
      credentials.keep({ tokens });
    },
    redirectToAuthorization(url) {
      page = url;
    },
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
    invalidateCredentials(scope) {
      const { isGiven } = credentials.read();
      if (scope === 'all' || scope === 'tokens') credentials.keep({ tokens: undefined });
      if ((scope === 'all' || scope === 'client') && isGiven !== true)
        credentials.keep({ client: undefined });
      if (scope === 'all' || scope === 'discovery') discovered = undefined;
    },
  };
}
