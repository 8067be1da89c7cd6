const ESCAPE = '\u001b';

/** What a terminal would show in the end: no colours, and each line as it was written last. */
export function shown(text: string): string {
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
