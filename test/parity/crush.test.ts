import { afterEach, describe, expect, it } from 'vitest';
import { type Call, DONE, type Result, read, Session, times } from './session.ts';

/** Parity table 3.12: the silent stop = halt. */
describe('crush', () => {
  let session = new Session({ preset: 'crush' });
  const start = () => {
    session = new Session({ preset: 'crush' });
  };
  afterEach(() => session.replays());

  /** A model turn with its calls and results, to its end. */
  const step = (calls: readonly Call[], result: Result = DONE) => {
    session.accept({ type: 'turn' });
    for (const call of calls) session.call(call, result);
    return session.accept({ type: 'round-done' });
  };
  const same = (n: number) => times(n, () => step([read('a')]));
  const distinct = (n: number) => times(n, (index) => step([read(`file ${index}`)]));
  const text = (n: number) => times(n, () => step([]));

  it.each([0, 5, 9])('CR01 is silent over %i steps, however alike', (n) => {
    start();
    same(n);
    expect(session.answers).toEqual([]);
  });

  it('CR01 stops at the tenth step, when the window is full', () => {
    start();
    same(10);
    expect(session.facts).toEqual([
      { call: 10, action: 'halt', level: 'critical', detector: 'round-repeat', tool: undefined, count: 10 },
    ]);
  });

  it('CR02 lets ten different steps pass', () => {
    start();
    distinct(10);
    expect(session.answers).toEqual([]);
  });

  it.each([
    [5, 5, []],
    [6, 4, ['halt@10']],
    [7, 3, ['halt@10']],
  ])('CR03 %i identical steps and %i others among ten: %j', (identical, others, answers) => {
    start();
    same(identical);
    distinct(others);
    expect(session.answers).toEqual(answers);
    start();
    distinct(others);
    same(identical);
    expect(session.answers).toEqual(answers);
  });

  it('CR03 counts what is among the last ten, not what came before', () => {
    start();
    same(5);
    distinct(5);
    same(5);
    expect(session.answers).toEqual([]);
    same(1);
    expect(session.facts).toMatchObject([{ call: 16, action: 'halt', count: 6 }]);
  });

  it('CR04 counts text-only steps as steps, but as nothing that repeats', () => {
    start();
    same(4);
    text(4);
    distinct(2);
    expect(session.answers).toEqual([]);
    start();
    text(10);
    expect(session.answers).toEqual([]);
    start();
    same(6);
    text(4);
    expect(session.answers).toEqual(['halt@6']);
  });

  it('CR05 lets two steps that take turns pass', () => {
    start();
    times(10, (index) => step([read(index % 2 === 0 ? 'a' : 'b')]));
    expect(session.answers).toEqual([]);
  });

  it('CR06 does not look at ids', () => {
    start();
    times(10, (index) => step([{ ...read('a'), id: `call-${index}` }]));
    expect(session.answers).toEqual(['halt@10']);
  });

  it('CR06 takes another input or another output for another step', () => {
    start();
    times(10, (index) => step([read('a', { offset: index })]));
    expect(session.answers).toEqual([]);
    start();
    times(10, (index) => step([read('a')], { output: `line ${index}`, ok: true }));
    expect(session.answers).toEqual([]);
    start();
    times(10, (index) => step([{ tool: `read_${index}`, args: {} }]));
    expect(session.answers).toEqual([]);
  });

  it('CR06 compares the input as it was sent', () => {
    start();
    times(10, (index) => step([{ tool: 'view', args: index % 2 ? '{"a":1,"b":2}' : '{"b":2,"a":1}' }]));
    expect(session.answers).toEqual([]);
  });

  it('CR06 compares all calls of a step', () => {
    start();
    times(10, (index) => step([read('a'), read(`file ${index}`)]));
    expect(session.answers).toEqual([]);
    start();
    times(10, () => step([read('a'), read('b')]));
    expect(session.answers).toEqual(['halt@20']);
  });

  it('starts anew with a new run', () => {
    start();
    same(9);
    session.accept({ type: 'user' });
    same(9);
    expect(session.answers).toEqual([]);
  });

  it('needs no turns: then each call is a step', () => {
    start();
    for (const _ of times(10, () => session.call(read('a'))));
    expect(session.answers).toEqual(['halt@10']);
  });
});
