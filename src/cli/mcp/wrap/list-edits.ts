import type { Edit, Span } from './server-entry.ts';

/** Something between brackets, and what is in it. */
type Listed = { readonly start: number; readonly items: readonly Span[] | null };

/** Elements before those that are there, laid out as these are. */
export function prefix(text: string, { start, items }: Listed, literals: readonly string[]): Edit {
  const at = start + 1;
  const lead = leadOf(text, at, items?.[0]?.start);
  const joined = literals.join(', ');
  if (items?.length === 0) return { start: at, end: at, text: joined };
  return { start: at, end: at, text: lead === '' ? `${joined}, ` : `${lead}${joined},` };
}

/** The other way round: see `prefix`. */
export function withoutPrefix(text: string, { start, items }: Listed, last: number): Edit {
  const at = start + 1;
  const end = items?.[last]?.end ?? at;
  const next = items?.[last + 1];
  if (next === undefined) return { start: at, end, text: '' };
  const comma = text.indexOf(',', end) + 1;
  const space = leadOf(text, at, items?.[0]?.start) === '' && text[comma] === ' ' ? 1 : 0;
  return { start: at, end: comma + space, text: '' };
}

/** The white space before the first element; none where there is more than that. */
function leadOf(text: string, from: number, to = from): string {
  const lead = text.slice(from, to);
  return lead.trim() === '' ? lead : '';
}
