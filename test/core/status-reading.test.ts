import { describe, expect, it } from 'vitest';
import { readLook } from '../../src/core/look-reading.ts';
import { readCommand } from '../../src/core/shell-command.ts';
import { isNotUp, progressOf } from '../../src/core/status-reading.ts';
import type { ToolKind } from '../../src/core/types.ts';

describe('what a result says of something that takes its time', () => {
  it.each([
    '{"status":"pending"}',
    '{"id":1,"status":{"state":"RUNNING"}}',
    '{"StackStatus": "UPDATE_IN_PROGRESS"}',
    '[{"status":"completed"},{"status":"in_progress"}]',
    '<status>running</status>',
    'status: queued',
    'phase=Pending',
    '"CREATE_IN_PROGRESS"',
    'WORKING\n',
    'in progress',
    'Approval is still pending.',
    'The report is not ready yet.',
    'api-1 0/1 ContainerCreating 0',
    'api-1 0/1  Pending 0',
    'app Up (health: starting)',
    'build\tpending\t0\turl',
  ])('it goes on: %j', (text) => {
    expect(progressOf(text)).toBe('open');
  });

  it.each([
    '{"status":"FAILED","error":"out of memory"}',
    '{"state": "succeeded"}',
    '<status>completed</status>',
    'status: cancelled',
    'CREATE_COMPLETE',
    'done',
  ])('it is over: %j', (text) => {
    expect(progressOf(text)).toBe('over');
  });

  it.each([
    'running tests...',
    'The server is running on port 3000',
    'pending a review, two tests are still failing',
    '{"status":"success","data":[]}',
    '{"status":"ok"}',
    '{"status":"running-late-shift"}',
    '{"note":"pending"}',
    'all jobs completed in time',
    `${'x'.repeat(1000)} status: pending`,
    '',
  ])('nothing: %j', (text) => {
    expect(progressOf(text)).toBe('none');
  });

  it.each([
    ['curl: (7) Failed to connect to localhost port 8080: Connection refused', true],
    ['connect ECONNREFUSED 127.0.0.1:5432', true],
    ['Exit code 7', true],
    ['Exit code 1', false],
    ['Exit code 7 was seen', false],
    ['404 Not Found', false],
    ['localhost:5432 - no response', true],
    ['localhost:5432 - rejecting connections', true],
    ['The server is not yet accepting connections.', true],
    ['FATAL: the database system is starting up', true],
    ['error: timed out waiting for the condition on pods/api-1', true],
    ['There is no response in the file.', false],
  ])('nobody is there: %j, %s', (text, expected) => {
    expect(isNotUp(text)).toBe(expected);
  });

  it.each(['status', 'status: ', 'a_', 'still ', '\t', '1/1 ', 'error: '])(
    'is read in one go in %j many times over',
    (part) => {
      expect(progressOf(part.repeat(100_000))).toBe('none');
      expect(isNotUp(part.repeat(100_000))).toBe(false);
    },
  );
});

describe('what a result makes of a call', () => {
  const look = (
    kind: ToolKind,
    text: string,
    failed = false,
    watches: 'nothing' | 'now' | 'service' = 'nothing',
    looksAt: 'job' | 'something' | 'nothing' = 'something',
  ) => Object.values(readLook(text, failed, { kind, watches, looksAt }));

  it('waits for what goes on', () => {
    const guessed = ['poll', false, 'guessed'];
    for (const kind of ['read', 'shell', 'other'] as const) expect(look(kind, 'pending')).toEqual(guessed);
    expect(look('act', 'pending')).toEqual(['act', false, 'plain']);
    expect(look('write', 'pending')).toEqual(['write', false, 'plain']);
    expect(look('read', 'pending', true)).toEqual(['read', false, 'plain']);
    expect(look('other', 'pending', false, 'nothing', 'nothing')).toEqual(['other', false, 'plain']);
  });

  it.each([
    ['something', 199, 'poll'],
    ['something', 200, 'read'],
    ['job', 3999, 'poll'],
    ['job', 4000, 'read'],
  ] as const)('of %s, with %d characters: %s', (looksAt, size, kind) => {
    expect(look('read', 'status: pending\n'.padEnd(size, '.'), false, 'nothing', looksAt)[0]).toBe(kind);
  });

  it('shows that something is over', () => {
    expect(look('poll', 'status: failed')).toEqual(['poll', false, 'over']);
    expect(look('poll', 'status: idle')).toEqual(['poll', false, 'plain']);
    expect(look('wait', 'status: failed')).toEqual(['wait', false, 'plain']);
  });

  it('has not failed where something is not there yet', () => {
    expect(look('wait', 'Connection refused', true)).toEqual(['wait', true, 'guessed']);
    expect(look('poll', 'a\tpending\t0', true)).toEqual(['poll', true, 'plain']);
    expect(look('poll', 'no such job', true)).toEqual(['poll', false, 'plain']);
    expect(look('shell', 'Connection refused', true, 'service')).toEqual(['poll', true, 'guessed']);
    expect(look('shell', 'Connection refused', true)).toEqual(['shell', false, 'plain']);
    expect(look('shell', 'a page', false, 'service')).toEqual(['shell', false, 'plain']);
    expect(look('shell', 'a page', false, 'now')).toEqual(['poll', false, 'guessed']);
    expect(look('shell', 'no such option', true, 'now')).toEqual(['shell', false, 'plain']);
  });

  it.each([
    ['', 'bare'],
    ['waiting\n', 'bare'],
    ['Waited 30 seconds', 'bare'],
    ['in_progress', 'plain'],
    ['done\nstatus: running', 'plain'],
  ])('only waits if it says %j: %s', (text, sign) => {
    expect(look('wait', text)[2]).toBe(sign);
  });
});

describe('what a command watches', () => {
  it.each([
    ['ps aux | grep node', 'now'],
    ['dig +short x.com', 'now'],
    ['tail -n 5 build.log', 'now'],
    ['tail -n 5 a.ts', 'nothing'],
    ['cat build.log', 'nothing'],
    ['kill 7; ps aux', 'nothing'],
    ['sleep 5; ps aux', 'nothing'],
    ['curl -s localhost', 'service'],
    ['curl -d x localhost', 'nothing'],
    ['ls out', 'nothing'],
  ])('%s: %s', (line, watches) => {
    expect(readCommand(line).watches).toBe(watches);
  });
});
