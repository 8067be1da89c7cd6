import { describe, expect, it } from 'vitest';
import { call, did, findings, made, repeat, testDetector } from '../../test/contract/detector.ts';
import { UNBOUNDED } from './streak.ts';
import { MAX_TEXT, unknownToolStreak } from './unknown-tool-streak.ts';

const missing = (n: number, tool = 'exec') => repeat(n, (index) => did(tool, { index }, '', 'unknown-tool'));
const said = (text: string, tool = 'exec') => did(tool, { text }, text, 'error');

testDetector(unknownToolStreak, {
  loops: [
    { name: 'the status says so', events: missing(4), counts: [1, 2, 3] },
    {
      name: 'the error says so',
      events: repeat(4, () => said('Tool exec not found')),
      counts: [1, 2, 3],
    },
    {
      name: 'its own block changes nothing',
      events: [...missing(3), ...did('exec', {}, '', 'blocked'), call('exec')],
      counts: [1, 2, 3, 3],
    },
  ],
  healthy: [
    { name: 'other errors', events: repeat(4, () => said('file not found')), counts: [] },
    {
      name: 'another tool in between',
      events: repeat(4, () => [...missing(1), ...did('read')]),
      counts: [],
    },
    {
      name: 'words that are not read',
      options: { words: 'ignored' },
      events: repeat(4, () => said('Tool exec not found')),
      counts: [],
    },
  ],
});

describe('unknown-tool-streak', () => {
  const counts = (events: ReturnType<typeof missing>) =>
    findings(unknownToolStreak, { events: [...events, call('exec')] }).at(-1)?.count;

  it.each([
    ['Unknown tool: exec', 1],
    ["unknown tool 'exec'", 1],
    ['Tool "exec" is not available here', 1],
    ['TOOL exec NOT FOUND', 1],
    ['the tool works, the file was not found', undefined],
    ['unknown tool', undefined],
    ['Tool exec not found'.padStart(MAX_TEXT - 1), 1],
    ['Tool exec not found'.padStart(MAX_TEXT), 1],
    ['Tool exec not found'.padStart(MAX_TEXT + 1), undefined],
  ])('reads "%s" as %s', (text, count) => {
    expect(counts(said(text))).toBe(count);
  });

  it('does not read successes', () => {
    expect(counts(did('exec', {}, 'Tool exec not found'))).toBeUndefined();
  });

  it('takes a status and words for the same, whatever the case', () => {
    const status = did('Exec', {}, '', 'unknown-tool');
    const events = [...said('Unknown tool: EXEC', 'Exec'), ...status, call('Exec')];
    expect(findings(unknownToolStreak, { events })).toMatchObject([{ count: 1 }, { count: 2 }]);
  });

  it('goes by the status where the output is no text', () => {
    expect(counts(repeat(2, () => did('exec', {}, { text: 'Tool shell not found' }, 'unknown-tool')))).toBe(
      2,
    );
  });

  it('is about failures, needs no digests, speaks before the call, and counts without end', () => {
    expect(made(unknownToolStreak)).toMatchObject({
      needs: [],
      blocks: true,
      failures: true,
      maxCount: UNBOUNDED,
    });
  });

  it('starts anew after another error, or a success', () => {
    expect(counts([...missing(2), ...said('file not found'), ...missing(1)])).toBe(1);
    expect(counts([...missing(2), ...did('exec'), ...missing(1)])).toBe(1);
  });

  it('starts anew when another tool was called, though it says that the same is missing', () => {
    expect(counts([...said('Tool exec not found', 'shell'), ...said('Tool exec not found')])).toBe(1);
  });

  it('starts anew when another tool is missing', () => {
    expect(counts([...said('Tool exec not found'), ...said('Tool shell not found')])).toBe(1);
    expect(counts([...missing(2, 'shell'), ...missing(1)])).toBe(1);
  });

  it('speaks of the tool about to be called only', () => {
    expect(findings(unknownToolStreak, { events: [...missing(3), call('read')] })).toHaveLength(2);
  });

  it('shows the last four failures and this call', () => {
    const seen = findings(unknownToolStreak, { events: missing(7) }).at(-1);
    expect(seen).toMatchObject({ subject: 'exec', evidence: [3, 4, 5, 6, 7], facts: { tool: 'exec' } });
  });
});
