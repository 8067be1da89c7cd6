import { describe, expect, it } from 'vitest';
import { did, findings, repeat, testDetector, turn, user } from '../../test/contract/detector.ts';
import { told } from '../../test/contract/told.ts';
import { idleRepeat } from './idle-repeat.ts';
import { MAX_EVIDENCE } from './trail.ts';

const think = (thought = 'Look first.') => did('think', { thought }, 'noted');

testDetector(idleRepeat, {
  loops: [
    { name: 'the same thought', events: repeat(4, () => think()), counts: [2, 3, 4] },
    {
      name: 'the same list of things to do',
      events: repeat(3, () => did('TodoWrite', { todos: ['a', 'b'] }, 'Todos were updated.')),
      counts: [2, 3],
    },
    {
      name: 'two thoughts in turn',
      events: repeat(3, () => [...think('one'), ...think('other')]),
      counts: [2, 2, 3, 3],
    },
    {
      name: 'a list that is only looked at',
      events: repeat(3, () => did('TaskList', {}, 'a, b')),
      counts: [2, 3],
    },
    { name: 'one a response', events: repeat(3, () => [turn, ...think()]), counts: [2, 3] },
  ],
  healthy: [
    { name: 'one thought after the other', events: repeat(9, (n) => think(`Step ${n}.`)), counts: [] },
    {
      name: 'the list, and work in between',
      events: repeat(9, (n) => [...did('TodoRead', {}, 'a, b'), ...did('Read', { n }, `page ${n}`)]),
      counts: [],
    },
    {
      name: 'a list that others work on',
      events: repeat(9, (n) => did('task_update', { task: 1 }, 'x'.repeat(n))),
      counts: [],
    },
    {
      name: 'a list that is looked at, and that others work on',
      events: repeat(9, (n) => did('TaskList', {}, `a, b: ${n}`)),
      counts: [],
    },
    { name: 'many at once', events: [turn, ...repeat(9, () => think())], counts: [] },
    { name: 'a person in between', events: repeat(9, () => [user, ...think()]), counts: [] },
    {
      name: 'what a guard has not let run',
      events: repeat(9, () => did('think', {}, 'Not run.', 'blocked')),
      counts: [],
    },
    { name: 'what is no thought', events: repeat(9, () => did('Read', {}, 'a page')), counts: [] },
  ],
});

describe('idle-repeat', () => {
  it('says what is called, how often and by which calls', () => {
    const [first, second] = findings(idleRepeat, { events: repeat(3, () => think()) });
    expect(first).toMatchObject({
      detector: 'it',
      count: 2,
      evidence: [1, 2],
      facts: { tool: 'think', look: false },
    });
    expect(second).toMatchObject({ count: 3, evidence: [1, 2, 3] });
    expect(first?.subject).toMatch(/^think#\w+$/);
    expect(first?.subject).toBe(second?.subject);
  });

  it('counts further than its evidence goes back', () => {
    const last = findings(idleRepeat, { events: repeat(20, () => think()) }).at(-1);
    expect([last?.count, last?.evidence.length]).toEqual([20, MAX_EVIDENCE]);
  });

  it.each([
    ['TodoRead', {}, true],
    ['TaskList', { status: 'in_progress' }, true],
    ['TodoWrite', { todos: ['a'] }, false],
    ['think', { thought: 'Look first.' }, false],
  ])('tells looks from what is said: %s', (tool, args, look) => {
    const [found] = findings(idleRepeat, { events: repeat(2, () => did(tool, args, 'a, b')) });
    expect(found?.facts).toEqual({ tool, look });
  });

  it('knows four thoughts that take turns, and no fifth', () => {
    const turns = (count: number) =>
      findings(idleRepeat, { events: repeat(5 * count, (n) => think(`${n % count}`)) }).length > 0;
    expect([turns(4), turns(5)]).toEqual([true, false]);
  });

  it('tells nothing below what is asked for', () => {
    const events = repeat(4, () => think());
    expect(told(idleRepeat, events, 2).counts).toEqual([2, 3, 4]);
    expect(told(idleRepeat, events, 4).counts).toEqual([4]);
  });
});
