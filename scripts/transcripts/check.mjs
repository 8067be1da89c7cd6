// Reads every transcript under the given folders twice, with the parsers and with the counters beside this file, which
// share no code with them, and prints both as a table: node scripts/transcripts/check.mjs FOLDER...
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const COLUMNS = ['calls', 'results', 'failures', 'turns', 'input', 'output', 'cachedInput', 'first', 'last'];
const HEADER = [
  'file',
  'format',
  ...COLUMNS.map((name) => (name === 'cachedInput' ? 'cached' : name)),
  'agrees',
];

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('usage: node scripts/transcripts/check.mjs FOLDER...');
  process.exit(2);
}
const { FORMATS, createTranscript } = await parsers();
const rows = [];
for (const folder of folders) {
  for (const file of filesUnder(folder)) rows.push(await check(file));
}
console.log([HEADER, HEADER.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'));
const ending = (word) => rows.filter((row) => row.at(-1) === word).length;
const [agree, unknown] = [ending('yes'), ending('not recognised')];
console.log(
  `\n${rows.length} files: ${agree} counted the same, ${rows.length - agree - unknown} not, ${unknown} not recognised`,
);
process.exitCode = agree === rows.length && agree > 0 ? 0 : 1;

/** The parsers as they stand in the sources, so that no build can be out of date. */
async function parsers() {
  const source = fileURLToPath(new URL('../../src/transcripts/', import.meta.url));
  const { outputFiles } = await build({
    stdin: {
      contents: `export { FORMATS } from './formats.ts'; export { createTranscript } from './transcript.ts';`,
      resolveDir: source,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Without what our own recordings are held against. */
function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .filter((name) => name !== 'expected.json')
    .flatMap((name) => filesUnder(join(path, name)));
}

async function check(file) {
  const bytes = readFileSync(file);
  const { format, figures } = read(bytes);
  if (format === null) return [file, '', ...COLUMNS.map(() => ''), 'not recognised'];
  const counter = new URL(`count/${format}.mjs`, import.meta.url);
  if (!existsSync(counter)) return [file, format, ...COLUMNS.map((name) => figures[name]), 'no counter'];
  const { count } = await import(counter);
  const other = count(bytes.toString('utf8'), file);
  const differs = COLUMNS.filter((name) => figures[name] !== other[name]);
  const cells = COLUMNS.map((name) =>
    differs.includes(name) ? `${figures[name]} ≠ ${other[name]}` : figures[name],
  );
  return [file, format, ...cells, differs.length === 0 ? 'yes' : 'no'];
}

function read(bytes) {
  const figures = {
    calls: 0,
    results: 0,
    failures: 0,
    turns: 0,
    input: 0,
    output: 0,
    cachedInput: 0,
    first: null,
    last: null,
  };
  let total;
  const transcript = createTranscript(FORMATS, {
    event({ type, status, usage, at }) {
      if (type === 'turn') {
        figures.turns += 1;
        figures.input += usage?.input ?? 0;
        figures.output += usage?.output ?? 0;
        figures.cachedInput += usage?.cachedInput ?? 0;
      }
      if (type !== 'tool-call' && type !== 'tool-result') return;
      figures[type === 'tool-call' ? 'calls' : 'results'] += 1;
      if (type === 'tool-result' && status !== 'ok' && status !== 'unknown') figures.failures += 1;
      figures.first ??= at ?? null;
      figures.last = at ?? figures.last;
    },
    facts({ usage }) {
      total = usage ?? total;
    },
    problem() {},
  });
  transcript.push(bytes);
  transcript.end();
  // The total of a whole session says more than the sum of what its parts tell.
  if (total !== undefined) Object.assign(figures, { cachedInput: 0 }, total);
  return { format: transcript.format?.name ?? null, figures };
}
