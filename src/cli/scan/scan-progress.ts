import type { Terminal } from '../terminal.ts';
import { counted } from '../text.ts';

/** How far a scan has come. */
export type ScanProgress = { bytes(read: number): void; session(): void; clear(): void };

const QUIET_MS = 1000;
const EVERY_MS = 250;
const ERASE_LINE = '\r\u001B[K';
const MB = 1_000_000;

/** Says how far it has come, how fast and for how long, once it takes longer than a second and somebody watches. */
export function createScanProgress(terminal: Terminal, sessions: number, totalBytes: number): ScanProgress {
  const began = Date.now();
  let next = began + QUIET_MS;
  let done = 0;
  let bytes = 0;
  let shown = false;

  function show(): void {
    const now = Date.now();
    if (!terminal.watched || now < next) return;
    next = now + EVERY_MS;
    shown = true;
    const seconds = (now - began) / 1000;
    const speed = bytes / seconds;
    const share = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : done / Math.max(1, sessions);
    const left = share > 0 ? (seconds * (1 - share)) / share : 0;
    terminal.err(
      `${ERASE_LINE}${done.toLocaleString('en-US')} of ${counted(sessions, 'session')} (${Math.floor(share * 100)} %), ${(speed / MB).toFixed(0)} MB/s, ${leftText(left)} left; Ctrl-C shows what was found so far`,
    );
  }

  return {
    bytes(read) {
      bytes += read;
      show();
    },
    session() {
      done += 1;
      show();
    },
    clear() {
      if (shown) terminal.err(ERASE_LINE);
      shown = false;
    },
  };
}

function leftText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
