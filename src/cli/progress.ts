import type { Terminal } from './terminal.ts';
import { shortened } from './text.ts';

export type Progress = {
  /** The same bytes, counted as they pass. */
  watch(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  clear(): void;
};

const QUIET_MS = 1000;
const EVERY_MS = 250;
const NAME_WIDTH = 40;
const ERASE_LINE = '\r\u001B[K';

/** Says how far the reading of a file has come, once it takes longer than a second and somebody watches. */
export function createProgress(terminal: Terminal, name: string, total: number): Progress {
  let bytes = 0;
  let shown = false;
  let next = Date.now() + QUIET_MS;

  function show(): void {
    next = Date.now() + EVERY_MS;
    shown = true;
    const share = total > 0 ? ` of ${megabytes(total)} (${Math.floor((bytes / total) * 100)} %)` : '';
    terminal.err(`${ERASE_LINE}${shortened(name, NAME_WIDTH)}: ${megabytes(bytes)}${share}`);
  }

  return {
    async *watch(chunks) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (terminal.watched && Date.now() >= next) show();
        yield chunk;
      }
    },
    clear() {
      if (shown) terminal.err(ERASE_LINE);
      shown = false;
    },
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
