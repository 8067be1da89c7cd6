/**
 * The official SDK, as far as a sign-in needs it: its own types bring along those of every message of the protocol. `test/mcp/sign-in.test.ts`
 * holds this against the real one.
 */
declare module '@modelcontextprotocol/client' {
  export type StoredOAuthTokens = {
    readonly access_token: string;
    readonly refresh_token?: string | undefined;
    readonly scope?: string | undefined;
  };
  export type StoredOAuthClientInformation = {
    readonly client_id: string;
    readonly client_secret?: string | undefined;
  };
  /** Opaque: what was found out is given back as it was. */
  export type OAuthDiscoveryState = { readonly authorizationServerUrl: string };
  /** What it asks of whoever signs in. */
  export type OAuthClientProvider = {
    readonly redirectUrl: string;
    readonly clientMetadata: {
      readonly client_name: string;
      readonly redirect_uris: readonly string[];
      readonly grant_types: readonly string[];
      readonly response_types: readonly string[];
      readonly token_endpoint_auth_method: string;
    };
    state(): string;
    clientInformation(): StoredOAuthClientInformation | undefined;
    saveClientInformation(client: StoredOAuthClientInformation): void;
    tokens(): StoredOAuthTokens | undefined;
    saveTokens(tokens: StoredOAuthTokens): void;
    redirectToAuthorization(url: URL): void;
    saveCodeVerifier(text: string): void;
    codeVerifier(): string;
    saveDiscoveryState(state: OAuthDiscoveryState): void;
    discoveryState(): OAuthDiscoveryState | undefined;
    invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void;
  };
  export function auth(
    provider: OAuthClientProvider,
    options: {
      readonly serverUrl: URL;
      readonly authorizationCode?: string;
      readonly iss?: string;
      readonly scope?: string;
      readonly resourceMetadataUrl?: URL;
      readonly forceReauthorization?: boolean;
    },
  ): Promise<'AUTHORIZED' | 'REDIRECT'>;
  /** What `WWW-Authenticate` says. */
  export function extractWWWAuthenticateParams(response: Response): {
    readonly resourceMetadataUrl?: URL;
    readonly scope?: string;
  };
}
