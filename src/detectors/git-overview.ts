const SEPARATORS = /&&|\|\||[;&|\n]/;
const OVERVIEWS: readonly string[] = ['status', 'diff', 'ls-files'];
const HEAD = /^(?:HEAD|@)(?:[~^]\d*)*$/;
const COMMIT = /^[0-9a-f]{7,40}$/i;

/** Whether a command line does nothing but look a git repository over: its status, its files, or a diff of no file in particular. */
export function isGitOverview(command: string): boolean {
  const parts = command
    .split(SEPARATORS)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 0 && parts.every(isOverview);
}

function isOverview(part: string): boolean {
  const words = part.split(/\s+/);
  if (words[0]?.toLowerCase() !== 'git') return false;
  let next = 1;
  while (words[next] === '-C' || words[next] === '--no-pager') next += words[next] === '-C' ? 2 : 1;
  const verb = words[next]?.toLowerCase() ?? '';
  if (!OVERVIEWS.includes(verb)) return false;
  return verb !== 'diff' || words.slice(next + 1).every(namesNoFile);
}

/** An option, a revision or a range of them; a bare `--` is an option like any other, what follows it is a file. */
function namesNoFile(word: string): boolean {
  return word.startsWith('-') || HEAD.test(word) || COMMIT.test(word) || isRange(word);
}

function isRange(word: string): boolean {
  const dots = word.indexOf('..', 1);
  return dots > 0 && dots + 2 < word.length;
}
