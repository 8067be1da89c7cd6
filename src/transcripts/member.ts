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
