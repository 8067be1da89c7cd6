import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { MissedCalls } from '../../hooks/host.ts';
import type { News } from '../../hooks/take-signal.ts';

/** What is understood of whole lines. `spentTokens` is left out where nobody asks for tokens. */
export type TranscriptParts = {
  missedCalls(format: string, text: string): News['endings'];
  readonly spentTokens?: ((format: string, text: string) => News['spent']) | undefined;
};

/** What came in between is passed over when it is more than this. */
const MAX_NEWS_BYTES = 1_048_576;
/** Tokens stand between results, and a long result must not hide them. */
const MAX_COUNTED_BYTES = 16_777_216;
const TAIL_BYTES = 65_536;
const LINE_FEED = 0x0a;

/** What a transcript tells since it was last looked at: nothing, as a rule, and that is found out without reading any of it closely. */
export function readNews(
  path: string,
  { format, markers }: MissedCalls,
  from: number,
  open: boolean,
  { missedCalls, spentTokens }: TranscriptParts,
): News {
  const nothing = (offset: number): News => ({ offset, endings: [], spent: [] });
  // One that is yet to be written is read from its beginning.
  const otherwise = nothing(Math.max(0, from));
  return opened(path, otherwise, (file, size) => {
    // A shorter file is another one.
    if (from < 0 || size < from) return nothing(size);
    const most = spentTokens === undefined ? MAX_NEWS_BYTES : MAX_COUNTED_BYTES;
    const start = Math.max(from, size - most);
    const bytes = bytesOf(file, start, size - start);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const begin = start > from ? bytes.indexOf(LINE_FEED) + 1 : 0;
    const lines = bytes.subarray(begin, Math.max(begin, end));
    const wanted = open || markers.some((marker) => lines.includes(marker));
    if (lines.length === 0 || (!wanted && spentTokens === undefined)) return nothing(start + end);
    const text = lines.toString('utf8');
    return {
      offset: start + end,
      endings: wanted ? missedCalls(format, text) : [],
      spent: spentTokens?.(format, text) ?? [],
    };
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
