/** Says what every reader of the output must see: the console is shown for tests that fail only. */
export function announce(words: string): void {
  process.stderr.write(`${words}\n`);
}
