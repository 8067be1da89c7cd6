import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Board,
  MAX_WORKERS,
  NO_CONTROL,
  type Note,
  type Request,
  type SwarmState,
} from '../../src/stores/board.ts';
import { createTallies } from '../../src/stores/tallies.ts';

const WINDOW_MS = 1000;
const START = 1_800_000_000_000;
const LIMITS = { children: 3, perDepth: 5, depth: 2 };

export type BoardSuite = {
  /** A board with nothing on it. */
  create(now: () => number): Board | Promise<Board>;
};

function request(
  member: string,
  first: number,
  notes: readonly Note[],
  more: Partial<Request> = {},
): Request {
  return { member, first, notes, resent: 0, born: '', control: NO_CONTROL, windowMs: WINDOW_MS, ...more };
}

const call = (worker: string, key = 'k'): Note => ({ kind: 'call', worker, key });
const result = (worker: string, outcome: string, failed: boolean, key = 'k'): Note => ({
  kind: 'result',
  worker,
  key,
  outcome,
  failed,
});
const spawn = (worker: string, to: string): Note => ({ kind: 'spawn', worker, to, depth: 0, limits: LIMITS });

/** What every board must do, whatever it is made of. */
export function testBoard(name: string, { create }: BoardSuite): void {
  describe(`${name} as a board`, () => {
    async function open() {
      let now = START;
      const board = await create(() => now);
      let sequence = 1;
      return {
        board,
        pass(ms: number) {
          now += ms;
        },
        async tell(...notes: readonly Note[]): Promise<Answer> {
          const answer = await board.tell('s', request('m', sequence, notes));
          sequence += notes.length;
          return answer;
        },
      };
    }

    it('counts calls and workers, and knows who was first', async () => {
      const { tell } = await open();
      await tell(call('ann'));
      await tell(call('ben'), call('ben'));
      const { counts, totals, applied } = await tell(call('ann'));
      expect(counts).toMatchObject([
        { calls: 4, workers: 2, first: 'ann', firstAt: START, names: ['ben', 'ann'] },
      ]);
      expect(totals).toMatchObject({ calls: 4, active: 2, agents: 2 });
      expect(applied).toBe(1);
    });

    it('forgets by time: all of it between half of the window and the whole', async () => {
      const { tell, pass } = await open();
      await tell(call('ann'), call('ben'));
      pass(WINDOW_MS / 2);
      expect((await tell(call('ann'))).counts).toMatchObject([{ calls: 3, workers: 2 }]);
      pass(WINDOW_MS / 2);
      expect((await tell(call('cleo'))).counts).toMatchObject([{ calls: 2, workers: 2 }]);
      pass(WINDOW_MS);
      const { counts, totals } = await tell(call('dan'));
      expect(counts).toMatchObject([{ calls: 1, workers: 1, first: 'dan' }]);
      expect(totals).toMatchObject({ calls: 5, active: 1, agents: 4 });
    });

    it('takes failures for wasted that were known, until somebody gets through', async () => {
      const { tell } = await open();
      const wasted = async (...notes: readonly Note[]) => {
        const { counts } = await tell(...notes);
        return [counts.at(-1)?.wasted, counts.at(-1)?.wasters, counts.at(-1)?.failures];
      };
      expect(await wasted(call('ann'), result('ann', 'x', true))).toEqual([0, 0, 1]);
      expect(await wasted(call('ben'), result('ben', 'x', true))).toEqual([1, 1, 2]);
      expect(await wasted(call('ben'), result('ben', 'y', true))).toEqual([1, 1, 3]);
      expect(await wasted(call('ann'), result('ann', 'y', true))).toEqual([2, 2, 4]);
      expect(await wasted(result('dan', 'readme', false, 'r'))).toEqual([0, 0, 0]);
      expect(await wasted(result('eve', 'readme', false, 'r'))).toEqual([0, 0, 0]);
      expect(await wasted(result('eve', 'readme', false, 'r'))).toEqual([0, 0, 0]);
      expect(await wasted(result('eve', 'fine', false))).toEqual([0, 2, 4]);
      expect(await wasted(result('eve', 'y', true))).toEqual([1, 3, 5]);
      for (const outcome of ['1', '2', '3', '4'])
        expect(await wasted(result('eve', outcome, true, 'many'))).toEqual([0, 0, Number(outcome)]);
      expect(await wasted(result('eve', '1', true, 'many'))).toEqual([1, 1, 5]);
      await tell(result('eve', '5', true, 'many'));
      expect(await wasted(result('eve', '1', true, 'many'))).toEqual([1, 1, 7]);
    });

    it('counts handoffs until somebody gets anywhere', async () => {
      const { tell } = await open();
      const hand = async (worker: string, to: string) =>
        (await tell({ kind: 'handoff', worker, to })).counts[0]?.calls;
      expect([await hand('ann', 'ben'), await hand('ben', 'ann'), await hand('ann', 'ben')]).toEqual([
        1, 2, 3,
      ]);
      await tell(result('cleo', 'new', false));
      expect(await hand('ben', 'ann')).toBe(4);
      await tell(result('ann', 'newer', false));
      expect(await hand('ann', 'ben')).toBe(1);
      expect(await hand('ann', 'cleo')).toBe(1);
    });

    it('reserves children before they start, by parent, by level and by depth', async () => {
      const { tell } = await open();
      const child = async (worker: string, to: string) => {
        const [count] = (await tell(spawn(worker, to))).counts;
        return [count?.calls, count?.depth, count?.atDepth, count?.refused];
      };
      expect(await child('root', 'a')).toEqual([1, 1, 1, '']);
      expect(await child('root', 'b')).toEqual([2, 1, 2, '']);
      expect(await child('root', 'c')).toEqual([3, 1, 3, '']);
      expect(await child('root', 'd')).toEqual([3, 1, 3, 'children']);
      expect(await child('a', 'aa')).toEqual([1, 2, 1, '']);
      expect(await child('aa', 'aaa')).toEqual([0, 3, 0, 'depth']);
      for (const name of ['e', 'f']) expect((await child('other', name))[3]).toBe('');
      expect(await child('other', 'g')).toEqual([2, 1, 5, 'per-depth']);
    });

    it('adds up what is spent', async () => {
      const { tell } = await open();
      await tell({ kind: 'spend', worker: 'ann', tokens: 1200, money: 35 });
      const { totals, counts } = await tell({ kind: 'spend', worker: 'ben', tokens: 3, money: 1 });
      expect(totals).toMatchObject({ calls: 0, tokens: 1203, money: 36, agents: 2 });
      expect(counts).toHaveLength(1);
    });

    it('counts a note once, however often it is sent', async () => {
      const { board } = await open();
      const first = await board.tell('s', request('m', 1, [call('ann'), call('ann')]));
      expect(first).toMatchObject({ applied: 2, counts: [{ calls: 1 }, { calls: 2 }] });
      const again = request('m', 1, [call('ann'), call('ann'), call('ann')], { resent: 2, born: first.born });
      const second = await board.tell('s', again);
      expect(second).toMatchObject({
        applied: 1,
        totals: { calls: 3 },
        counts: [{ calls: 1 }, { calls: 2 }, { calls: 3 }],
      });
      expect(await board.tell('s', again)).toMatchObject({ applied: 0, totals: { calls: 3 } });
      expect(await board.tell('s', request('late', 1, [spawn('p', 'q')]))).toMatchObject({ applied: 1 });
      expect(await board.tell('s', request('late', 1, [spawn('p', 'q')]))).toMatchObject({
        applied: 0,
        counts: [{ calls: 1, depth: 1, refused: '' }],
      });
    });

    it('tells whoever did not hear the answer what it was, whatever came since', async () => {
      const { board } = await open();
      const failed = [call('ann'), result('ann', 'x', true), call('ann'), result('ann', 'x', true)];
      const sent = request('m', 1, failed);
      const numbers = ({ counts }: Answer) =>
        counts.map(({ calls, workers, wasted, wasters, failures }) => [
          calls,
          workers,
          wasted,
          wasters,
          failures,
        ]);
      const first = await board.tell('s', sent);
      await board.tell('s', request('n', 1, [...failed, call('ben'), result('ben', 'x', false)]));
      await board.tell('s', request('m', 5, []));
      const again = await board.tell('s', { ...sent, resent: 4, born: first.born });
      expect(again).toMatchObject({ applied: 0, totals: { calls: 5 } });
      expect(numbers(again)).toEqual(numbers(first));
      const more = await board.tell('s', request('m', 1, [...failed, call('ann')], { resent: 4 }));
      expect(numbers(more)).toEqual([...numbers(first), [6, 2, 0, 1, 4]]);
      expect(numbers(await board.tell('s', request('m', 3, [...failed.slice(2), call('ann')])))).toEqual(
        numbers(more).slice(2),
      );
    });

    it('does not count again what may have been counted when only the numbering was lost', async () => {
      const { board } = await open();
      const { born } = await board.tell('s', request('m', 1, [call('ann')]));
      const answer = await board.tell('s', request('n', 1, [call('ann'), call('ann')], { resent: 1, born }));
      expect(answer).toMatchObject({ applied: 1, totals: { calls: 2 } });
    });

    it('counts anew what is told to a swarm that was lost', async () => {
      const { board } = await open();
      const answer = await board.tell('s', request('m', 7, [call('ann')], { resent: 1, born: 'gone' }));
      expect(answer).toMatchObject({ applied: 1, totals: { calls: 1 } });
    });

    it('halts and lets go, and takes a halt back that it has lost', async () => {
      const { board, pass } = await open();
      const order = { halt: true, why: 'too expensive', by: 'ops' };
      const halted = await board.steer('s', order);
      expect(halted).toMatchObject({ halted: true, why: 'too expensive', by: 'ops' });
      expect((await board.tell('s', request('m', 1, [call('ann')]))).control).toEqual(halted);
      pass(1);
      const released = await board.steer('s', { halt: false, why: '', by: 'ops' });
      expect(released.version).toBeGreaterThan(halted.version);
      expect((await board.tell('s', request('m', 2, [call('ann')], { control: halted }))).control).toEqual(
        released,
      );
      const other = await board.tell('t', request('m', 1, [call('ann')], { control: halted }));
      expect(other.control).toEqual(halted);
    });

    it('keeps swarms and the tenant apart, whatever they are called', async () => {
      const { board } = await open();
      const names = [
        's',
        'S',
        's:f:k',
        '{s}',
        '}',
        's}:f',
        '%7bs',
        '*',
        'a b',
        '🌀',
        '\ud800',
        'x'.repeat(400),
      ];
      for (const [index, swarm] of names.entries())
        for (let n = 0; n <= index; n++) await board.tell(swarm, request('m', n + 1, [call('ann')]));
      await board.tell(null, request('m', 1, [call('ann')]));
      const counts: number[] = [];
      for (const swarm of [...names, null])
        counts.push((await board.tell(swarm, request('z', 1, [call('ann')]))).counts[0]?.calls ?? 0);
      expect(counts).toEqual([...names.map((_, index) => index + 2), 2]);
      const listed = (await board.swarms()).map(({ swarm }) => swarm);
      expect(listed.filter((swarm) => swarm.length < 400).sort()).toEqual(
        names.filter((n) => n.length < 400).sort(),
      );
    });

    it('keeps workers apart, whatever they are called', async () => {
      const { tell } = await open();
      const names = [
        'a',
        'A',
        'a b',
        'a,b',
        'z',
        '@a',
        'é',
        'e\u0301',
        '\n',
        '🌀',
        '__proto__',
        'constructor',
        '%0041',
      ];
      for (const name of names) await tell(call(name));
      const { counts } = await tell(call('a'));
      expect(counts[0]).toMatchObject({ calls: names.length + 1, workers: names.length });
      expect(counts[0]?.names).toEqual(names.slice(-8).reverse());
    });

    it('counts more workers than it can keep apart as so many', async () => {
      const { tell } = await open();
      const { counts } = await tell(...Array.from({ length: MAX_WORKERS + 10 }, (_, n) => call(`w${n}`)));
      expect(counts.at(-1)).toMatchObject({ calls: MAX_WORKERS + 10, workers: MAX_WORKERS });
    });

    it('goes on from a checkpoint, on the same board or on another', async () => {
      const { board, tell } = await open();
      await tell(call('ann'), call('b b'), result('ann', 'x', true), spawn('ann', 'kid'));
      await tell(
        { kind: 'handoff', worker: 'ann', to: 'b b' },
        { kind: 'spend', worker: 'ann', tokens: 5, money: 7 },
      );
      await board.steer('s', { halt: true, why: 'stop', by: 'me' });
      const state = JSON.parse(JSON.stringify(await board.read('s'))) as SwarmState;
      await board.write('copy', state);
      const more = [call('b b'), result('b b', 'x', true), spawn('kid', 'grandkid'), spawn('ann', 'kid 2')];
      const [here, there] = [
        await board.tell('s', request('n', 1, more)),
        await board.tell('copy', request('n', 1, more)),
      ];
      expect(there).toEqual(here);
      expect(here).toMatchObject({
        totals: { calls: 3, tokens: 5, money: 7 },
        control: { halted: true, why: 'stop' },
        counts: [{ calls: 3 }, { wasted: 1 }, { depth: 2 }, { calls: 2, depth: 1 }],
      });
      const pure = createTallies(state, () => 'born');
      expect({ ...pure.tell(request('n', 1, more), here.now), born: '' }).toEqual({ ...here, born: '' });
      expect(await board.read('never there')).toBeNull();
    });

    it('clears tallies, and keeps a halt', async () => {
      const { board, tell } = await open();
      await tell(call('ann'), spawn('ann', 'kid'));
      const halted = await board.steer('s', { halt: true, why: 'stop', by: 'me' });
      await board.clear('s');
      const answer = await tell(call('ben'));
      expect(answer).toMatchObject({ totals: { calls: 1, agents: 1 }, counts: [{ calls: 1, first: 'ben' }] });
      expect(answer.control).toEqual(halted);
      await board.clear('never there');
    });

    it('counts as the pure tallies do, whatever comes', async () => {
      const worker = fc.constantFrom('ann', 'ben', 'cleo');
      const note: fc.Arbitrary<Note> = fc.oneof(
        fc.record({ kind: fc.constant('call' as const), worker, key: fc.constantFrom('k', 'l') }),
        fc.record({
          kind: fc.constant('result' as const),
          worker,
          key: fc.constantFrom('k', 'l'),
          outcome: fc.constantFrom('1', '2', '11', '3', '4', '5'),
          failed: fc.boolean(),
          said: fc.constantFrom('', 'oh'),
        }),
        fc.record({ kind: fc.constant('failure' as const), worker, key: fc.constant('f') }),
        fc.record({ kind: fc.constant('handoff' as const), worker, to: worker }),
        fc.record({
          kind: fc.constant('spawn' as const),
          worker,
          to: worker,
          depth: fc.constant(0),
          limits: fc.constant(LIMITS),
        }),
        fc.record({
          kind: fc.constant('spend' as const),
          worker,
          tokens: fc.nat(1000),
          money: fc.nat(1000),
        }),
      );
      const step = fc.record({
        pass: fc.constantFrom(0, 1, 200, 500, 700, 1500, -300),
        member: fc.constantFrom('m', 'n'),
        again: fc.nat(2),
        notes: fc.array(note, { maxLength: 4 }),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          let now = START;
          const board = await create(() => now);
          const swarm = `random ${++run}`;
          const pure = createTallies(null, () => '');
          const sent = new Map<string, Note[]>();
          for (const { pass, member, again, notes } of steps) {
            now += pass;
            const before = sent.get(member) ?? [];
            const resent = Math.min(again, before.length);
            const first = before.length - resent + 1;
            const all = [...before.slice(first - 1), ...notes];
            const asked = request(member, first, all, { resent });
            const expected = pure.tell({ ...asked, born: 'x' }, now);
            expect({ ...(await board.tell(swarm, asked)), born: '' }).toEqual({ ...expected, born: '' });
            sent.set(member, [...before, ...notes]);
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}
