import { describe, expect, it } from 'vitest';
import { digestText } from '../core/digest-text.ts';
import type { Entry, Json, Status, ToolCallEvent } from '../core/types.ts';
import { keyOf, MAX_DEPTH, outcomeOf, type Reading, reads } from './result-reading.ts';

const ENTRY = { exact: 1, outcome: 2 } as Entry;

/** The digests under which a call and its result are compared. */
function read(reading: Reading, tool: string, args: Json, output: Json, status: Status = 'ok') {
  const { note, observe } = reads(reading, digestText);
  const call: ToolCallEvent = { type: 'tool-call', tool, args };
  const noted = note?.(call) ?? null;
  const atCall = observe?.(call, null, ENTRY) ?? null;
  const atResult = observe?.({ type: 'tool-result', tool, output, status }, noted, ENTRY) ?? null;
  expect(keyOf(ENTRY, atCall)).toBe(keyOf(ENTRY, atResult));
  return { key: keyOf(ENTRY, atCall), outcome: outcomeOf(ENTRY, atResult) };
}
const whole = { key: ENTRY.exact, outcome: ENTRY.outcome };
const outcome = (reading: Reading, tool: string, args: Json, output: Json, status?: Status) =>
  read(reading, tool, args, output, status).outcome;

describe('results as they are read', () => {
  it('are whole for whoever has no list, and for tools without a rule', () => {
    expect(reads('whole', digestText)).toEqual({});
    expect(read('openclaw', 'read', {}, { details: { a: 1 } })).toEqual(whole);
    expect(read('hermes', 'exec', {}, '{"duration_seconds":1}')).toEqual(whole);
    expect(read('openclaw', 'constructor', {}, {})).toEqual(whole);
  });

  it('are whole where a rule finds nothing that it knows', () => {
    for (const output of ['text', '', '[1]', '{broken', [], {}, null, 7] as Json[])
      expect(read('openclaw', 'exec', {}, output)).toEqual(whole);
    for (const output of ['text', {}]) expect(read('openclaw', 'sessions_send', {}, output)).toEqual(whole);
    expect(read('openclaw', 'exec', {}, { details: { status: 'odd' } })).toEqual(whole);
    expect(read('openclaw', 'process', { action: 'start' }, { details: { status: 'x' } })).toEqual(whole);
  });

  it('are the same as an object and as its JSON', () => {
    const result = { output: 'x', duration_seconds: 3, kernel: { execution_count: 4, id: 1 } };
    const expected = outcome('hermes', 'execute_code', {}, { output: 'x', kernel: { id: 1 } });
    expect(outcome('hermes', 'execute_code', {}, result)).toBe(expected);
    expect(outcome('hermes', 'execute_code', {}, JSON.stringify(result))).toBe(expected);
    expect(expected).not.toBe(ENTRY.outcome);
  });

  it('lose only what stands in its known place', () => {
    const inside = (seconds: number): Json => ({ output: { duration_seconds: seconds } });
    expect(outcome('hermes', 'execute_code', {}, inside(1))).not.toBe(
      outcome('hermes', 'execute_code', {}, inside(2)),
    );
  });

  it.each([
    [{ kernel: { id: 1, execution_count: 3 } }, { kernel: { id: 2, execution_count: 3 } }],
    [{ kernel: [{ execution_count: 1 }] }, { kernel: [{ execution_count: 2 }] }],
    [{ kernel: null }, { kernel: 'none' }],
    [{ kernel: {} }, { kernel: null }],
  ])('keep what stands beside it, whatever it is: %j and %j', (one, other) => {
    const of = (output: Json) => outcome('hermes', 'execute_code', {}, output);
    expect(of(one)).not.toBe(of(other));
    expect(of({ ...one, duration_seconds: 1 })).toBe(of({ ...one, duration_seconds: 2 }));
  });

  it('differ by how the call ended', () => {
    const details = { details: { status: 'completed', exitCode: 0, aggregated: 'x' } };
    expect(outcome('openclaw', 'exec', {}, details)).not.toBe(
      outcome('openclaw', 'exec', {}, details, 'error'),
    );
  });

  it('of a command are its ending and its output, or the text where there is none', () => {
    const command = (details: { [name: string]: Json }, text = '') =>
      outcome(
        'openclaw',
        'exec',
        {},
        { details, content: [{ type: 'text', text }, { type: 'image' }, 'odd'] },
      );
    const done = { status: 'completed', exitCode: 0, aggregated: 'x' };
    expect(command({ ...done, pid: 1 }, 'a')).toBe(command({ ...done, pid: 2 }, 'b'));
    expect(command({ ...done, exitCode: 1 })).not.toBe(command(done));
    expect(command({ ...done, timedOut: true })).not.toBe(command(done));
    expect(command({ ...done, aggregated: '' }, 'a')).not.toBe(command({ ...done, aggregated: '' }, 'b'));
    expect(command({ status: 'failed' }, 'a')).not.toBe(command({ status: 'failed' }, 'b'));
    expect(command({ status: 'running', tail: 'x' }, 'a')).toBe(
      command({ status: 'running', tail: 'x' }, 'b'),
    );
    expect(command({ status: 'running', tail: 'x' })).not.toBe(command({ status: 'running', tail: 'y' }));
    const waiting = { status: 'approval-pending', command: 'rm' };
    expect(command({ ...waiting, id: 1 })).toBe(command({ ...waiting, id: 2 }));
  });

  it('of a poll and of a log are what they show', () => {
    const of = (action: string, details: { [name: string]: Json }, text = '') =>
      outcome('openclaw', 'process', { action }, { details, content: [{ text }] });
    expect(of('poll', { status: 'running', pid: 1 })).toBe(of('poll', { status: 'running', pid: 2 }));
    expect(of('poll', { status: 'running' }, 'a')).not.toBe(of('poll', { status: 'running' }, 'b'));
    expect(of('log', { status: 'running', totalLines: 1 })).not.toBe(
      of('log', { status: 'running', totalLines: 2 }),
    );
    expect(of('log', { status: 'running', cwd: 'a' })).toBe(of('log', { status: 'running', cwd: 'b' }));
  });

  it('have the texts of their parts, one a line', () => {
    const of = (content: Json) =>
      outcome('openclaw', 'process', { action: 'poll' }, { details: { status: 'running' }, content });
    expect(of([{ text: ' a' }, { type: 'image' }, { text: 7 }, { text: 'b ' }])).toBe(of([{ text: 'a\nb' }]));
    expect(of([{ text: 'a' }, { text: 'b' }])).not.toBe(of([{ text: 'ab' }]));
    expect(of('text')).toBe(of([]));
    expect(of('text')).toBe(of([{ text: '' }]));
  });

  it('of a delivery are all but its ids, and no text', () => {
    const sent = (fields: { [name: string]: Json }, text = '') =>
      outcome('openclaw', 'message', { action: 'send' }, { details: fields, content: [{ text }] });
    expect(sent({ ok: true, messageId: 1, list: [{ ts: 1 }] }, 'a')).toBe(
      sent({ ok: true, messageId: 2, list: [{ ts: 2 }] }, 'b'),
    );
    expect(sent({ ok: true })).not.toBe(sent({ ok: false }));
    expect(sent({ id: 'a', text: 'x', senderId: 's' })).toBe(sent({ id: 'b', text: 'x', senderId: 's' }));
    expect(sent({ id: 'a', text: 'x', accountId: 's' })).toBe(sent({ id: 'b', text: 'x', accountId: 's' }));
    const conversation = { id: 'c' };
    expect(sent({ id: 'a', text: 'x', conversation })).toBe(sent({ id: 'b', text: 'x', conversation }));
    expect(sent({ id: 'a', text: 'x', conversation })).not.toBe(sent({ id: 'a', text: 'y', conversation }));
    for (const odd of [null, 'c'])
      expect(sent({ id: 'a', text: 'x', conversation: odd })).not.toBe(
        sent({ id: 'b', text: 'x', conversation: odd }),
      );
    expect(sent({ id: 'a', text: 'x' })).not.toBe(sent({ id: 'b', text: 'x' }));
    expect(sent({ id: 'a', senderId: 's' })).not.toBe(sent({ id: 'b', senderId: 's' }));
    expect(sent({ id: 1, text: 'x', senderId: 's' })).not.toBe(sent({ id: 2, text: 'x', senderId: 's' }));
  });

  it('of a delivery to a channel are all but its ids, with an action that sends or none', () => {
    const sent = (args: Json, messageId: number) =>
      outcome('openclaw', 'slack', args, { details: { ok: true, messageId } });
    expect(sent({}, 1)).toBe(sent({}, 2));
    expect(sent({ action: 'send' }, 1)).toBe(sent({}, 1));
    expect(sent({ action: 'read' }, 1)).toBe(whole.outcome);
  });

  it.each([
    [MAX_DEPTH - 1, false],
    [MAX_DEPTH, false],
    [MAX_DEPTH + 1, true],
  ])('are compared as deep as %i levels: the same is %s', (levels, same) => {
    for (const nest of [(inner: Json): Json => ({ inner }), (inner: Json): Json => [inner]]) {
      const of = (leaf: string) => {
        let value: Json = { leaf };
        for (let level = 1; level < levels; level++) value = nest(value);
        return outcome('openclaw', 'sessions_send', {}, { details: { value } });
      };
      expect(of('a') === of('b')).toBe(same);
    }
  });

  it('of a plan are its statuses, in the call and in the result', () => {
    const plan = (step: string, status: string): Json => ({ plan: [{ step, status }], explanation: step });
    const of = (args: Json, output: Json) => read('openclaw', 'update_plan', args, output);
    expect(of(plan('a', 'done'), plan('a', 'done'))).toEqual(of(plan('b', 'done'), plan('b', 'done')));
    expect(of(plan('a', 'done'), '').key).toBe(of(JSON.stringify(plan('b', 'done')), '').key);
    expect(of(plan('a', 'done'), '').key).not.toBe(of(plan('a', 'open'), '').key);
  });

  it('are cut where they unfold without end', () => {
    const shared = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'leaf') as Json;
    expect(outcome('openclaw', 'sessions_send', {}, { details: { shared } })).toBeGreaterThan(0);
    let deep: Json = 1;
    for (let depth = 0; depth < 1000; depth++) deep = { deep };
    expect(outcome('openclaw', 'sessions_send', {}, { details: { deep } })).toBeGreaterThan(0);
  }, 20_000);
});
