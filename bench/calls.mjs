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
