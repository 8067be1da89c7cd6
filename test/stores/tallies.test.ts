import { describe, expect, it } from 'vitest';
import { NO_CONTROL, type Note, type Request } from '../../src/stores/board.ts';
import { createTallies, keyOf } from '../../src/stores/tallies.ts';

const HALF = 500;
const START = 1000 * HALF;
const LIMITS = { children: 3, perDepth: 5, depth: 2 };
const BOUNDS = { records: 100, marks: 100, agents: 100 };

const call = (worker: string, key = 'k'): Note => ({ kind: 'call', worker, key });
const failed = (worker: string, said?: string): Note => ({
  kind: 'result',
  worker,
  key: 'k',
  outcome: 'x',
  failed: true,
  said,
});

function open(bounds: Partial<typeof BOUNDS> = {}, more: Partial<Request> = {}) {
  let made = 0;
  const tallies = createTallies(null, () => `born ${++made}`, { ...BOUNDS, ...bounds });
  let first = 1;
  const ask = (request: Partial<Request>, now = START) =>
    tallies.tell(
      {
        member: 'm',
        first,
        notes: [],
        resent: 0,
        born: '',
        control: NO_CONTROL,
        windowMs: 2 * HALF,
        ...more,
        ...request,
      },
      now,
    );
  return {
    tallies,
    ask,
    /** What the last of the notes has come to. */
    tell(notes: readonly Note[], halves = 0) {
      const answer = ask({ notes }, START + halves * HALF);
      first += notes.length;
      return { ...answer.counts.at(-1), totals: answer.totals };
    },
  };
}

describe('tallies', () => {
  it('take a worker along into the next half of the window, and count it once', () => {
    const { tell } = open();
    tell([call('ann'), call('ben')]);
    expect(tell([call('ann')], 1)).toMatchObject({ calls: 3, workers: 2, totals: { active: 2, agents: 2 } });
    expect(tell([call('cleo')], 1)).toMatchObject({ calls: 4, workers: 3, totals: { active: 3, agents: 3 } });
    expect(tell([call('ann')], 2)).toMatchObject({ calls: 3, workers: 2, totals: { active: 2, agents: 3 } });
  });

  it('take whoever wastes calls along in the same way', () => {
    const { tell } = open();
    tell([failed('ann'), failed('ann'), failed('ben')]);
    expect(tell([failed('ann')], 1)).toMatchObject({ wasted: 3, wasters: 2, failures: 4 });
    expect(tell([failed('ann')], 2)).toMatchObject({ wasted: 2, wasters: 1, failures: 2 });
  });

  it('name the latest eight, each once, and the latest first', () => {
    const { tell } = open();
    for (let n = 0; n < 9; n++) tell([call(`w${n}`)]);
    expect(tell([call('w8')]).names).toEqual(['w8', 'w7', 'w6', 'w5', 'w4', 'w3', 'w2', 'w1']);
    expect(tell([call('w3')], 1).names).toEqual(['w3', 'w8', 'w7', 'w6', 'w5', 'w4', 'w2', 'w1']);
  });

  it('keep the last that was said, of a call and of a kind of error', () => {
    const { tell } = open();
    expect(tell([call('ann')]).said).toBe('');
    expect(tell([failed('ann', 'no such file')]).said).toBe('no such file');
    expect(tell([failed('ben')]).said).toBe('no such file');
    const error = (said?: string): Note => ({ kind: 'failure', worker: 'ann', key: 'e', said });
    expect(tell([error()])).toMatchObject({ said: '', calls: 1, workers: 1, refused: '' });
    expect(tell([error('refused')])).toMatchObject({ said: 'refused', calls: 2 });
    expect(tell([error()])).toMatchObject({ said: 'refused', calls: 3 });
  });

  it('count handoffs anew when either has got anywhere', () => {
    const { tell } = open();
    const hand: Note = { kind: 'handoff', worker: 'ann', to: 'ben' };
    const done = (worker: string, outcome: string): Note => ({
      kind: 'result',
      worker,
      key: outcome,
      outcome,
      failed: false,
    });
    expect([tell([hand]).calls, tell([hand]).calls]).toEqual([1, 2]);
    expect(tell([done('ann', '1'), done('ben', '2'), hand]).calls).toBe(1);
    expect(tell([hand]).calls).toBe(2);
  });

  it('tell of what was counted before as much as is known', () => {
    const { ask } = open();
    const spend: Note = { kind: 'spend', worker: 'ann', tokens: 5, money: 1 };
    const child = (to: string): Note => ({ kind: 'spawn', worker: 'ann', to, depth: 0, limits: LIMITS });
    const notes = [spend, child('kid'), call('ann')];
    ask({ notes, first: 1 });
    ask({ notes: [call('ann')], first: 4 });
    // The answer to the first three is no longer kept.
    const { counts, applied, totals } = ask({ notes, first: 1 });
    expect(applied).toBe(0);
    expect(totals).toMatchObject({ tokens: 5, calls: 2 });
    expect(counts).toMatchObject([
      { calls: 0, depth: 0 },
      { calls: 1, depth: 1, atDepth: 1, refused: '' },
      { calls: 2, depth: 0, atDepth: 0 },
    ]);
    expect(ask({ notes: [child('stranger')], first: 2 }).counts).toMatchObject([
      { depth: -1, atDepth: 0, refused: 'children' },
    ]);
    expect(ask({ notes: [call('ann', 'never')], first: 3 }).counts).toMatchObject([{ calls: 0 }]);
    expect(ask({ notes: [call('ann')], first: 3 }, START + HALF).counts).toMatchObject([{ calls: 2 }]);
    expect(ask({ notes: [call('ann')], first: 3 }, START + 3 * HALF).counts).toMatchObject([{ calls: 0 }]);
  });

  it('keep the last answer of sixteen members', () => {
    const { ask } = open();
    const one = (member: string) => ask({ member, first: 1, notes: [call('ann')] }).counts[0]?.calls;
    for (let n = 1; n <= 16; n++) expect(one(`m${n}`)).toBe(n);
    expect([one('m1'), one('m16')]).toEqual([1, 16]);
    expect(one('m17')).toBe(17);
    expect([one('m1'), one('m2')]).toEqual([17, 2]);
  });

  it('know the numbers of 256 members', () => {
    const { ask, tallies } = open();
    for (let n = 0; n < 257; n++) ask({ member: `m${n}`, first: 1, notes: [call('ann')] });
    expect(tallies.toJSON().members).toHaveLength(256);
    expect(ask({ member: 'm1', first: 1, notes: [call('ann')] }).applied).toBe(0);
    expect(ask({ member: 'm0', first: 1, notes: [call('ann')] }).applied).toBe(1);
  });

  it('take what was sent before for counted only where the swarm is the same', () => {
    const { ask } = open();
    expect(ask({ notes: [call('ann')], resent: 1, born: '' })).toMatchObject({ applied: 1, born: 'born 1' });
    const again = { notes: [call('ann')], resent: 1, first: 1 };
    expect(ask({ ...again, member: 'n', born: 'born 1' }).applied).toBe(0);
    expect(ask({ ...again, member: 'o', born: 'born 0' }).applied).toBe(1);
  });

  it('keep the window of whoever came first, until they are cleared', () => {
    const { ask, tallies } = open();
    ask({ notes: [call('ann')] });
    ask({ notes: [call('ann')], first: 2, windowMs: 10 });
    expect(tallies.toJSON().half).toBe(HALF);
    tallies.clear();
    expect(ask({ notes: [call('ann')], first: 3, windowMs: 10 })).toMatchObject({
      born: 'born 2',
      counts: [{ calls: 1 }],
      totals: { calls: 1, active: 1, agents: 1 },
    });
    expect(tallies.toJSON().half).toBe(5);
  });

  it('heed the later order, by its number', () => {
    const { ask, tallies } = open();
    const halt = { halt: true, why: 'stop', by: 'ops' };
    expect(tallies.steer(halt, START).version).toBe(START);
    expect(tallies.steer(halt, START).version).toBe(START + 1);
    const other = { version: START + 1, halted: false, why: '', by: 'x', at: 0 };
    expect(ask({ control: other }).control.halted).toBe(true);
    expect(ask({ control: { ...other, version: START + 2 } }).control.halted).toBe(false);
  });
});

describe('tallies that are full', () => {
  const keys = (state: { readonly records: readonly { readonly key: string }[] }) =>
    state.records.map(({ key }) => key);

  it('forget the record that was used least recently', () => {
    const { tell, tallies } = open({ records: 2 });
    tell([call('ann', 'a'), call('ann', 'b')]);
    expect(keys(tallies.toJSON())).toEqual(['f:a', 'f:b']);
    tell([call('ann', 'a'), call('ann', 'c')]);
    expect(keys(tallies.toJSON())).toEqual(['f:a', 'f:c']);
  });

  it('forget records when there are too many marks, and never the last', () => {
    const { tell, tallies } = open({ marks: 3 });
    tell([call('ann', 'a'), call('ben', 'a'), call('ann', 'b')]);
    expect(keys(tallies.toJSON())).toEqual(['f:a', 'f:b']);
    tell([call('ben', 'b')]);
    expect(keys(tallies.toJSON())).toEqual(['f:b']);
    tell([call('cleo', 'b'), call('dan', 'b')]);
    expect(keys(tallies.toJSON())).toEqual(['f:b']);
    expect(tell([call('ann', 'c')]).calls).toBe(1);
    expect(keys(tallies.toJSON())).toEqual(['f:c']);
  });

  it('count marks over a checkpoint, and let go of those of another time', () => {
    const first = open({ marks: 3 });
    first.tell([call('ann', 'a'), call('ben', 'a')]);
    const restored = createTallies(first.tallies.toJSON(), () => '', { ...BOUNDS, marks: 3 });
    const request = { member: 'n', resent: 0, born: '', control: NO_CONTROL, windowMs: 2 * HALF };
    restored.tell({ ...request, first: 1, notes: [call('ann', 'b'), call('ben', 'b')] }, START);
    expect(keys(restored.toJSON())).toEqual(['f:b']);
    // Two halves later the marks of `b` are gone, and three more have room.
    restored.tell({ ...request, first: 3, notes: [call('ann', 'b')] }, START + 2 * HALF);
    restored.tell({ ...request, first: 4, notes: [call('ann', 'c'), call('ben', 'c')] }, START + 2 * HALF);
    expect(keys(restored.toJSON())).toEqual(['f:b', 'f:c']);
  });

  it('sweep the marks of a record that lives on', () => {
    const { tell, tallies } = open({ marks: 3 });
    tell([call('ann'), call('ben')]);
    tell([call('ann')], 1);
    tell([call('ann')], 2);
    expect(tallies.toJSON().records[0]?.workers).toEqual([['ann', 1002, -2]]);
    tell([call('ann', 'x'), call('ben', 'x')], 2);
    expect(keys(tallies.toJSON())).toEqual(['f:k', 'f:x']);
  });

  it('forget the agent that was there least recently', () => {
    const { tell, tallies } = open({ agents: 2 });
    tell([call('ann'), call('ben')]);
    expect(tallies.toJSON().agents.map(([name]) => name)).toEqual(['ann', 'ben']);
    tell([call('ann'), call('cleo')]);
    expect(tallies.toJSON().agents.map(([name]) => name)).toEqual(['ann', 'cleo']);
  });
});

it('a note is counted under its kind and what it is about', () => {
  const spawn: Note = { kind: 'spawn', worker: 'ann', to: 'kid', depth: 0, limits: LIMITS };
  expect(
    [
      call('ann', 'x'),
      failed('ann'),
      { kind: 'failure', worker: 'ann', key: 'x' } as const,
      { kind: 'handoff', worker: 'ben', to: 'ann' } as const,
      { kind: 'handoff', worker: 'ann', to: 'ben' } as const,
      spawn,
    ].map((note) => keyOf(note as Exclude<Note, { kind: 'spend' }>)),
  ).toEqual(['f:x', 'f:k', 'e:x', 'h:ann ben', 'h:ann ben', 'p:ann']);
});
