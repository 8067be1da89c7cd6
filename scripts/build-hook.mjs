// Writes dist/hook.cjs, which knows the parts of the hook that were built beside it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url);
const parts = new URL('hook/', dist);
const hash = createHash('sha256');
for (const name of readdirSync(parts).sort()) hash.update(readFileSync(new URL(name, parts)));
const loader = readFileSync(new URL('../src/cli/hook/loader.cjs', import.meta.url), 'utf8');
writeFileSync(new URL('hook.cjs', dist), loader.replace('@BUILD@', hash.digest('hex').slice(0, 16)));
