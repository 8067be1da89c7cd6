import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COUNTING = fileURLToPath(new URL('./counting.mjs', import.meta.url));

export type Counter = {
  readonly process: ChildProcess;
  /** How many changes it said were made. */
  counted(): number;
  /** It begins; done when its first change is made. */
  start(): Promise<void>;
  readonly ended: Promise<unknown>;
};

/** A process that is ready to count in a session. Needs `dist/`. */
export async function newCounter(
  folder: string,
  session: string,
  name: string,
  times: number,
): Promise<Counter> {
  const child = spawn(process.execPath, [COUNTING, folder, session, name, String(times)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  child.stdin.on('error', () => {});
  while (!said.includes('ready')) await once(child.stdout, 'data');
  return {
    process: child,
    counted: () => said.split('counted ').length - 1,
    async start() {
      child.stdin.write('go\n');
      while (!said.includes('counted') && child.exitCode === null)
        await Promise.race([once(child.stdout, 'data'), ended]);
    },
    ended,
  };
}
