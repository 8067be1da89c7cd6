// Writes the published JSON Schema of deloop.config.json. Run by `npm run build`, after dist/ is there.
import { mkdir, writeFile } from 'node:fs/promises';
import { configSchema } from '../dist/config/schema.js';

const folder = new URL('../schema/', import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL('deloop.config.schema.json', folder), `${JSON.stringify(configSchema(), null, 2)}\n`);
