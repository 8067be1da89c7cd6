import { describe, expect, it } from 'vitest';
import { toLabel } from '../../src/report/label.ts';

const STUCK = {
  trace: 'a',
  source: 's',
  verdict: 'stuck',
  severity: 'serious',
  kind: 'cycle',
  onset: 5,
  end: 20,
};

describe('toLabel', () => {
  it('reads what the contract promises and forgets the rest', () => {
    expect(toLabel({ ...STUCK, why: 'because', more: 1 })).toEqual(STUCK);
    expect(
      toLabel({ trace: 'a', source: 's', verdict: 'legit', severity: null, onset: null, end: null }),
    ).toEqual({
      trace: 'a',
      source: 's',
      kind: '',
      verdict: 'legit',
    });
    expect(toLabel({ trace: 'a', verdict: 'unsure' })).toMatchObject({ source: '', verdict: 'unsure' });
  });

  it('takes a loop of texts, which may waste no call', () => {
    expect(toLabel({ ...STUCK, onset: 5, end: 4 })).toMatchObject({ onset: 5, end: 4 });
    expect(toLabel({ ...STUCK, onset: 0, end: 0 })).toMatchObject({ onset: 0, end: 0 });
  });

  it.each([
    [null, 'a label must be an object'],
    [[], 'a label must be an object'],
    [{ ...STUCK, trace: undefined }, 'trace is undefined; it must be a file name'],
    [{ ...STUCK, trace: '' }, 'trace is ""; it must be a file name'],
    [{ ...STUCK, source: 7 }, 'source is 7; it must be a folder'],
    [{ ...STUCK, verdict: 'loop' }, 'verdict is "loop"; it must be one of stuck, legit, unsure'],
    [{ ...STUCK, severity: null }, 'severity is null; of a stuck run it must be one of serious, brief'],
    [{ ...STUCK, onset: null }, 'onset is null; of a stuck run it must be the number of a call'],
    [{ ...STUCK, onset: 1.5 }, 'onset is 1.5; of a stuck run it must be the number of a call'],
    [{ ...STUCK, end: 3 }, 'end is 3; of a stuck run it must be the number of a call, not before its onset'],
    [
      { ...STUCK, end: '9' },
      'end is "9"; of a stuck run it must be the number of a call, not before its onset',
    ],
  ])('says what is wrong with %j', (raw, problem) => {
    expect(toLabel(raw)).toBe(problem);
  });
});
