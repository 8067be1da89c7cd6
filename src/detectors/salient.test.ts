import { expect, it } from 'vitest';
import { LINES_A_PLACE, salientArgs } from './salient.ts';

const read = (lines: object) => salientArgs('read_file', { path: 'a', ...lines });

it('takes reads of the same two hundred lines for one', () => {
  const first = read({ start_line: 1, end_line: 200 });
  expect(read({})).toEqual(first);
  expect(read({ start_line: 7 })).toEqual(first);
  expect(read({ start_line: '3', end_line: '120' })).toEqual(first);
  expect(read({ start_line: 0, end_line: -5 })).toEqual(first);
  expect(read({ start_line: null, end_line: 'the end' })).toEqual(first);
  expect(read({ start_line: 1, end_line: 201 })).not.toEqual(first);
  expect(read({ start_line: 201, end_line: 400 })).not.toEqual(first);
  expect(salientArgs('read_file', { path: 'b' })).not.toEqual(first);
});

it('does not care which end of a range is named first', () => {
  expect(read({ start_line: 450, end_line: 10 })).toEqual(read({ start_line: 10, end_line: 450 }));
  expect(read({ start_line: 10, end_line: 450 })).toEqual({ path: 'a', places: [0, 2] });
});

it.each([
  [LINES_A_PLACE - 1, 0],
  [LINES_A_PLACE, 0],
  [LINES_A_PLACE + 1, 1],
])('line %i is in place %i', (line, place) => {
  expect(read({ start_line: line })).toEqual({ path: 'a', places: [place, place] });
});

it.each([null, '', 'the end', undefined])('takes the end %j for the beginning', (end_line) => {
  expect(read({ start_line: 450, end_line })).toEqual({ path: 'a', places: [2, 2] });
});

it('passes over what only says how', () => {
  const args = { command: 'make', timeout: 3, url: null };
  expect(salientArgs('bash', args)).toEqual({ command: 'make' });
  expect(salientArgs('bash', JSON.stringify(args))).toEqual({ command: 'make' });
});

it('keeps everything where nothing says what the call is about, where it writes, and where it is no JSON', () => {
  expect(salientArgs('think', { thought: 'hm' })).toEqual({ thought: 'hm' });
  for (const tool of ['write_file', 'str_replace'])
    expect(salientArgs(tool, { path: 'a', content: 'b' })).toEqual({ path: 'a', content: 'b' });
  expect(salientArgs('read_file', '{"path":')).toBe('{"path":');
});
