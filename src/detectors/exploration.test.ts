import { describe, expect, it } from 'vitest';
import { call, findings, only, repeat, roundDone, testDetector, turn } from '../../test/contract/detector.ts';
import { compilePlan, type Preset } from '../core/index.ts';
import { exploration } from './exploration.ts';

const read = (path: string) => call('read_file', { path });
const grep = (n: number) => repeat(n, (index) => [call('grep', { index })]);
const staleRounds = 3;

testDetector(exploration, {
  eager: true,
  loops: [
    { name: 'file after file', events: repeat(4, (index) => [read(`${index}`)]), counts: [1, 2, 3, 4] },
    {
      name: 'other names for the path',
      events: [call('read_file', { file_path: 'a' }), call('read_file', '{"filename":"b"}')],
      counts: [1, 2],
    },
    { name: 'looking around', options: { staleRounds }, events: [...grep(4), roundDone], counts: [3, 4] },
    {
      name: 'one new file is too few',
      options: { staleRounds },
      events: [...grep(2), read('a'), roundDone],
      counts: [1, 3],
    },
  ],
  healthy: [
    { name: 'one file again and again', events: repeat(5, () => [read('a')]), counts: [1] },
    {
      name: 'an edit first',
      events: [call('edit_file'), ...repeat(12, (index) => [read(`${index}`)])],
      counts: [],
    },
    {
      name: 'two new files in time',
      options: { staleRounds },
      events: [...grep(1), read('a'), read('b'), roundDone],
      counts: [1, 2],
    },
    { name: 'a short look around', options: { staleRounds }, events: grep(3), counts: [] },
  ],
});

describe('exploration', () => {
  it('ends with an edit, for good', () => {
    const events = [read('a'), call('write_file'), read('b'), ...grep(20)];
    expect(findings(exploration, { events }).map(({ count }) => count)).toEqual([1]);
  });

  it('ends with a tool that is declared to write', () => {
    const preset: Preset = only(exploration);
    const plan = compilePlan(preset, { kinds: [exploration] });
    const entry = { event: 'tool-call', tool: 'patch', effect: 'write', call: 1, round: 1 } as never;
    const state = plan.detectors[0]?.reduce(plan.initial[0] ?? null, entry, null)?.[0];
    expect(state).toMatchObject({ edited: true });
  });

  it('says what there was too much of', () => {
    const seen = findings(exploration, {
      options: { staleRounds },
      events: [read('a'), ...grep(2), roundDone],
    });
    expect(seen).toMatchObject([
      { subject: 'files', facts: { why: 'files' }, evidence: [1] },
      { subject: 'iterations', facts: { why: 'iterations' }, evidence: [3] },
    ]);
  });

  it('forgets files that were found before the stale rounds', () => {
    const events = [read('a'), read('b'), ...grep(2), roundDone];
    const counts = findings(exploration, { options: { staleRounds }, events }).map(
      ({ count, subject }) => `${count} ${subject}`,
    );
    expect(counts).toEqual(['1 files', '2 files', '4 iterations']);
  });

  it('counts text-only rounds, too, and needs no call to point to', () => {
    const events = [turn, turn, turn, roundDone];
    expect(findings(exploration, { options: { staleRounds }, events })).toMatchObject([
      { count: 3, evidence: [] },
    ]);
  });

  it('does not count files without a path, or tools that do not read', () => {
    expect(
      findings(exploration, { events: [call('read_file', { n: 1 }), call('list', { path: 'a' })] }),
    ).toEqual([]);
  });

  it('remembers 32 files', () => {
    const events = [...repeat(33, (index) => [read(`${index}`)]), read('1'), read('0')];
    const seen = findings(exploration, { options: { staleRounds: 100 }, events }).map(
      ({ count, call: at }) => `${count}@${at}`,
    );
    expect(seen.slice(-3)).toEqual(['32@32', '32@33', '32@35']);
  });
});
