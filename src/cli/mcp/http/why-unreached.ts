const REASONS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'it has cut the connection',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of its host could not be looked up',
  ETIMEDOUT: 'it does not answer',
};

/** Why a server could not be asked, in words; where it is, without what may be secret in its address. */
export function whyUnreached({ origin, pathname }: URL, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return `${origin}${pathname} cannot be reached: ${REASONS[code] ?? message}`;
}
