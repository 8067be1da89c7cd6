import type { Terminal } from '../terminal.ts';

/** A terminal that also says how many of many runs are done. */
export type RunCounter = { readonly terminal: Terminal; step(): void; clear(): void };

const QUIET_MS = 1000;
const EVERY_MS = 250;
const ERASE_LINE = '\r\u001B[K';

/** Says how far the reading of all runs has come, once it takes longer than a second and somebody watches. */
export function createRunCounter(terminal: Terminal, total: number): RunCounter {
  let done = 0;
  let shown = false;
  let next = Date.now() + QUIET_MS;

  function clear(): void {
    if (shown) terminal.err(ERASE_LINE);
    shown = false;
  }

  return {
    terminal: {
      ...terminal,
      err(text) {
        clear();
        terminal.err(text);
      },
    },
    step() {
      done += 1;
      if (!terminal.watched || Date.now() < next) return;
      next = Date.now() + EVERY_MS;
      shown = true;
      terminal.err(`${ERASE_LINE}${done} of ${total} runs (${Math.floor((done / total) * 100)} %)`);
    },
    clear,
  };
}
