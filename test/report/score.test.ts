import { describe, expect, it } from 'vitest';
import { type Firing, judge, type LabelledRun } from '../../src/report/judgement.ts';
import type { Label } from '../../src/report/label.ts';
import { median, mistakesOf, type Score, scoreOf } from '../../src/report/score.ts';

const HEAD = { trace: 't', source: 's', kind: 'identical' };
const LEGIT: Label = { ...HEAD, verdict: 'legit' };

function stuck(onset: number, end: number, severity: 'serious' | 'brief' = 'serious'): Label {
  return { ...HEAD, verdict: 'stuck', severity, onset, end };
}

function runOf(label: Label, calls = 100): LabelledRun {
  return { file: 's/t.jsonl', calls, label };
}

function at(call: number, action: Firing['action'] = 'nudge'): Firing {
  return { call, action, detector: 'call-streak' };
}

/** The score of a guard over runs that are told as a label and what the guard did. */
function scored(...runs: readonly (readonly [Label, ...Firing[]])[]): Score {
  return scoreOf(
    'koda',
    runs.map(([label, ...firings]) => judge(runOf(label), firings)),
  );
}

describe('a seriously stuck run', () => {
  it('gives the example of the contract: onset 5, end 20, first firing 7: delay 2, saved 13 of 16', () => {
    expect(scored([stuck(5, 20), at(7), at(9)])).toMatchObject({
      precision: 1,
      recall: 1,
      f1: 1,
      medianDelay: 2,
      callsSaved: 13 / 16,
      earlyAlarms: 0,
      stuck: 1,
      healthy: 0,
      traces: 1,
    });
  });

  it.each([
    ['two calls before the onset is early', 3, null, 1],
    ['the call before the onset counts', 4, -1, 0],
    ['the onset counts', 5, 0, 0],
    ['the end counts', 20, 15, 0],
    ['the call after the end is too late', 21, null, 0],
  ])('%s', (_, call, medianDelay, earlyAlarms) => {
    const score = scored([stuck(5, 20), at(call)]);
    expect([score.medianDelay, score.earlyAlarms]).toEqual([medianDelay, earlyAlarms]);
    expect([score.recall, score.precision]).toEqual(medianDelay === null ? [0, null] : [1, 1]);
    expect(score.callsSaved).toBe(medianDelay === null ? 0 : (20 - call) / 16);
  });

  it('is caught by a later firing whatever came too early, and every early firing is counted', () => {
    expect(scored([stuck(5, 20), at(1), at(2, 'halt'), at(7)])).toMatchObject({
      precision: 1,
      recall: 1,
      medianDelay: 2,
      earlyAlarms: 2,
      falsePositives: 0,
    });
  });

  it('saves everything when the guard speaks before the first wasted call, nothing at the last one', () => {
    expect(scored([stuck(5, 20), at(4)]).callsSaved).toBe(1);
    expect(scored([stuck(5, 20), at(20)]).callsSaved).toBe(0);
  });

  it('may be a loop of texts: what falls after the last call has its number', () => {
    expect(scored([stuck(12, 12), at(12)])).toMatchObject({ recall: 1, medianDelay: 0, callsSaved: 0 });
    expect(scored([stuck(13, 12), at(12)])).toMatchObject({ recall: 1, medianDelay: -1, callsSaved: null });
    expect(scored([stuck(1, 0), at(0)])).toMatchObject({ recall: 1, medianDelay: -1 });
  });

  it('pools wasted calls over runs; a miss saves none of its own', () => {
    expect(scored([stuck(5, 20), at(7)], [stuck(1, 4)]).callsSaved).toBe(13 / 20);
  });
});

describe('a healthy run', () => {
  it('is one false positive however often the guard fires, and a hard one when it stopped the agent once', () => {
    expect(scored([LEGIT, at(1), at(2)])).toMatchObject({ falsePositives: 1, hardFalsePositives: 0 });
    for (const action of ['block', 'ask', 'halt'] as const)
      expect(scored([LEGIT, at(1), at(2, action)])).toMatchObject({
        falsePositives: 1,
        hardFalsePositives: 1,
      });
  });

  it('counts its calls whether or not the guard fires', () => {
    const judged = [judge(runOf(LEGIT, 300), [at(9)]), judge(runOf(LEGIT, 200), [])];
    expect(scoreOf('koda', judged)).toMatchObject({ falseAlarmsPer1000: 2, healthy: 2 });
  });
});

describe('scoreOf', () => {
  it('weighs stuck against healthy runs', () => {
    const score = scored(
      [stuck(5, 20), at(7)],
      [stuck(5, 20)],
      [stuck(5, 20), at(6)],
      [LEGIT, at(1)],
      [LEGIT],
    );
    expect(score.precision).toBe(2 / 3);
    expect(score.recall).toBe(2 / 3);
    expect(score.f1).toBeCloseTo(2 / 3, 12);
    expect(score).toMatchObject({ stuck: 3, healthy: 2, traces: 5 });
  });

  it('takes f1 as the harmonic mean of precision and recall', () => {
    const { precision, recall, f1 } = scored(
      [stuck(5, 20), at(7)],
      [stuck(5, 20)],
      [LEGIT, at(1)],
      [LEGIT, at(1)],
    );
    expect([precision, recall]).toEqual([1 / 3, 1 / 2]);
    expect(f1).toBeCloseTo((2 * (1 / 3) * (1 / 2)) / (1 / 3 + 1 / 2), 12);
  });

  it('reports brief loops apart', () => {
    const brief = stuck(5, 8, 'brief');
    const score = scored([brief, at(6)], [brief, at(2, 'halt')], [brief, at(6), at(8, 'block')], [brief]);
    expect(score).toMatchObject({
      brief: { caught: 2, blocked: 1, total: 4 },
      precision: null,
      recall: null,
      earlyAlarms: 0,
      stuck: 0,
      traces: 4,
    });
  });

  it('leaves unsure runs out', () => {
    expect(scored([{ ...HEAD, verdict: 'unsure' }, at(1, 'halt')])).toEqual(scored());
  });

  it('has nothing to say of nothing', () => {
    expect(scored()).toEqual({
      name: 'koda',
      precision: null,
      recall: null,
      f1: null,
      medianDelay: null,
      callsSaved: null,
      falsePositives: 0,
      hardFalsePositives: 0,
      falseAlarmsPer1000: null,
      earlyAlarms: 0,
      brief: { caught: 0, blocked: 0, total: 0 },
      traces: 0,
      stuck: 0,
      healthy: 0,
    });
  });

  it('gives a silent guard no precision, a recall of 0 and an f1 of 0', () => {
    expect(scored([stuck(5, 20)], [LEGIT])).toMatchObject({ precision: null, recall: 0, f1: 0 });
  });

  it('has the fields of the contract, in their order', () => {
    expect(Object.keys(scored())).toEqual([
      'name',
      'precision',
      'recall',
      'f1',
      'medianDelay',
      'callsSaved',
      'falsePositives',
      'hardFalsePositives',
      'falseAlarmsPer1000',
      'earlyAlarms',
      'brief',
      'traces',
      'stuck',
      'healthy',
    ]);
  });
});

it('takes the middle value, or halfway between two', () => {
  expect([[], [3], [10, 2], [10, 9, 1], [-1, 0, 1, 2]].map(median)).toEqual([null, 3, 6, 9, 0.5]);
});

describe('mistakesOf', () => {
  it('lists what was missed, and with it what came too late', () => {
    const { missed, falseAlarms, earlyAlarms } = mistakesOf([
      judge(runOf(stuck(5, 20)), [at(25, 'halt'), at(26)]),
      judge(runOf(stuck(5, 20)), []),
      judge(runOf(stuck(5, 20)), [at(6)]),
      judge(runOf(stuck(5, 8, 'brief')), []),
    ]);
    const row = { file: 's/t.jsonl', kind: 'identical', onset: 5, end: 20 };
    expect(missed).toEqual([
      { ...row, call: 25, action: 'halt', detector: 'call-streak', firings: 2, hard: true },
      { ...row, call: null, action: null, detector: null, firings: 0, hard: false },
    ]);
    expect([falseAlarms, earlyAlarms]).toEqual([[], []]);
  });

  it('lists false alarms and early ones with their first firing', () => {
    const { missed, falseAlarms, earlyAlarms } = mistakesOf([
      judge(runOf(LEGIT), [at(4), at(9, 'block')]),
      judge(runOf(LEGIT), []),
      judge(runOf(stuck(5, 20)), [at(2), at(6, 'halt')]),
    ]);
    expect(missed).toEqual([]);
    expect(falseAlarms).toEqual([
      {
        file: 's/t.jsonl',
        kind: 'identical',
        onset: null,
        end: null,
        call: 4,
        action: 'nudge',
        detector: 'call-streak',
        firings: 2,
        hard: true,
      },
    ]);
    expect(earlyAlarms).toMatchObject([
      { onset: 5, end: 20, call: 2, action: 'nudge', firings: 1, hard: false },
    ]);
  });
});
