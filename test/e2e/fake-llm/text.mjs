/** A text in pieces, as a stream brings it; in three of them, unless their size is given. */
export function* piecesOf(text, size = Math.max(1, Math.ceil(text.length / 3))) {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

/** The text of a content: a string, or a list of parts of which some have text. */
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part === 'string' ? part : (part?.text ?? ''))).join('\n');
}

/** The JSON in a text, or the text itself. */
export function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
