import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jsonLines } from './run-cli.ts';

describe.each(['stuck', 'healthy'])('the recording %s', (name) => {
  const text = readFileSync(new URL(`../../examples/recordings/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = jsonLines(text);

  it('is a small trace of 25 to 40 calls, each with its result', () => {
    const calls = lines.filter(({ type }) => type === 'tool-call').map(({ id }) => id);
    const results = lines.filter(({ type }) => type === 'tool-result').map(({ id }) => id);
    expect(results).toEqual(calls);
    expect(calls.length).toBeGreaterThanOrEqual(25);
    expect(calls.length).toBeLessThanOrEqual(40);
    expect(text.length).toBeLessThan(60_000);
  });

  it('says what it is about and nothing about the machine it was made on', () => {
    expect(lines[0]).toMatchObject({ type: 'session', source: 'deloop-demo', model: 'scripted' });
    expect(text).not.toMatch(/\/tmp\/|\/home\/|\/root\/|\/Users\/|[A-Z]:\\\\/);
    expect(text).not.toMatch(/duration_ms:? (?!0\b)/);
  });
});
