import { createInterface } from 'node:readline/promises';

/** Asks for a yes; where there is nobody to ask, it is none. */
export async function confirmed(): Promise<boolean> {
  const { stdin, stdout } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false;
  const prompt = createInterface({ input: stdin, output: stdout });
  // Whoever closes the input has not said yes.
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  const answer = await Promise.race([prompt.question('Make this change? [y/N] '), closed]);
  prompt.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
