import { once } from 'node:events';
import picocolors from 'picocolors';

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Where a command prints: results to `out`, messages for people to `err`. */
export type Terminal = {
  /** Waits while the reader is slower than we are. */
  out(text: string): Promise<void>;
  err(text: string): void;
  readonly outColors: Colors;
  readonly errColors: Colors;
  /** Columns of the results. */
  readonly width: number;
  /** Somebody may be watching `err`. */
  readonly watched: boolean;
};

/** So wide when nobody says how wide: the same output wherever it goes. */
const DEFAULT_WIDTH = 120;
const MIN_WIDTH = 60;

export function createTerminal(process: NodeJS.Process): Terminal {
  const { stdout, stderr, env } = process;
  for (const stream of [stdout, stderr]) stream.on('error', (error) => leaveQuietly(process, error));
  const colorful = (stream: NodeJS.WriteStream) =>
    stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    async out(text) {
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
    err(text) {
      stderr.write(text);
    },
    outColors: picocolors.createColors(colorful(stdout)),
    errColors: picocolors.createColors(colorful(stderr)),
    width: stdout.isTTY === true ? Math.max(MIN_WIDTH, stdout.columns ?? DEFAULT_WIDTH) : DEFAULT_WIDTH,
    watched: stderr.isTTY === true && env['TERM'] !== 'dumb',
  };
}

/** Whoever read the output has seen enough, as `head` has. */
function leaveQuietly(process: NodeJS.Process, error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
