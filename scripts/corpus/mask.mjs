// Hides what recorded sessions tell about the people behind them. The recordings are public and mostly redacted
// already; this is a second look.

const KEYS = [
  /\b(?:sk|pk|rk)-[\w-]{20,}/g,
  /\bgh[pousr]_\w{30,}/g,
  /\bgithub_pat_\w{30,}/g,
  /\bxox[abprs]-[\w-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*-----END [A-Z ]*PRIVATE KEY-----/g,
];
const MASKS = [
  ...KEYS.map((key) => [key, 'SECRET']),
  [/\b(?!git@)[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b/g, 'someone@example.com'],
  [/(Author|Commit|Co-[Aa]uthored-[Bb]y): +[^<\n]{1,60} (?=<)/g, '$1: A Developer '],
  [/(\/Users\/|\/home\/)(?!runner\b)[^/\s"'`\\:;,)]+/g, '$1user'],
  [/(-Users-|-home-)[A-Za-z0-9]+(?=-)/g, '$1user'], // how Claude Code names the folder of a project
];

/** A JSON value with keys, e-mail addresses, authors and home folders masked in every text. */
export function masked(value) {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item)]));
}

function maskedText(text) {
  return MASKS.reduce((rest, [seen, instead]) => rest.replace(seen, instead), text);
}
