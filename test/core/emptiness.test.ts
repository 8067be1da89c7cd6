import { describe, expect, it } from 'vitest';
import { emptinessOf, hasNoOutput, isSilent, NOT, PLAINLY, SAYS_NO } from '../../src/core/emptiness.ts';

describe('that there is nothing', () => {
  it.each([
    '',
    ' \n',
    'No messages matched your search.',
    '(no files found)',
    'null',
    'There are no open tickets at the moment.',
    'I could not find a module that does that.',
    'Query executed successfully. 0 rows returned in the result set.',
    '[]',
    '{}',
    '{"page":37,"per_page":50,"items":[],"total":0}',
    '{"query":"the thing in other words","results":[]}',
    '{"status":"ZERO_RESULTS","results":[]}',
    '{"object":"list","data":[],"has_more":false,"url":"/v1/subscriptions"}',
    '{"content":[{"type":"text","text":"No results found."}],"isError":false}',
    '{"found":false,"message":"User does not exist"}',
  ])('is said plainly: %j', (text) => {
    expect(emptinessOf(text)).toBe(PLAINLY);
  });

  it.each([
    'I cannot do this: it is outside my charter.',
    '{"id":5,"name":"Anna","tags":[]}',
    '0 C',
    'It fell to 0.',
  ])('may be meant: %j', (text) => {
    expect(emptinessOf(text)).toBe(SAYS_NO);
  });

  it.each([
    'Two of them.',
    '{"count":5,"page":2}',
    `No ${'x'.repeat(200)}`,
    '20.0 C',
    'The exchange rate is 0.92',
    '{"match_score":0.83}',
    '10.0.0.1',
  ])('is not said: %j', (text) => {
    expect(emptinessOf(text)).toBe(NOT);
  });

  it('is what a search in a shell shows by showing nothing', () => {
    for (const text of ['', 'Exit code 1', '(exit status 1)\n']) expect(isSilent(text)).toBe(true);
    for (const text of ['Exit code 1', '(no output)', 'Tool ran without output or errors'])
      expect(hasNoOutput(text)).toBe(true);
    for (const text of ['no problems were found', 'src/a.ts:3: legacy'])
      expect(hasNoOutput(text)).toBe(false);
  });
});
