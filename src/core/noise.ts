import { hashed, hashedWords, hashOf, isAmong } from './word-hashes.ts';

/** Longer texts are read at both ends, and compared by their bytes in between. */
export const END = 4096;
/** Zeros before and behind a text, so that looking a little to either side needs no check. */
export const MARGIN = 64;

/**
 * A text as code units, as it was given: typed memory is several times as fast to read and to digest as a string,
 * and faster still as a constant of the module.
 */
export const SOURCE: Uint16Array = /* @__PURE__ */ new Uint16Array(2 * END + 2 * MARGIN);

const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const BRACKET = 40;
const PLUS = 43;
const COMMA = 44;
const DASH = 45;
const POINT = 46;
export const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const UNDERSCORE = 95;
export const OPEN = 91;
const CLOSE = 93;
/** What Codex writes above the output of each command. */
const CHUNK_ID = 'Chunk ID: ';
/** What Playwright calls an element, and Chrome's tools: both count anew with each look at the page. */
const REF = 'ref=';
const UID = 'uid=';
const TMP = '/tmp/';
const VAR_FOLDERS = '/var/folders/';

export const DIGIT = 1;
const HEX = 2;
const LETTER = 4;
const CLASS = /* @__PURE__ */ classes();
const UNITS = /* @__PURE__ */ hashedWords(
  'ms us ns s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days',
);
/** In lower case only, and right behind the number: `5M` is a size. */
const SHORT_UNITS = /* @__PURE__ */ hashedWords('ms us ns s sec secs m min mins h d');
const UNIT_STARTS = /* @__PURE__ */ starts('smhdun');
/** A number behind these words tells a place, a process or a time, not a result. */
const PLACES = /* @__PURE__ */ hashedWords(
  'line col column char character position offset pos pid pgid process session job thread ms us ns seconds uptime latency timestamp ts jan feb mar apr may jun jul aug sep oct nov dec',
);
/** Behind these a number with a fraction is a duration; without one it may well be a count. */
const LASTED = /* @__PURE__ */ hashedWords('took elapsed duration time ms');
/** Endings of files behind which compilers put a place in brackets; behind others it is a call: `.nth(3)`. */
const COMPILED = /* @__PURE__ */ hashedWords(
  'ts tsx mts cts js jsx mjs cjs vue c h cc cpp cxx hpp cs vb fs fsx xaml pas dpr d pp rc idl il asm',
);
const COUNT = /* @__PURE__ */ hashOf('count');
const EXECUTION = /* @__PURE__ */ hashOf('execution');
const TEMPORARY = /* @__PURE__ */ hashOf('tmp');
const NO_WORD = 0;
/** The longest duration in one word: `1h20m30s`. */
const MAX_DURATION = 16;
/** Names that somebody has thought of have fewer groups of digits. */
const ID_GROUPS = 2;
/** No id is longer; a picture written in letters is. */
const MAX_ID = 128;
const MAX_REF = 24;

function isDigit(at: number): boolean {
  const code = SOURCE[at] as number;
  return code >= 48 && code <= 57;
}

/** What a character of a word is; 0 = it is none. */
export function classOf(at: number): number {
  const code = SOURCE[at] as number;
  return code < 128 ? (CLASS[code] as number) : 0;
}

function isWord(at: number): boolean {
  return classOf(at) !== 0;
}

function isLetter(at: number): boolean {
  const code = SOURCE[at] as number;
  return code < 128 && (CLASS[code] as number) > DIGIT;
}

function digitsFrom(at: number): number {
  let end = at;
  while (isDigit(end)) end += 1;
  return end;
}

/** Where the part to mask ends that begins with these digits; `start` = it stays. */
export function endOfNumber(start: number, end: number): number {
  const size = end - start;
  const next = SOURCE[end] as number;
  const after = next === POINT && isDigit(end + 1) ? digitsFrom(end + 1) : end;
  const unit = endOfUnit((SOURCE[after] as number) === SPACE ? after + 1 : after);
  if (unit > 0) return unit;
  // The digits of a fraction are a value, however many there are.
  if ((SOURCE[start - 1] as number) === POINT && isDigit(start - 2)) return start;
  if (size >= 10) return after;
  if (next === DASH) {
    if (size === 8 && isUuid(start)) return start + 36;
    const day = size === 4 ? endOfDate(end) : end;
    if (day > end) return day;
  }
  const before = SOURCE[start - 1] as number;
  if (before === SPACE && startsAt(start - CHUNK_ID.length, CHUNK_ID)) return end;
  if ((before === COLON || before === BRACKET || before === COMMA) && isInFile(start, before)) return end;
  if (next === UNDERSCORE && before === EQUALS && isDigit(end + 1) && startsAt(start - UID.length, UID))
    return digitsFrom(end + 1);
  if (next === COLON && size <= 2 && digitsFrom(end + 1) === end + 3) return endOfClock(end);
  if (!isSeparator(before)) return start;
  const name = wordBefore(start);
  if (name === NO_WORD) return start;
  if (isAmong(PLACES, name) || (after > end && isAmong(LASTED, name))) return after;
  return name === COUNT && isExecutionCount(start) ? end : start;
}

/** Letters and digits in one word: a duration, a hash, an id. */
export function endOfMixed(start: number, end: number, kinds: number): number {
  const size = end - start;
  if (startsAt(start - CHUNK_ID.length, CHUNK_ID)) return end;
  if ((kinds & LETTER) === 0) {
    if (size === 8 && isUuid(start)) return start + 36;
    if (size >= 7) return end;
  }
  if (size >= 20 && size <= MAX_ID && digitGroups(start, end) >= ID_GROUPS) return end;
  if (!isDigit(start)) return start;
  // 0x7ffd
  if ((SOURCE[start] as number) === 48 && ((SOURCE[start + 1] as number) | 32) === 120) return end;
  if (size <= MAX_DURATION && isDuration(start, end)) return end;
  // 20260515T055341Z
  return size >= 15 && digitsFrom(start) === start + 8 ? end : start;
}

function digitGroups(start: number, end: number): number {
  let groups = 0;
  for (let at = start; at < end; at++) if (isDigit(at) && !isDigit(at - 1)) groups += 1;
  return groups;
}

function isUuid(start: number): boolean {
  return (
    [8, 13, 18, 23].every((place) => (SOURCE[start + place] as number) === DASH) && SOURCE[start + 35] !== 0
  );
}

/** From the dash behind the year: `-05-15`, with a time behind it or not. */
function endOfDate(dash: number): number {
  if (digitsFrom(dash + 1) !== dash + 3 || (SOURCE[dash + 3] as number) !== DASH) return dash;
  const day = digitsFrom(dash + 4);
  if (day !== dash + 6) return dash;
  // `T` or a space.
  if ((SOURCE[day] as number) !== 84 && (SOURCE[day] as number) !== SPACE) return day;
  if (digitsFrom(day + 1) !== day + 3 || (SOURCE[day + 3] as number) !== COLON) return day;
  return endOfClock(day + 3);
}

/** From the first colon: `:55`, `:55:41`, `:55:41.123Z`, `:55:41+02:00`. */
function endOfClock(colon: number): number {
  let end = digitsFrom(colon + 1);
  if ((SOURCE[end] as number) === COLON && isDigit(end + 1)) end = digitsFrom(end + 1);
  if (((SOURCE[end] as number) === POINT || (SOURCE[end] as number) === COMMA) && isDigit(end + 1))
    end = digitsFrom(end + 1);
  // `Z`
  if ((SOURCE[end] as number) === 90) return end + 1;
  if (((SOURCE[end] as number) === PLUS || (SOURCE[end] as number) === DASH) && isDigit(end + 1)) {
    end = digitsFrom(end + 1);
    if ((SOURCE[end] as number) === COLON) end = digitsFrom(end + 1);
  }
  return end;
}

/** Where the unit of time ends that begins here; 0 = there is none. */
function endOfUnit(at: number): number {
  const first = SOURCE[at] as number;
  // Both signs for micro are in use.
  if (first === 0xb5 || first === 0x3bc) return (SOURCE[at + 1] as number) === 115 ? at + 2 : 0;
  if (first >= 128 || UNIT_STARTS[first | 32] === 0) return 0;
  let end = at + 1;
  while (end < at + 9 && isLetter(end)) end += 1;
  // `5 M` is a size.
  if (isWord(end) || (end === at + 1 && first < 97)) return 0;
  return isAmong(UNITS, hashBetween(at, end)) ? end : 0;
}

/** Whether a number says where in a file: `main.go:12`, `main.go:12:5`, `main.ts(3,5)`. */
function isInFile(start: number, before: number): boolean {
  if (before !== COMMA && isFileName(start - 2, before)) return true;
  if (before === BRACKET || !isDigit(start - 2)) return false;
  let first = start - 2;
  while (first > start - 9 && isDigit(first - 1)) first -= 1;
  const open = SOURCE[first - 1] as number;
  return (open === COLON || open === BRACKET) && isFileName(first - 2, open);
}

/** Whether a file's name ends here, by its ending: `main.go`, not `localhost`, not `127.0.0.1`, and no call. */
function isFileName(last: number, next: number): boolean {
  let first = last;
  while (first > last - 5 && isWord(first)) first -= 1;
  if (first === last || (SOURCE[first] as number) !== POINT || isDigit(first + 1)) return false;
  return next !== BRACKET || isAmong(COMPILED, hashBetween(first + 1, last + 1));
}

/** Whether it is nothing but numbers with units: `12ms`, `1h20m30s`. */
function isDuration(start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    const unit = digitsFrom(at);
    at = unit;
    while (at < end && !isDigit(at)) {
      // In lower case.
      if ((SOURCE[at] as number) < 97) return false;
      at += 1;
    }
    if (!isAmong(SHORT_UNITS, hashBetween(unit, at))) return false;
  }
  return true;
}

/** The word that a number belongs to, as a hash read from its end: behind ` `, `=`, `: `, `": `, ` #`. */
function wordBefore(start: number): number {
  let end = start - 2;
  while (end >= start - 3 && isSeparator(SOURCE[end] as number)) end -= 1;
  if (!isLetter(end)) return NO_WORD;
  let hash = 0;
  let at = end;
  for (; at >= end - 10 && isLetter(at); at--) hash = hashed(hash, SOURCE[at] as number);
  return at === end - 1 ? NO_WORD : hash;
}

/** `execution_count`, and what may stand between it and its number. */
function isExecutionCount(start: number): boolean {
  let at = start - 1;
  while (isSeparator(SOURCE[at] as number)) at -= 1;
  // The underscore before `count`.
  at -= 5;
  return (SOURCE[at] as number) === UNDERSCORE && hashBetween(Math.max(MARGIN, at - 9), at) === EXECUTION;
}

function isSeparator(code: number | undefined): boolean {
  return code === SPACE || code === COLON || code === EQUALS || code === QUOTE || code === HASH;
}

/** The number of an element on a page, which changes with each load: `[1534] link`, `[a99] button`, `[ref=s2e7]`. */
export function endOfElement(bracket: number): number {
  const named = startsAt(bracket + 1, REF);
  let end = bracket + (named ? REF.length : 0) + 1;
  if (named) {
    while (end < bracket + MAX_REF && isWord(end)) end += 1;
    return (SOURCE[end] as number) === CLOSE && isDigit(end - 1) ? end : bracket;
  }
  while (end < bracket + 9 && isWord(end)) end += 1;
  if (end === bracket + 1 || (SOURCE[end] as number) !== CLOSE || (SOURCE[end + 1] as number) !== SPACE)
    return bracket;
  const next = SOURCE[end + 2] as number;
  return next >= 97 && next <= 122 && isDigit(end - 1) ? end : bracket;
}

/** A temporary path: the part of it that some program made up. */
export function endOfTemporary(slash: number): number {
  if (startsAt(slash, VAR_FOLDERS)) return endOfPath(slash + VAR_FOLDERS.length, false);
  if (!startsAt(slash, TMP)) return slash;
  const start = slash + TMP.length;
  const end = endOfPath(start, true);
  let digits = 0;
  for (let at = start; at < end; at++) if (isDigit(at)) digits += 1;
  return digits > 0 || hashBetween(start, Math.min(end, start + 3)) === TEMPORARY ? end : slash;
}

function startsAt(at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (SOURCE[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function endOfPath(at: number, oneName: boolean): number {
  let end = at;
  while (true) {
    const code = SOURCE[end] as number;
    // The end of the text, white space, quotes, and the colon before a line number.
    if (code <= SPACE || code === 34 || code === 39 || code === COLON || code === 96) break;
    if (oneName && code === SLASH) break;
    end += 1;
  }
  return end;
}

function hashBetween(start: number, end: number): number {
  let hash = 0;
  for (let at = end - 1; at >= start; at--) hash = hashed(hash, SOURCE[at] as number);
  return hash;
}

function starts(letters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (let i = 0; i < letters.length; i++) table[letters.charCodeAt(i)] = 1;
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
