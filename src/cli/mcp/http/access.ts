import type { IncomingHttpHeaders } from 'node:http';

/** Who may talk to the proxy, beside this machine: names as in `Host`, and whole origins. */
export type Access = { readonly hosts: readonly string[]; readonly origins: readonly string[] };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** The name of this machine, for itself. */
export function isLoopback(name: string): boolean {
  return LOOPBACK.test(name);
}

/**
 * Why a request is refused; null = it is not. A page of another site can make a browser send requests to this machine, also
 * under a name of its own: it cannot help telling who it is.
 */
export function whyRefused(headers: IncomingHttpHeaders, { hosts, origins }: Access): string | null {
  const { host = '', origin } = headers;
  const name = nameIn(`http://${host}`);
  if (name === null || !(isLoopback(name) || hosts.includes(name) || hosts.includes(host.toLowerCase())))
    return `the host ${shown(host)} is not this machine; allow it with --allow-host`;
  if (origin === undefined || origins.includes(origin)) return null;
  const page = nameIn(origin);
  if (page !== null && isLoopback(page)) return null;
  return `the origin ${shown(origin)} is not allowed; allow it with --allow-origin`;
}

function nameIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
