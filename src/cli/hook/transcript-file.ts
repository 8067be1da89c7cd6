import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { MissedCalls } from '../../hooks/host.ts';
import type { News } from '../../hooks/take-signal.ts';

/** What came in between is passed over when it is more than this. */
const MAX_NEWS_BYTES = 1_048_576;
const TAIL_BYTES = 65_536;
const LINE_FEED = 0x0a;

/** What a transcript tells since it was last looked at: nothing, as a rule, and that is found out without reading any of it closely. */
export function readNews(
  path: string,
  { format, markers }: MissedCalls,
  from: number,
  open: boolean,
  parse: (format: string, text: string) => News['endings'],
): News {
  return opened(path, { offset: from, endings: [] }, (file, size) => {
    // A shorter file is another one.
    if (from < 0 || size < from) return { offset: size, endings: [] };
    const start = Math.max(from, size - MAX_NEWS_BYTES);
    const bytes = bytesOf(file, start, size - start);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const begin = start > from ? bytes.indexOf(LINE_FEED) + 1 : 0;
    const lines = bytes.subarray(begin, Math.max(begin, end));
    const wanted = lines.length > 0 && (open || markers.some((marker) => lines.includes(marker)));
    return { offset: start + end, endings: wanted ? parse(format, lines.toString('utf8')) : [] };
  });
}

/** The last lines, the first of them perhaps cut. */
export function readTail(path: string): string {
  return opened(path, '', (file, size) => {
    const length = Math.min(size, TAIL_BYTES);
    return bytesOf(file, size - length, length).toString('utf8');
  });
}

/** A transcript that cannot be read says nothing: it is an extra. */
function opened<Result>(
  path: string,
  otherwise: Result,
  read: (file: number, size: number) => Result,
): Result {
  try {
    const file = openSync(path, 'r');
    try {
      return read(file, fstatSync(file).size);
    } finally {
      closeSync(file);
    }
  } catch {
    return otherwise;
  }
}

function bytesOf(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}
