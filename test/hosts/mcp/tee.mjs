// Runs a command and writes down every byte that goes in and comes out: `tee.mjs FILE -- COMMAND ARGS...`.
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [file, , command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const [into, out] = ['in', 'out'].map((name) => openSync(`${file}.${name}`, 'a'));
process.stdin.on('data', (chunk) => {
  writeSync(into, chunk);
  child.stdin.write(chunk);
});
process.stdin.on('end', () => child.stdin.end());
child.stdin.on('error', () => {});
child.stdout.on('data', (chunk) => {
  writeSync(out, chunk);
  process.stdout.write(chunk);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 0 : 1);
  process.stdin.destroy();
});
