import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { createTurns, type Turns } from '../../src/transcripts/turns.ts';

let told: { readonly event: AgentEvent; readonly line: number }[] = [];
let turns: Turns = createTurns({ event() {}, facts() {}, problem() {} });
beforeEach(() => {
  told = [];
  turns = createTurns({ event: (event, line) => told.push({ event, line }), facts() {}, problem() {} });
});

const call = (tool: string): AgentEvent => ({ type: 'tool-call', tool, args: null });
const shown = () => told.map(({ event, line }) => `${line} ${'tool' in event ? event.tool : event.type}`);

describe('a response', () => {
  it('is told of before its calls, with the tokens and the text that came after them', () => {
    turns.begin('r1', { at: 5, agent: 'a' }, 1);
    turns.say('reasoning', 'hm');
    turns.add(call('read'), 2);
    turns.say('text', 'one');
    turns.say('text', '');
    turns.say('text', 'two');
    turns.spend({ input: 1, output: 1 });
    turns.spend(undefined);
    turns.spend({ input: 2, output: 3 });
    expect(told).toEqual([]);
    turns.close();
    expect(shown()).toEqual(['1 turn', '2 read']);
    expect(told[0]?.event).toEqual({
      type: 'turn',
      at: 5,
      agent: 'a',
      text: 'one\ntwo',
      reasoning: 'hm',
      usage: { input: 2, output: 3 },
    });
  });

  it('goes on under its id, and ends where another begins', () => {
    turns.begin('r1', {}, 1);
    turns.begin('r1', {}, 2);
    turns.add(call('read'), 2);
    turns.begin('r2', {}, 3);
    expect(shown()).toEqual(['1 turn', '2 read']);
    turns.begin(undefined, {}, 4);
    turns.begin(undefined, {}, 5);
    turns.close();
    expect(shown()).toEqual(['1 turn', '2 read', '3 turn', '4 turn', '5 turn']);
  });

  it('is told of once, though parts of it come late', () => {
    turns.begin('r1', {}, 1);
    turns.close();
    turns.begin('r1', {}, 2);
    turns.say('text', 'late');
    turns.spend({ input: 9, output: 9 });
    turns.add(call('read'), 2);
    turns.close();
    expect(shown()).toEqual(['1 turn', '2 read']);
  });

  it.each([63, 64])('is remembered for 64 others: %i', (others) => {
    turns.begin('r', {}, 1);
    for (let n = 0; n < others; n++) turns.begin(`other ${n}`, {}, 2);
    turns.close();
    const before = told.length;
    turns.begin('r', {}, 3);
    turns.close();
    expect(told.length - before).toBe(others < 64 ? 0 : 1);
  });

  it('ends with what ends it', () => {
    turns.begin('r1', {}, 1);
    turns.add(call('read'), 2);
    turns.pass({ type: 'user', text: 'go on' }, 3);
    turns.add(call('late'), 4);
    expect(shown()).toEqual(['1 turn', '2 read', '3 user', '4 late']);
  });
});

it('passes on at once what belongs to no response', () => {
  turns.say('text', 'nobody says it');
  turns.spend({ input: 1, output: 1 });
  turns.add(call('read'), 1);
  turns.close();
  expect(shown()).toEqual(['1 read']);
});
