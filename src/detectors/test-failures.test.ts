import { describe, expect, it } from 'vitest';
import { did, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import { UNBOUNDED } from './streak.ts';
import { testFailures } from './test-failures.ts';

const run = (output: string, command = 'npm test') => did('bash', { command }, output);
const edit = () => did('edit_file', { path: 'a' });

testDetector(testFailures, {
  loops: [
    {
      name: 'red after every edit',
      events: repeat(4, () => [...edit(), ...run('1 failed')]),
      counts: [1, 2, 3, 4],
    },
    {
      name: 'mixed results',
      events: [...run('5 passed, 2 failed'), ...run('5 passed, 2 failed')],
      counts: [1, 2],
    },
    {
      name: 'runs without a word do not count',
      events: [...run('1 failed'), ...run(''), ...run('FAILED')],
      counts: [1, 2],
    },
    {
      name: 'other commands',
      events: [...run('FAILED', 'pytest -x'), ...run('ERROR', 'npx jest')],
      counts: [1, 2],
    },
  ],
  healthy: [
    { name: 'green', events: repeat(4, () => run('10 passed')), counts: [] },
    {
      name: 'red, green, red',
      events: [...run('1 failed'), ...run('3 PASSED'), ...run('1 failed')],
      counts: [1, 1],
    },
    { name: 'none failed', events: repeat(4, () => run('test result: ok. 5 passed; 0 failed')), counts: [] },
    { name: 'no tests at all', events: repeat(4, () => run('ERROR: FAILED', 'make')), counts: [] },
    {
      name: 'another tool',
      events: repeat(4, () => did('shell', { command: 'npm test' }, '1 failed')),
      counts: [],
    },
  ],
});

describe('test-failures', () => {
  it('looks at the output of the tools it is told', () => {
    const events = did('shell', { cmd: 'npm test' }, '1 failed');
    expect(findings(testFailures, { options: { tools: ['shell'] }, events })).toMatchObject([
      { subject: 'tests', evidence: [1] },
    ]);
  });

  it('does not take a word without a number for a count', () => {
    expect(findings(testFailures, { events: run('nothing failed here') })).toEqual([]);
    expect(findings(testFailures, { events: run('has failed') })).toEqual([]);
  });

  it('does not search an output that is no text', () => {
    expect(
      findings(testFailures, { events: did('bash', { command: 'npm test' }, { text: '1 failed' }) }),
    ).toEqual([]);
    expect(findings(testFailures, { events: did('bash', { command: 'npm test' }, ['1 failed']) })).toEqual(
      [],
    );
  });

  it('does not take a shell without a command for a test', () => {
    expect(findings(testFailures, { events: did('bash', {}, '1 failed') })).toEqual([]);
  });

  it('is about failures, needs no digests, and counts without end', () => {
    expect(made(testFailures)).toMatchObject({ needs: [], failures: true, maxCount: UNBOUNDED });
  });

  it('stays quick on digits without end', () => {
    expect(findings(testFailures, { events: run('1'.repeat(2_000_000)) })).toEqual([]);
  });
});
