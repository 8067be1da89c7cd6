import { expect, it } from 'vitest';
import { sessionName } from '../../src/stores/session-name.ts';

it('keeps a name that every file system takes', () => {
  for (const name of ['a', '0', 'codex-01a1dd33-4383-71b1-9c52-2176bc9098ca', 'a_b', 'x'.repeat(96)])
    expect(sessionName(name)).toBe(name);
});

it('makes a name of its own for every other', () => {
  const strange = [
    '',
    'A',
    '-a',
    '_a',
    'a.b',
    'a b',
    '../a',
    'con',
    'com1',
    'lpt9',
    'x'.repeat(97),
    'ü',
    'a~b',
  ];
  const names = strange.map(sessionName);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{0,40}~[a-z0-9]{10,30}$/);
  expect(new Set(names).size).toBe(strange.length);
  expect(sessionName('Ab C')).toMatch(/^ab-c~/);
});
