// What reading transcripts costs at least: every file, every line, JSON.parse, on so many threads and nothing else.
// node bench/scan/bare.mjs FOLDER THREADS text|bytes
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const PARSERS = { text: parseText, bytes: parseBytes };

if (isMainThread) {
  const [folder, threads, way] = process.argv.slice(2);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
  console.log(JSON.stringify({ lines: await parseAll(folder, files, Number(threads), way) }));
} else {
  const parseFile = PARSERS[workerData];
  parentPort.on('message', (file) => parentPort.postMessage(parseFile(file)));
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    // Sessions of people have lines that are broken.
    return undefined;
  }
}

/** As anybody would write it. */
function parseText(file) {
  let lines = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    parse(line);
    lines += 1;
  }
  return lines;
}

/** Line by line from the bytes, so that one letter beyond Latin-1 does not make the whole file twice as large. */
function parseBytes(file) {
  const bytes = readFileSync(file);
  let lines = 0;
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
    parse(bytes.toString('utf8', from, end));
    from = end + 1;
    lines += 1;
  }
  return lines;
}

/** As the scan does it: one thread works by itself, more are workers that take the next file when they have time. */
async function parseAll(folder, files, threads, way) {
  const paths = files.map((name) => join(folder, name));
  if (threads === 1) return paths.reduce((sum, file) => sum + PARSERS[way](file), 0);
  let next = 0;
  let lines = 0;
  const run = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: way });
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
