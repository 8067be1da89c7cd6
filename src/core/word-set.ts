/** Words told apart by spaces, as a set. A call with a pure mark, so that those who need none carry none. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
