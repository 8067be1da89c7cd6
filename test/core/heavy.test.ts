import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText } from '../../src/core/digest-text.ts';
import { digestCall } from '../../src/core/evidence.ts';
import { createGuard, type Json } from '../../src/index.ts';
import { fastDigestText } from '../../src/platform/digest-text.ts';

const call = (id: string) => ({ id, tool: 'read_file', args: { path: 'a' } });
const shared = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'leaf');

describe('a lot of input', () => {
  it('arguments that share sub-objects without end are cut off', () => {
    const guard = createGuard({ preset: 'zagens' });
    expect(guard.before({ tool: 't', args: shared as Json }).action).toBe('allow');
  }, 60_000);

  it('outputs of 50 MB are compared, not kept', () => {
    const guard = createGuard({ preset: 'atomcode' });
    const output = 'line of output\n'.repeat(3_500_000);
    for (const id of ['1', '2']) {
      guard.before(call(id));
      guard.after(call(id), { output, ok: true });
    }
    expect(guard.before(call('3')).action).toBe('block');
    const other = createGuard({ preset: 'atomcode' });
    for (const id of ['1', '2']) {
      other.before(call(id));
      other.after(call(id), { output: `${output}${id}`, ok: true });
    }
    expect(other.before(call('3')).action).toBe('allow');
    expect(JSON.stringify(guard.state).length).toBeLessThan(2000);
  });

  it('gives different calls different numbers', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 200_000; i++) seen.add(digestCall('t', { command: `ls ${i}`, n: i % 3 }, digestText));
    expect(seen.size).toBe(200_000);
  });

  it('has the same digest with and without a buffer', () => {
    const lengths = [
      0, 1, 7, 8, 9, 15, 16, 63, 64, 65, 1000, 16_383, 16_384, 16_385, 16_391, 16_392, 32_768, 40_001,
    ];
    for (const unit of ['a', 'é', '€', '\ud800', '\0', 'line of text\n']) {
      for (const length of lengths) {
        const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
        expect(fastDigestText(text)).toBe(digestText(text));
      }
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(fastDigestText(text)).toBe(digestText(text));
        expect(fastDigestText(text.repeat(20))).toBe(digestText(text.repeat(20)));
      }),
      { numRuns: 30 },
    );
  });
});
