import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from './agents.mjs';
import { turnsOf } from './conversation.mjs';
import { createTexts } from './texts.mjs';

const SEED = 20_261_115;
/** Of a session's size, as the logarithm of its bytes spreads. */
const SPREAD = 1;
const SMALLEST = 12_000;
/** Of 766 sessions that four public projects keep, 728 are of Claude Code; here the others have a little more. */
export const SHARES = { 'claude-code': 17, codex: 1, 'gemini-cli': 1, pi: 1 };
export const EVEN = { 'claude-code': 1, codex: 1, 'gemini-cli': 1, pi: 1 };
const WRITE_BYTES = 1 << 20;

/** Fills a folder with so many sessions of about so many bytes in all, a folder an agent; says how many bytes they have. */
export function makeSessions(folder, count, bytes, shares) {
  const texts = createTexts(SEED);
  const names = Object.entries(shares).flatMap(([name, share]) => Array(share).fill(name));
  for (const name of names) mkdirSync(join(folder, name), { recursive: true });
  const wanted = Array.from({ length: count }, () => texts.dice.size(1, SPREAD));
  const scale = bytes / wanted.reduce((sum, size) => sum + size, 0);
  return wanted.reduce((sum, size, number) => {
    const agent = names[number % names.length];
    const file = join(folder, agent, `session-${String(number).padStart(5, '0')}.jsonl`);
    return (
      sum + writeSession(file, AGENTS[agent](texts, number, turnsOf(texts)), Math.max(SMALLEST, size * scale))
    );
  }, 0);
}

function writeSession(file, records, bytes) {
  const descriptor = openSync(file, 'w');
  let written = 0;
  let waiting = '';
  for (const record of records) {
    waiting += `${JSON.stringify(record)}\n`;
    if (waiting.length < WRITE_BYTES && written + waiting.length < bytes) continue;
    written += writeSync(descriptor, waiting);
    waiting = '';
    if (written >= bytes) break;
  }
  closeSync(descriptor);
  return written;
}
