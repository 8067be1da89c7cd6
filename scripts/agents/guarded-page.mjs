import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const BEGIN = '<!-- what test:agents saw -->';
const END = '<!-- end of what test:agents saw -->';
/** So much is shown after the words that end a run. */
const LINES_AFTER = 6;
const MAX_LINES = 120;
const NAMES = {
  identical: 'the same call',
  pingpong: 'two calls in turn',
  cascade: 'failures',
  healthy: 'healthy work',
};

/** Keeps what was seen in the page, between two marks; the rest of it is written by people. */
export function writePage(rows, path) {
  const page = readFileSync(path, 'utf8');
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  if (from < BEGIN.length || to < from) throw new Error(`${path} has no place for what was seen`);
  const seen = [table(rows), ...rows.filter(({ screen }) => screen !== undefined).map(screenText)];
  writeFileSync(path, `${page.slice(0, from)}\n\n${seen.join('\n\n')}\n\n${page.slice(to)}`);
}

function table(rows) {
  const head = ['agent', 'the model does', 'calls asked for', 'ran', 'told after call', 'ended', 'exit'];
  const lines = rows.map((row) => [
    `${row.agent} ${row.version}`,
    NAMES[row.loop],
    row.asked,
    row.ran,
    row.told ?? 'never',
    endText(row),
    row.exit,
  ]);
  const day = new Date().toISOString().slice(0, 10);
  return [
    `Seen on ${day}, Node ${process.versions.node}, ${process.platform}:`,
    '',
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

function endText({ ended, by, decided, asked, ran }) {
  if (decided === 0) return 'by the model, when it was done';
  if (ended === null) return `never; the last ${asked - ran} calls were refused`;
  return by === 'deloop' ? `at call ${ended}` : `at call ${ended}, by its own detector`;
}

function screenText({ agent, screen }) {
  const lines = stripVTControlCharacters(screen)
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, index, all) => line !== '' || all[index - 1] !== '');
  const stopped = lines.findIndex((line) => line.includes('[deloop] Stopped'));
  const end = Math.min(stopped < 0 ? MAX_LINES : stopped + LINES_AFTER, MAX_LINES);
  const shown = lines.length <= end ? lines : [...lines.slice(0, end), '...'];
  return [`### ${agent}`, '', '```text', ...trimmed(shown), '```'].join('\n');
}

function trimmed(lines) {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(first, last + 1);
}
