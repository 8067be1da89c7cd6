import { expect, it } from 'vitest';
import { saysAlready, saysPassed } from '../../src/core/confirmation.ts';

it.each([
  ['409 Conflict: a contact with this email already exists', true],
  ['Eva is already a member of this group.', true],
  ['Duplicate entry for key email', true],
  ['address already in use', false],
  ['created', false],
  [`it already exists ${'.'.repeat(200)}`, false],
])('what is there: %j, %s', (text, expected) => {
  expect(saysAlready(text)).toBe(expected);
});

it.each([
  ['Tests: 4 passed, 4 total', true],
  ['test result: ok. 12 passed; 0 failed', true],
  ['Tests: 1 failed, 4 passed', false],
  ['FAIL a.test.ts\n4 passed', false],
  ['', false],
  [`4 passed${'.'.repeat(400)}`, false],
])('a check that found all well: %j, %s', (text, expected) => {
  expect(saysPassed(text)).toBe(expected);
});
