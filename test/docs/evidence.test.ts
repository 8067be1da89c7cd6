import { describe, expect, it } from 'vitest';
import { digestText } from '../../src/core/digest-text.ts';
import { readFailure } from '../../src/core/failure-reading.ts';
import { normalised } from '../../src/core/normalise.ts';
import { readCommand } from '../../src/core/shell-command.ts';
import { TOOL_NAMES, withoutCosmetics } from '../../src/core/tool-kinds.ts';
import { pageOf, sectionOf, tableOf } from './pages.ts';

const page = pageOf('docs/evidence.md');
/** The rows of all tables under a heading, each without its own head. */
const rowsOf = (heading: string, head: string) => {
  const rows = tableOf(page, heading);
  const start = rows.findIndex(([first]) => first === head) + 1;
  const next = rows.findIndex((row, index) => index > start && HEADS.includes(row[0] as string));
  return rows.slice(start, next < 0 ? rows.length : next);
};
const HEADS = ['text', 'kind', 'command', 'you want'];
/** What stands between the signs for code. */
const codes = (cell: string | undefined) =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, text]) => text as string);

describe('the page on evidence', () => {
  it.each(rowsOf('The same result', 'text'))('%s is compared as %s', (text, expected) => {
    const [own = ''] = codes(text);
    const seen = normalised(own, digestText).replaceAll('\u0001', '¤');
    expect(seen).toBe(expected === 'the same' ? own : codes(expected)[0]);
  });

  it('lists the names of tools as they stand in the code', () => {
    const listed = rowsOf('A change', 'kind').map(([kind, , names]) => [codes(kind)[0], codes(names)]);
    expect(Object.fromEntries(listed)).toEqual(TOOL_NAMES);
  });

  it.each(rowsOf('A change', 'command'))('%s: %s', (command, effect) => {
    const [line = ''] = codes(command);
    expect(readCommand(line).effect).toBe(effect === 'nothing' ? 'none' : effect);
  });

  it.each(rowsOf('A failure', 'text'))('%s is %s', (text, expected) => {
    const { status, outage } = readFailure(codes(text)[0] ?? '', 'error', 'other', 'tool', digestText);
    expect(outage ? 'an outage' : `\`${status}\``).toBe(expected?.split(':')[0]);
  });

  it('lists the fields that are only for show', () => {
    const text = sectionOf(page, 'The same call').join(' ');
    const fields = codes(text.slice(0, text.indexOf('Texts within')));
    expect(fields.length).toBeGreaterThan(5);
    expect(withoutCosmetics(Object.fromEntries(fields.map((field) => [field, 1])))).toEqual({});
  });
});
