import { describe, expect, it } from 'vitest';
import { digestText } from '../../src/core/digest-text.ts';
import { digestCall } from '../../src/core/evidence.ts';
import { createGuard, type Json } from '../../src/index.ts';

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
});
