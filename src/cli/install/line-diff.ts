/** Beyond this, lines are shown as removed and added, whatever they have in common. */
const MAX_CELLS = 4_000_000;

/** What became of a text: its lines that are gone (`-`), and those that are new (`+`), in order. */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let [end, last] = [old.length, fresh.length];
  for (; end > start && last > start && old[end - 1] === fresh[last - 1]; end -= 1) last -= 1;
  return changes(old.slice(start, end), fresh.slice(start, last));
}

/** By the longest common subsequence: `common[a][b]` is its length from line `a` of one and `b` of the other on. */
function changes(old: readonly string[], fresh: readonly string[]): readonly string[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  const small = old.length * fresh.length <= MAX_CELLS;
  for (let a = old.length - 1; small && a >= 0; a -= 1)
    for (let b = fresh.length - 1; b >= 0; b -= 1) {
      const row = common[a] as Uint32Array;
      const below = common[a + 1] as Uint32Array;
      row[b] = old[a] === fresh[b] ? (below[b + 1] ?? 0) + 1 : Math.max(below[b] ?? 0, row[b + 1] ?? 0);
    }
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < fresh.length) {
    if (small && a < old.length && b < fresh.length && old[a] === fresh[b]) {
      a += 1;
      b += 1;
    } else if (
      b >= fresh.length ||
      (a < old.length && (common[a + 1]?.[b] ?? 0) >= (common[a]?.[b + 1] ?? 0))
    ) {
      lines.push(`- ${old[a]}`);
      a += 1;
    } else {
      lines.push(`+ ${fresh[b]}`);
      b += 1;
    }
  }
  return lines;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
