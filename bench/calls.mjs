const LINES = [
  'import { readFile } from "node:fs/promises";\n',
  'export async function load(path, options = {}) {\n',
  "  const text = await readFile(path, 'utf8');\n",
  '  if (text.length === 0) throw new Error("empty file: " + path);\n',
  '  return text.split("\\n").map((line, i) => ({ line, i }));\n',
  '}\n\n',
  '// a note: keep "quotes", tabs\tand numbers 12345 in here\n',
];

/** Source-like text, different for every seed, flat on the heap as JSON.parse gives it. */
function sourceText(length, seed) {
  let text = `const s = "${seed.toString(36)}";\n`;
  for (let i = seed; text.length < length; i++) text += LINES[i % LINES.length];
  return JSON.parse(JSON.stringify(text.slice(0, length)));
}

/** Different calls whose arguments take about `size` bytes as JSON. */
export function makeCalls(size, count) {
  const frame = JSON.stringify({ file_path: 'src/a.ts', content: '' }).length;
  return Array.from({ length: count }, (_, index) => {
    const room = Math.max(0, size - frame);
    const content =
      size < 100 ? `k${index}`.padEnd(room, '.') : sourceText(Math.floor(room * 0.95), index + 1);
    return { id: `call_${index}`, tool: 'post_comment', args: { file_path: 'src/a.ts', content } };
  });
}

const LOG_LINES = [
  '2026-05-15T05:53:41.123Z INFO server started on port 8080 in 132ms\n',
  'PASS src/core/step.test.ts (12 tests) 845ms\n',
  '  at Object.<anonymous> (/workspace/app/src/index.ts:120:13)\n',
  'src/app.ts:45:12 - error TS2345: Argument of type "string" is not assignable.\n',
  'Resolved 345 packages, reused 340, downloaded 5, added 345, done\n',
  '[main 9f74686] Ids stand for one call only\n',
];

/** Different outputs as tools print them, with times, places and hashes in them. */
export function makeOutputs(size, count) {
  return Array.from({ length: count }, (_, index) => {
    let text = `run ${index}\n`;
    for (let line = index; text.length < size; line++) text += LOG_LINES[line % LOG_LINES.length];
    return JSON.parse(JSON.stringify(text.slice(0, size)));
  });
}
