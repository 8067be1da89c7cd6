import { spawn } from 'node:child_process';
import type { Surroundings } from '../../surroundings.ts';
import { isLoopback } from '../http/access.ts';

/** The command that opens an address; null = there is nobody to look at it. */
export function browserOf({
  env,
  platform,
}: Surroundings): readonly [program: string, ...args: string[]] | null {
  const own = env['BROWSER'];
  if (own !== undefined && own !== '') return own === 'none' ? null : [own];
  if (platform === 'darwin') return ['open'];
  // No shell: an address may hold what one would run.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : null;
}

/** Whether an address may be opened: a server must not have a browser open whatever it likes. */
export function isPage({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function openPage([program, ...args]: readonly [string, ...string[]], url: URL): void {
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
  // The address has been said, so that a person can open it.
  child.on('error', () => {});
  child.unref();
}
