// A process of its own that counts in a session: `node counting.mjs FOLDER SESSION NAME TIMES`. It says "ready", waits for
// a line, and then says "counted N" for each change that is made for good.
import { createFileStore } from '../../dist/stores/index.js';

const [folder, session, name, times] = process.argv.slice(2);
const store = createFileStore({ folder, waitMs: 60_000 });

process.stdout.write('ready\n');
await new Promise((done) => process.stdin.once('data', done));
for (let n = 1; n <= Number(times); n++) {
  await store.update(session, (saved) => {
    const counts = { ...saved?.counts, [name]: (saved?.counts?.[name] ?? 0) + 1 };
    return [{ counts, ballast: 'x'.repeat(8000) }, null];
  });
  process.stdout.write(`counted ${n}\n`);
}
process.exit();
