import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN, newFolder } from '../cli/run-cli.ts';

/** The built proxy in front of an address. */
export type HttpProxied = {
  readonly url: URL;
  readonly folder: string;
  readonly child: ChildProcess;
  /** All it said to people so far. */
  said(): string;
  stop(): Promise<number | null>;
};

/** Needs `dist/`: run `npm run build` first. */
export async function httpProxied(server: URL, flags: readonly string[] = []): Promise<HttpProxied> {
  const folder = newFolder();
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder };
  const args = [MAIN, 'mcp', '--url', String(server), '--port', '0', ...flags];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(([status]) => status as number | null);
  for (;;) {
    const [address] = /http:\S+/.exec(said) ?? [];
    if (address !== undefined && said.includes('\n'))
      return {
        url: new URL(address),
        folder,
        child,
        said: () => said,
        stop() {
          child.kill('SIGTERM');
          return ended;
        },
      };
    if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
