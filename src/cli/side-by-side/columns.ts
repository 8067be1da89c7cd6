import { shortened } from '../text.ts';

const MAX_NAME = 32;

/** Rows of cells as lines of text: the first column to the left, the others to the right, each as wide as it must be. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const safe = rows.map((row) => row.map((cell) => shortened(cell, MAX_NAME)));
  const widths: number[] = [];
  for (const row of safe)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
  return safe.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
