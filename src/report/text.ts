/** Whatever a terminal could take for a command, and line ends. */
const CONTROL = /[\p{Cc}\u2028-\u202E\u2066-\u2069]+/gu;

/** Text from a recording or a file, made safe to print on one line. */
export function printable(text: string): string {
  return text.replace(CONTROL, ' ');
}

/** Printable text of at most `width` characters. */
export function shortened(text: string, width: number): string {
  const safe = printable(text);
  if (safe.length <= width) return safe;
  const characters = [...safe];
  return characters.length <= width ? safe : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

export function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
