const [QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
/** A type stands near the beginning of a record. */
const HEAD_BYTES = 1024;

/** Tells from the bytes of a line, without parsing it, whether it is an object with this member; `false` = not for certain. */
export function lineWith(name: string, value: string): (line: Uint8Array) => boolean {
  const member = new TextEncoder().encode(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return (line) => {
    if (!(line instanceof Buffer) || line[line.length - 1] !== CLOSE_OBJECT) return false;
    const at = line.subarray(0, HEAD_BYTES).indexOf(member);
    return at > 0 && isOfTheWhole(line, at);
  };
}

/** Whether a member that begins here belongs to the outermost object. */
function isOfTheWhole(line: Uint8Array, at: number): boolean {
  if (line[0] !== OPEN_OBJECT || (line[at - 1] !== COMMA && at > 1)) return false;
  let depth = 0;
  let inText = false;
  for (let index = 0; index < at; index++) {
    const byte = line[index];
    if (inText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
  }
  return depth === 1 && !inText;
}

/** Members behind the one that is left out are few and short. */
const TAIL_BYTES = 2048;

/**
 * The text of a line without a member that is long and says nothing new; null = the line is parsed as it is. `after` = the member
 * that must stand before it, `unless` = bytes by which it says something after all. A quotation mark within a text has a backslash
 * before it, so a comma, a quotation mark and a letter can only be the beginning of a member; whether it is one of the outermost
 * object is left to the parser, for otherwise the rest is no JSON.
 */
export function withoutMember(
  name: string,
  after: string,
  unless: string,
): (line: Uint8Array) => string | null {
  const before = Buffer.from(`"${after}":`);
  const member = Buffer.from(`,"${name}":`);
  const telling = Buffer.from(unless);
  return (line) => {
    if (!(line instanceof Buffer) || line.length < TAIL_BYTES) return null;
    const from = line.indexOf(member);
    if (from < 0) return null;
    const first = line.indexOf(before);
    if (first < 0 || first > from) return null;
    const to = tailOf(line, from);
    if (to < 0 || line.subarray(from, to).includes(telling)) return null;
    return line.toString('utf8', 0, from) + line.toString('utf8', to);
  };
}

/** Where the members begin that stand behind a long one, or the end of the object, read from its end; -1 = it has none. */
function tailOf(line: Buffer, from: number): number {
  let at = line.length - 1;
  if (line[at] !== CLOSE_OBJECT) return -1;
  let start = at;
  let depth = 0;
  const least = Math.max(from, line.length - TAIL_BYTES);
  while (--at > least) {
    const byte = line[at];
    if (byte === QUOTE) {
      do at = line.lastIndexOf(QUOTE, at - 1);
      while (at > least && isEscaped(line, at));
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth += 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth -= 1;
    else if (byte === COMMA && depth === 0) start = at;
  }
  return start;
}

function isEscaped(line: Buffer, at: number): boolean {
  let first = at;
  while (line[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
