// The same bytes, written and renamed, and nothing else: `node state-plain.mjs FOLDER BYTES`. It loads what the other one loads.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../dist/stores/index.js';
import { stateOf } from './state.mjs';

const [folder, bytes] = process.argv.slice(2);
const text = JSON.stringify(stateOf(Number(bytes)));
writeFileSync(join(folder, 'plain.lock'), text, { mode: 0o600 });
renameSync(join(folder, 'plain.lock'), join(folder, 'plain.json'));
