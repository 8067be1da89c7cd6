// What sessions are made of, so that the ones of the bench can be compared with those of people:
// node bench/scan/shape.mjs FOLDER...
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SIZE = { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] };

function lengthOf(value) {
  return typeof value === 'string' ? value.length : (JSON.stringify(value ?? '')?.length ?? 0);
}

function shapeOf(file) {
  const shape = { bytes: statSync(file).size, calls: 0, output: 0, arguments: 0, text: 0, reasoning: 0 };
  const trace = execFileSync(process.execPath, [COMMAND, 'export', file, '--redact', 'none'], SIZE);
  for (const line of trace.split('\n')) {
    const event = line === '' ? {} : JSON.parse(line);
    if (event.type === 'tool-call') {
      shape.calls += 1;
      shape.arguments += lengthOf(event.args);
    } else if (event.type === 'tool-result') shape.output += lengthOf(event.output);
    else if (event.type === 'turn') {
      shape.text += lengthOf(event.text);
      shape.reasoning += lengthOf(event.reasoning);
    }
  }
  return shape;
}

for (const folder of process.argv.slice(2)) {
  const total = { bytes: 0, calls: 0, output: 0, arguments: 0, text: 0, reasoning: 0 };
  let sessions = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.jsonl')) continue;
    try {
      const shape = shapeOf(join(folder, name));
      for (const part of Object.keys(total)) total[part] += shape[part];
      sessions += 1;
    } catch {
      console.error(`${name} is no session that can be read`);
    }
  }
  const { calls, ...parts } = total;
  const each = Object.entries(parts).map(([part, size]) => `${part} ${Math.round(size / calls)}`);
  console.log(`${folder}: ${sessions} sessions, ${calls} calls; of each call: ${each.join(', ')}`);
}
