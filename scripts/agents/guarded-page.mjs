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
  spender: 'more than it may cost',
};
/** What agents say of the machine they are run on, and of themselves, every time. */
const NOISE =
  /bunfs|AI SDK Warning|^Ripgrep |Basic terminal detected|256-color|^YOLO mode|running headless|bypass-hook-trust|session-sqlite|trace:embedded-run|tool-search: cataloged|^Reading additional input/;
const NOTHING = { lines: [], screen: '' };
const HEAD = [
  'agent',
  'the model does',
  'calls asked for',
  'ran',
  'told after call',
  'ended',
  'exit',
  'seen on',
];

/** Keeps what was seen in the page, between two marks. What was not run now stays as it was seen before. */
export function writePage(rows, path) {
  const page = readFileSync(path, 'utf8');
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  if (from < BEGIN.length || to < from) throw new Error(`${path} has no place for what was seen`);
  const before = seenIn(page.slice(from, to));
  const now = grouped(rows);
  const agents = [...new Set([...before.keys(), ...now.keys()])].sort();
  const told = agents.map((agent) => merged(before.get(agent) ?? NOTHING, shown(now.get(agent) ?? [])));
  const table = [line(HEAD), line(HEAD.map(() => '---')), ...told.flatMap(({ lines }) => lines)].join('\n');
  const screens = told.map(({ screen }) => screen).filter((screen) => screen !== '');
  const text = [
    table,
    '## What it looks like',
    'The same call, again and again, as each agent prints it without a person before it; what it says of the machine is left out.',
    ...screens,
  ];
  writeFileSync(path, `${page.slice(0, from)}\n\n${text.join('\n\n')}\n\n${page.slice(to)}`);
}

function merged(before, now) {
  const lines = Object.values(NAMES).flatMap((name) => {
    const of = (all) => all.filter((one) => one.split(' | ')[1] === name).slice(-1);
    return of(now.lines).length > 0 ? of(now.lines) : of(before.lines);
  });
  return { lines, screen: now.screen || before.screen };
}

const line = (cells) => `| ${cells.join(' | ')} |`;

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.agent, [...(groups.get(row.agent) ?? []), row]);
  return groups;
}

function seenIn(text) {
  const seen = new Map();
  const of = (agent) => {
    if (!seen.has(agent)) seen.set(agent, { lines: [], screen: '' });
    return seen.get(agent);
  };
  for (const row of text.split('\n').filter((one) => /^\| [a-z-]+ \d/.test(one))) {
    of(row.split(' ')[1]).lines.push(row);
  }
  for (const part of text.split(/^(?=### )/m).slice(1))
    of(part.slice(4, part.indexOf('\n'))).screen = part.trim();
  return seen;
}

function shown(rows) {
  const day = new Date().toISOString().slice(0, 10);
  return {
    lines: rows.map((row) => {
      const { agent, version, loop, asked, ran, told, exit } = row;
      return line([`${agent} ${version}`, NAMES[loop], asked, ran, told ?? 'never', endText(row), exit, day]);
    }),
    screen: rows
      .filter(({ screen }) => screen !== undefined)
      .map(screenText)
      .join('\n\n'),
  };
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
    .map((one) => one.trimEnd())
    .filter((one) => !NOISE.test(one))
    .filter((one, index, all) => one !== '' || all[index - 1] !== '');
  const stopped = lines.findIndex((one) => one.includes('[deloop] Stopped'));
  const end = Math.min(stopped < 0 ? MAX_LINES : stopped + LINES_AFTER, MAX_LINES);
  const kept = lines.length <= end ? lines : [...lines.slice(0, end), '...'];
  return [`### ${agent}`, '', '```text', ...trimmed(kept), '```'].join('\n');
}

function trimmed(lines) {
  const first = lines.findIndex((one) => one !== '');
  return lines.slice(first, lines.findLastIndex((one) => one !== '') + 1);
}
