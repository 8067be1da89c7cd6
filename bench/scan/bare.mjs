// The least that reading transcripts can cost: every file, every line, JSON.parse, on so many threads and nothing else.
// node bench/scan/bare.mjs FOLDER THREADS
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

if (isMainThread) {
  const [folder, threads] = process.argv.slice(2);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
  console.log(JSON.stringify({ lines: await parseAll(folder, files, Number(threads)) }));
} else {
  parentPort.on('message', (file) => parentPort.postMessage(parseFile(file)));
}

function parseFile(file) {
  let lines = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    JSON.parse(line);
    lines += 1;
  }
  return lines;
}

/** As the scan does it: one thread works by itself, more are workers that take the next file when they have time. */
async function parseAll(folder, files, threads) {
  const paths = files.map((name) => join(folder, name));
  if (threads === 1) return paths.reduce((sum, file) => sum + parseFile(file), 0);
  let next = 0;
  let lines = 0;
  const run = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url));
      const give = () => {
        if (next < paths.length) worker.postMessage(paths[next++]);
        else worker.terminate().then(resolve, reject);
      };
      worker.on('error', reject);
      worker.on('message', (count) => {
        lines += count;
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: threads }, run));
  return lines;
}
