import type { Environment } from '../../../config/environment.ts';
import { wrong } from '../../../core/options.ts';
import { UsageError } from '../../exit.ts';
import type { McpFlags } from '../flags.ts';
import type { Access } from './access.ts';

/** Where the proxy stands, in front of what, and for whom. */
export type Place = {
  readonly host: string;
  readonly port: number;
  readonly access: Access;
};

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;

/** The address of a server over HTTP; null = it is a command. Where it is wrong, it is not repeated if it may be a secret. */
export function addressOf({ url: given, urlEnv, command }: McpFlags, env: Environment): URL | null {
  if (given !== undefined && urlEnv !== undefined)
    throw new UsageError('--url and --url-env exclude each other');
  const address = urlEnv === undefined ? given : env[urlEnv];
  if (urlEnv !== undefined && address === undefined)
    throw new UsageError(`--url-env ${urlEnv}: the environment has no such variable`);
  if (address === undefined) return null;
  if (command.length > 0)
    throw new UsageError(`--url and a command exclude each other: ${command.join(' ')}`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    const [flag, shown] = urlEnv === undefined ? ['--url', address] : ['--url-env', urlEnv];
    throw wrong(flag as string, shown, 'an address such as http://localhost:3001/mcp');
  }
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url must hold no password: it belongs in a header');
  return url;
}

/** Checks the flags that say where to listen; null = nowhere. */
export function placeOf({ host = LOOPBACK, port, allowHosts, allowOrigins }: McpFlags): Place | null {
  if (port === undefined) return null;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw wrong('--port', port, `a whole number from 0 (any that is free) to ${MAX_PORT}`);
  for (const origin of allowOrigins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw wrong('--allow-origin', origin, 'an origin such as https://app.example.com');
  const hosts = [host, ...allowHosts].map((name) => name.toLowerCase());
  return { host, port: Number(port), access: { hosts, origins: allowOrigins } };
}
