import { type Digest, digestWords } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import { wordSet } from './word-set.ts';

/** Longer texts are read at both ends, and compared by their bytes in between. */
const END = 4096;
/** Stands where something was masked. */
const MASK = 1;

const ESCAPE = '\u001b';
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const BRACKET = 40;
const PLUS = 43;
const COMMA = 44;
const DASH = 45;
const POINT = 46;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const OPEN = 91;
const CLOSE = 93;

const DIGIT = 1;
const HEX = 2;
const LETTER = 4;
const CLASS = /* @__PURE__ */ classes();
/** Characters at which something to mask may begin: digits, paths, brackets, and what bars and rules are drawn with. */
const STOPS = /* @__PURE__ */ stops();

const UNITS = /* @__PURE__ */ wordSet(
  'ms us ns s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days',
);
const UNIT_STARTS = /* @__PURE__ */ starts(UNITS);
/** A number behind these words tells a place, a process or a time, not a result. */
const PLACES = /* @__PURE__ */ wordSet(
  'line col column char character position offset pos pid process session job thread ms us ns seconds uptime latency timestamp ts jan feb mar apr may jun jul aug sep oct nov dec',
);
/** Behind these a number with a fraction is a duration; without one it may well be a count. */
const LASTED = /* @__PURE__ */ wordSet('took elapsed duration time ms');
/** In lower case only: `5M` is a size. */
const DURATION = /^(?:\d{1,9}(?:ms|us|ns|s|secs?|m|mins?|h|d))+$/;
/** Names that somebody has thought of have fewer groups of digits. */
const ID_GROUPS = 2;
/** A long text that was cut ends in a digest of all of it: that one is no noise. */
const CUT = /\[cut [0-9a-f]{4,64}\]\s{0,4}$/;

/** Zeros before and behind a text, so that looking a little to either side needs no check. */
const MARGIN = 64;

/** A text as code units, before and after: typed memory is several times as fast to read and to digest as a string. */
type Memory = { readonly source: Uint16Array; readonly target: Uint16Array; readonly words: Int32Array };
let memory: Memory | undefined;

function newMemory(): Memory {
  const target = new Uint16Array(2 * END + 2 * MARGIN);
  return {
    source: new Uint16Array(2 * END + 2 * MARGIN),
    target,
    words: new Int32Array(target.buffer),
  };
}

/**
 * A text in which two runs of the same thing look the same: times, durations, dates, ids, hashes, addresses, process
 * numbers, line numbers, temporary paths, colours and progress bars are masked. Plain counts stay: a count that falls is progress.
 */
export function normalised(text: string, digestText: DigestText): string {
  memory ??= newMemory();
  const size = normalise(memory, text, digestText);
  let out = '';
  for (let i = 0; i < size; i++) out += String.fromCharCode(memory.target[i] as number);
  return out;
}

/** Takes a normalised text into a digest, without writing it; gives its length. */
export function digestNormalised(digest: Digest, text: string): number {
  memory ??= newMemory();
  const size = normalise(memory, text, digest.t);
  digestWords(digest, memory.words, memory.target, size);
  return size;
}

/** Writes the normalised text into the target; gives its length. */
function normalise(own: Memory, text: string, digestText: DigestText): number {
  if (text.length <= 2 * END) return mask(own, text, 0, digestText.load);
  // Whole lines, so that a time that got one digit longer does not move the cut.
  const head = text.lastIndexOf('\n', END) + 1 || END;
  const tail = text.indexOf('\n', text.length - END) + 1 || text.length - END;
  const middle = digestText(text.slice(head, tail)).toString(36);
  let size = mask(own, text.slice(0, head), 0, digestText.load);
  for (let i = 0; i < middle.length; i++) own.target[size++] = middle.charCodeAt(i);
  own.target[size++] = MASK;
  return mask(own, text.slice(tail), size, digestText.load);
}

function mask({ source, target }: Memory, whole: string, begin: number, load = loadUnits): number {
  const text = shown(whole);
  load(text, source, MARGIN);
  const last = text.length + MARGIN;
  source.fill(0, last, last + MARGIN);
  const cut = text.includes('[cut ', text.length - 80) ? (CUT.exec(text.slice(-80))?.[0].length ?? 0) : 0;
  const end = last - cut;
  let size = begin;
  let i = MARGIN;
  let from = i;
  while (true) {
    const stop = copyPlain(source, target, i, size, end);
    size += stop - i;
    i = stop;
    if (i === end) break;
    const code = source[i] as number;
    let after = i;
    let mark = MASK;
    if (code >= 48 && code <= 57) {
      let start = i;
      while (start > from && isWord(source, start - 1)) start -= 1;
      let past = i;
      while (isWord(source, past)) past += 1;
      const kinds = kindsOf(source, start, past);
      after =
        kinds === DIGIT
          ? endOfNumber(source, text, start, past)
          : endOfMixed(source, text, start, past, kinds);
      if (after === start) {
        // It stays, all of it.
        while (i < past) target[size++] = source[i++] as number;
        continue;
      }
      size -= i - start;
    } else {
      mark = code;
      if (code === OPEN) after = endOfElement(source, i);
      else if (code === SLASH) after = endOfTemporary(source, text, i);
      else while (isRun(source, i, after, code)) after += 1;
    }
    // What is masked leaves its place; a bar or a rule leaves one of its characters.
    target[size++] = mark;
    if (after > i && (code === OPEN || code === SLASH)) target[size++] = MASK;
    i = Math.max(after, i + 1);
    from = i;
  }
  for (i = end; i < last; i++) target[size++] = source[i] as number;
  return size;
}

/** Copies what begins nothing that is masked, most of every text; a loop of its own is several times as fast. */
function copyPlain(source: Uint16Array, target: Uint16Array, from: number, to: number, end: number): number {
  let i = from;
  let size = to;
  for (; i < end; i++) {
    const code = source[i] as number;
    if (code > 127 || STOPS[code] !== 0) break;
    target[size++] = code;
  }
  return i;
}

function loadUnits(text: string, into: Uint16Array, at: number): void {
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
}

/** Whether `at` is within a run of at least four of this character. */
function isRun(source: Uint16Array, start: number, at: number, code: number): boolean {
  if ((source[at] as number) !== code) return false;
  return (
    at > start ||
    ((source[at + 1] as number) === code &&
      (source[at + 2] as number) === code &&
      (source[at + 3] as number) === code)
  );
}

/** What a terminal would show in the end: no colours, and each line as it was written last. */
function shown(text: string): string {
  const plain = text.includes(ESCAPE) ? withoutEscapes(text) : text;
  return plain.includes('\r') ? plain.split('\n').map(lastWritten).join('\n') : plain;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

function withoutEscapes(text: string): string {
  let out = '';
  let from = 0;
  for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, from)) {
    out += text.slice(from, at);
    from = endOfEscape(text, at);
  }
  return out + text.slice(from);
}

/** `ESC [ … letter`, `ESC ] … BEL` (a window's title, a link; it never leaves its line), `ESC ( B`, `ESC c`. */
function endOfEscape(text: string, at: number): number {
  const kind = text.charAt(at + 1);
  let end = at + 2;
  if (kind === ']') {
    while (end < text.length && !'\u0007\u001b\n'.includes(text.charAt(end))) end += 1;
    if (text.charAt(end) === '\u0007') return end + 1;
    return text.startsWith('\u001b\\', end) ? end + 2 : end;
  }
  if (kind !== '[') return kind >= ' ' && kind < '0' ? at + 3 : kind === '\n' ? at + 1 : end;
  while (text.charAt(end) >= ' ' && text.charAt(end) < '@') end += 1;
  const last = text.charAt(end);
  return last >= '@' && last <= '~' ? end + 1 : end;
}

function kindsOf(source: Uint16Array, start: number, end: number): number {
  let kinds = 0;
  for (let i = start; i < end; i++) kinds |= CLASS[source[i] as number] as number;
  return kinds;
}

function isDigit(source: Uint16Array, at: number): boolean {
  const code = source[at] as number;
  return code >= 48 && code <= 57;
}

function isWord(source: Uint16Array, at: number): boolean {
  const code = source[at] as number;
  return code < 128 && (CLASS[code] as number) !== 0;
}

function isLetter(source: Uint16Array, at: number): boolean {
  const code = source[at] as number;
  return code < 128 && (CLASS[code] as number) > DIGIT;
}

function digitsFrom(source: Uint16Array, at: number): number {
  let end = at;
  while (isDigit(source, end)) end += 1;
  return end;
}

/** Where the part to mask ends that begins with these digits; `start` = it stays. */
function endOfNumber(source: Uint16Array, text: string, start: number, end: number): number {
  const size = end - start;
  const next = source[end] as number;
  const after = next === POINT && isDigit(source, end + 1) ? digitsFrom(source, end + 1) : end;
  const unit = endOfUnit(source, text, (source[after] as number) === SPACE ? after + 1 : after);
  if (unit > 0) return unit;
  // The digits of a fraction are a value, however many there are.
  if ((source[start - 1] as number) === POINT && isDigit(source, start - 2)) return start;
  if (size >= 10) return after;
  if (next === DASH) {
    if (size === 8 && isUuid(source, start)) return start + 36;
    const day = size === 4 ? endOfDate(source, end) : end;
    if (day > end) return day;
  }
  if (isInFile(source, start)) return end;
  if (next === COLON && size <= 2 && digitsFrom(source, end + 1) === end + 3) return endOfClock(source, end);
  const name = wordBefore(source, text, start);
  if (name === '') return start;
  if (PLACES.has(name) || (after > end && LASTED.has(name))) return after;
  return name === 'count' && word(text, Math.max(MARGIN, start - 20), start).includes('execution_count')
    ? end
    : start;
}

/** Letters and digits in one word: a duration, a hash, an id. */
function endOfMixed(source: Uint16Array, text: string, start: number, end: number, kinds: number): number {
  const size = end - start;
  if ((kinds & LETTER) === 0) {
    if (size === 8 && isUuid(source, start)) return start + 36;
    if (size >= 7) return end;
  }
  if (size >= 20 && digitGroups(source, start, end) >= ID_GROUPS) return end;
  if (!isDigit(source, start)) return start;
  // 0x7ffd
  if ((source[start] as number) === 48 && ((source[start + 1] as number) | 32) === 120) return end;
  if (size <= 16 && DURATION.test(text.slice(start - MARGIN, end - MARGIN))) return end;
  // 20260515T055341Z
  return size >= 15 && digitsFrom(source, start) === start + 8 ? end : start;
}

function digitGroups(source: Uint16Array, start: number, end: number): number {
  let groups = 0;
  for (let at = start; at < end; at++) if (isDigit(source, at) && !isDigit(source, at - 1)) groups += 1;
  return groups;
}

function isUuid(source: Uint16Array, start: number): boolean {
  return (
    [8, 13, 18, 23].every((place) => (source[start + place] as number) === DASH) && source[start + 35] !== 0
  );
}

/** From the dash behind the year: `-05-15`, with a time behind it or not. */
function endOfDate(source: Uint16Array, dash: number): number {
  if (digitsFrom(source, dash + 1) !== dash + 3 || (source[dash + 3] as number) !== DASH) return dash;
  const day = digitsFrom(source, dash + 4);
  if (day !== dash + 6) return dash;
  // `T` or a space.
  if ((source[day] as number) !== 84 && (source[day] as number) !== SPACE) return day;
  if (digitsFrom(source, day + 1) !== day + 3 || (source[day + 3] as number) !== COLON) return day;
  return endOfClock(source, day + 3);
}

/** From the first colon: `:55`, `:55:41`, `:55:41.123Z`, `:55:41+02:00`. */
function endOfClock(source: Uint16Array, colon: number): number {
  let end = digitsFrom(source, colon + 1);
  if ((source[end] as number) === COLON && isDigit(source, end + 1)) end = digitsFrom(source, end + 1);
  if (((source[end] as number) === POINT || (source[end] as number) === COMMA) && isDigit(source, end + 1))
    end = digitsFrom(source, end + 1);
  // `Z`
  if ((source[end] as number) === 90) return end + 1;
  if (((source[end] as number) === PLUS || (source[end] as number) === DASH) && isDigit(source, end + 1)) {
    end = digitsFrom(source, end + 1);
    if ((source[end] as number) === COLON) end = digitsFrom(source, end + 1);
  }
  return end;
}

/** Where the unit of time ends that begins here; 0 = there is none. */
function endOfUnit(source: Uint16Array, text: string, at: number): number {
  const first = source[at] as number;
  // Both signs for micro are in use.
  if (first === 0xb5 || first === 0x3bc) return (source[at + 1] as number) === 115 ? at + 2 : 0;
  if (first >= 128 || UNIT_STARTS[first | 32] === 0) return 0;
  let end = at + 1;
  while (end < at + 9 && isLetter(source, end)) end += 1;
  // `5 M` is a size.
  if (isWord(source, end) || (end === at + 1 && first < 97)) return 0;
  return UNITS.has(word(text, at, end)) ? end : 0;
}

/** Whether a number says where in a file: `main.go:12`, `main.go:12:5`, `main.ts(3,5)`. */
function isInFile(source: Uint16Array, start: number): boolean {
  const before = source[start - 1] as number;
  if (before === COLON || before === BRACKET) {
    if (isFileName(source, start - 2)) return true;
  }
  if ((before !== COLON && before !== COMMA) || !isDigit(source, start - 2)) return false;
  let first = start - 2;
  while (first > start - 9 && isDigit(source, first - 1)) first -= 1;
  const open = source[first - 1] as number;
  return (open === COLON || open === BRACKET) && isFileName(source, first - 2);
}

/** Whether a file's name ends here, by its ending: `main.go`, not `localhost` and not `127.0.0.1`. */
function isFileName(source: Uint16Array, last: number): boolean {
  let first = last;
  while (first > last - 5 && isWord(source, first)) first -= 1;
  return first < last && (source[first] as number) === POINT && !isDigit(source, first + 1);
}

/** The word that a number belongs to, in lower case: behind ` `, `=`, `: `, `": `, ` #`; empty = there is none. */
function wordBefore(source: Uint16Array, text: string, start: number): string {
  let end = start - 1;
  while (end >= start - 3 && isSeparator(source[end] as number)) end -= 1;
  if (end === start - 1 || !isLetter(source, end)) return '';
  let first = end;
  while (first > end - 10 && isLetter(source, first - 1)) first -= 1;
  return end === first ? '' : word(text, first, end + 1);
}

/** What stands between two places, in lower case. */
function word(text: string, start: number, end: number): string {
  return text.slice(start - MARGIN, end - MARGIN).toLowerCase();
}

function isSeparator(code: number | undefined): boolean {
  return code === SPACE || code === COLON || code === EQUALS || code === QUOTE || code === HASH;
}

/** The number of an element on a page, which changes with each load: `[1534] link`, `[a99] button`. */
function endOfElement(source: Uint16Array, bracket: number): number {
  let end = bracket + 1;
  while (end < bracket + 9 && isWord(source, end)) end += 1;
  if (end === bracket + 1 || (source[end] as number) !== CLOSE || (source[end + 1] as number) !== SPACE)
    return bracket;
  const next = source[end + 2] as number;
  return next >= 97 && next <= 122 && isDigit(source, end - 1) ? end : bracket;
}

/** A temporary path: the part of it that some program made up. */
function endOfTemporary(source: Uint16Array, text: string, slash: number): number {
  // `t` or `v`
  if ((source[slash + 1] as number) !== 116 && (source[slash + 1] as number) !== 118) return slash;
  if (text.startsWith('/var/folders/', slash - MARGIN)) return endOfPath(source, slash + 13, false);
  if (!text.startsWith('/tmp/', slash - MARGIN)) return slash;
  const end = endOfPath(source, slash + 5, true);
  const name = word(text, slash + 5, end);
  return name.startsWith('tmp') || /\d/.test(name) ? end : slash;
}

function endOfPath(source: Uint16Array, at: number, oneName: boolean): number {
  let end = at;
  while (true) {
    const code = source[end] as number;
    // The end of the text, white space, quotes, and the colon before a line number.
    if (code <= SPACE || code === 34 || code === 39 || code === COLON || code === 96) break;
    if (oneName && code === SLASH) break;
    end += 1;
  }
  return end;
}

function starts(words: ReadonlySet<string>): Uint8Array {
  const table = new Uint8Array(128);
  for (const word of words) table[word.charCodeAt(0)] = 1;
  return table;
}

function stops(): Uint8Array {
  const table = new Uint8Array(128);
  for (let code = 33; code < 127; code++) table[code] = (CLASS[code] as number) > DIGIT ? 0 : 1;
  return table;
}

function classes(): Uint8Array {
  const table = new Uint8Array(128);
  for (let code = 48; code < 58; code++) table[code] = DIGIT;
  for (let code = 97; code < 123; code++) {
    const own = code < 103 ? HEX : LETTER;
    table[code] = own;
    table[code - 32] = own;
  }
  return table;
}
