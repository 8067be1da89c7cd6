import { expect, it } from 'vitest';
import { fencesIn, hasStructure } from './text-shape.ts';

const BULLETS = ['-', '*', '+'];

it.each([
  '| a | b |',
  'x\n  |a|',
  '+--',
  '\n---',
  '1. one',
  'text\n 12. twelve',
  '- a',
  'text\n\t* b',
  '\ntext\n- a',
  '+\n',
  '# title',
  'text\n### title',
  '> said',
])('%j has structure', (text) => {
  expect(hasStructure(text, BULLETS)).toBe(true);
});

it.each([
  '',
  '\n\n  \n',
  'a | b | c',
  '| a',
  '--',
  'see 1. one',
  '1.5',
  '1.',
  '-',
  '-a',
  '-a b',
  ' # no title',
  '#title',
  '>said',
  ' > said',
])('%j has none', (text) => {
  expect(hasStructure(text, BULLETS)).toBe(false);
});

it('knows only the bullets it is given', () => {
  expect(hasStructure('- a', ['*'])).toBe(false);
  expect(hasStructure('* a', ['*'])).toBe(true);
});

it.each([
  ['', 0],
  ['``', 0],
  ['```', 1],
  ['```ts\nx\n```', 2],
  ['``````', 2],
])('%j has %i code fences', (text, count) => {
  expect(fencesIn(text)).toBe(count);
});
