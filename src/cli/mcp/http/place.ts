import { wrong } from '../../../core/options.ts';
import { UsageError } from '../../exit.ts';
import type { McpFlags } from '../flags.ts';
import type { Access } from './access.ts';

/** Where the proxy stands, in front of what, and for whom. */
export type Place = {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly access: Access;
};

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;

/** Checks the flags that say so; null = it stands in no network. */
export function placeOf(flags: McpFlags): Place | null {
  const { url: address, command, host = LOOPBACK, port = '0', allowHosts, allowOrigins } = flags;
  if (address === undefined) return null;
  if (command.length > 0)
    throw new UsageError(`--url and a command exclude each other: ${command.join(' ')}`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw wrong('--url', address, 'an address such as http://localhost:3001/mcp');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url must hold no password: let the client send it, as a header');
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw wrong('--port', port, `a whole number from 0 (any that is free) to ${MAX_PORT}`);
  for (const origin of allowOrigins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw wrong('--allow-origin', origin, 'an origin such as https://app.example.com');
  const hosts = [host, ...allowHosts].map((name) => name.toLowerCase());
  return { url, host, port: Number(port), access: { hosts, origins: allowOrigins } };
}
