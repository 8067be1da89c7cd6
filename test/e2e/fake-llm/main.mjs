// `node test/e2e/fake-llm/main.mjs SCRIPT [LOG] [PORT]`: prints the address, answers until it is killed.
import { readFileSync } from 'node:fs';
import { startFakeModel } from './server.mjs';

const [script, log, port = '0'] = process.argv.slice(2);
const model = await startFakeModel({
  script: JSON.parse(readFileSync(script, 'utf8')),
  ...(log === undefined ? {} : { log }),
  port: Number(port),
});
process.stdout.write(`${model.url}\n`);
