// Writes dist/hook.cjs, which knows the parts of the hook that were built beside it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url);
const parts = new URL('hook/', dist);
const hash = createHash('sha256');
for (const name of readdirSync(parts).sort()) {
  const part = new URL(name, parts);
  const text = ascii(readFileSync(part, 'utf8'));
  writeFileSync(part, text);
  hash.update(text);
}
const loader = readFileSync(new URL('../src/cli/hook/loader.cjs', import.meta.url), 'utf8');
writeFileSync(new URL('hook.cjs', dist), loader.replace('@BUILD@', hash.digest('hex').slice(0, 16)));

/** A text with one character beyond Latin-1 takes twice the memory, and longer to read. All of them stand in literals. */
function ascii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
