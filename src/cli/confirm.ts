import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Whether to go on; yes where nobody is there to ask. */
export async function confirmed(terminal: Terminal, question: string): Promise<boolean> {
  const { stdin, stderr } = process;
  if (stdin.isTTY !== true || !terminal.watched) return true;
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await reader.question(`${question} [Y/n] `);
    return /^\s*(?:y|yes)?\s*$/i.test(answer);
  } finally {
    reader.close();
  }
}
