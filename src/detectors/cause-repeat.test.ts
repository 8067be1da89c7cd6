import { describe, expect, it } from 'vitest';
import {
  call,
  did,
  findings,
  made,
  remembered,
  repeat,
  roundDone,
  testDetector,
  turn,
  user,
} from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { causeRepeat, MAX_IN_ROUND } from './cause-repeat.ts';
import { UNBOUNDED } from './streak.ts';

let ids = 0;
function failed(tool = 'fetch', errorType = 'timeout'): AgentEvent[] {
  const id = `${++ids}`;
  return [
    { type: 'tool-call', id, tool, args: { id } },
    { type: 'tool-result', id, status: 'error', output: '', errorType },
  ];
}
const round = (...events: readonly AgentEvent[][]) => [turn, ...events.flat(), roundDone];
const facts = (events: readonly AgentEvent[]) =>
  findings(causeRepeat, { events }).map((finding) => finding.facts);

testDetector(causeRepeat, {
  loops: [
    { name: 'round after round', events: repeat(3, () => round(failed())), counts: [1, 2, 3] },
    { name: 'many in a round', events: round(failed(), failed(), failed()), counts: [3] },
    {
      name: 'other tools that work',
      events: [...round(failed(), did('read')), ...round(did('read')), ...round(failed())],
      counts: [1, 2],
    },
    {
      name: 'another tool that fails and recovers',
      events: [...round(failed()), ...round(failed(), failed('read'), did('read'))],
      counts: [1, 2],
    },
    { name: 'a round of text', events: [...round(failed()), ...round(), ...round(failed())], counts: [1, 2] },
    {
      name: 'each call is a round where no turns are shown',
      events: [...failed(), ...failed(), call('x')],
      counts: [1, 2],
    },
    {
      name: 'another cause counts anew',
      events: [...round(failed()), ...round(failed('fetch', 'no-route'))],
      counts: [1, 1],
    },
    {
      name: 'after a round with an open call',
      events: [...round(failed(), [call('x')]), ...round(failed())],
      counts: [1],
    },
    {
      name: 'another tool counts anew',
      events: [...round(failed()), ...round(failed('push'))],
      counts: [1, 1],
    },
  ],
  healthy: [
    { name: 'success', events: repeat(5, () => round(did('fetch'))), counts: [] },
    { name: 'it works in the same round', events: round(failed(), did('fetch')), counts: [] },
    { name: 'two causes in one round', events: round(failed(), failed('fetch', 'no-route')), counts: [] },
    { name: 'a call that is still open', events: round(failed(), [call('x')]), counts: [] },
    { name: 'an open call after two failures', events: round(failed(), failed(), [call('x')]), counts: [] },
    { name: 'an open call before a failure', events: round([call('x')], failed()), counts: [] },
    { name: 'a cause without a name', events: repeat(3, () => round(failed('fetch', ''))), counts: [] },
    { name: 'refused arguments beside it', events: round(failed(), did('x', {}, '', 'invalid')), counts: [] },
    { name: 'a person said no', events: round(failed(), did('x', {}, '', 'denied')), counts: [] },
    { name: 'no cause told', events: repeat(3, () => round(did('x', {}, '', 'error'))), counts: [] },
    { name: 'an ending that is not known', events: round(failed(), did('x', {}, '', 'unknown')), counts: [] },
  ],
});

describe('cause-repeat', () => {
  it('tells the rounds, and whether there was more than one', () => {
    expect(facts([...round(failed(), failed()), ...round(failed())])).toEqual([
      { tool: 'fetch', rounds: 1, again: false, sure: true },
      { tool: 'fetch', rounds: 2, again: true, sure: true },
    ]);
  });

  it.each([
    ['a success', round(did('fetch'))],
    ['a cancelled call', round(did('x', {}, '', 'cancelled'))],
    ['a blocked call', round(did('x', {}, '', 'blocked'))],
    ['a tool that does not exist', round(did('x', {}, '', 'unknown-tool'))],
    ['a person', [user]],
  ])('%s starts anew', (_name, between) => {
    const seen = findings(causeRepeat, { events: [...round(failed()), ...between, ...round(failed())] });
    expect(seen.map(({ count }) => count)).toEqual([1, 1]);
  });

  it.each([
    ['an ending that is not known', did('x', {}, '', 'unknown')],
    ['a failure without a cause', did('x', {}, '', 'error')],
  ])('is not sure any more after %s, whatever a person says', (_name, odd) => {
    expect(facts([...round(odd), user, ...round(failed())])).toMatchObject([{ sure: false }]);
  });

  it('is sure as long as every ending is known', () => {
    const events = [...round(failed(), did('read')), ...round(did('read')), ...round(), ...round(failed())];
    expect(facts(events)).toEqual([
      { tool: 'fetch', rounds: 1, again: false, sure: true },
      { tool: 'fetch', rounds: 2, again: true, sure: true },
    ]);
  });

  it.each([MAX_IN_ROUND - 1, MAX_IN_ROUND, MAX_IN_ROUND + 1])('remembers what it may of %i tools', (n) => {
    const tools = Array.from({ length: n }, (_, index) => `tool-${index}`);
    const working = remembered(causeRepeat, { events: [turn, ...tools.flatMap((tool) => did(tool))] });
    expect(working).toMatchObject({ round: { open: 0, worked: tools.slice(0, MAX_IN_ROUND) } });
    const failing = remembered(causeRepeat, { events: [turn, ...tools.flatMap((tool) => failed(tool))] });
    const kept = n > MAX_IN_ROUND ? tools.toSpliced(MAX_IN_ROUND - 1, 1) : tools;
    expect(failing).toMatchObject({ round: { failed: kept.map((tool) => [tool, expect.any(Number), 1]) } });
  });

  it('is about failures, needs no digests, and counts without end', () => {
    expect(made(causeRepeat)).toMatchObject({ needs: [], failures: true, maxCount: UNBOUNDED });
  });

  it('is sure after a call that was cancelled', () => {
    expect(facts([...round(did('x', {}, '', 'cancelled')), ...round(failed())])).toMatchObject([
      { sure: true },
    ]);
  });

  it('takes no cause that is no text', () => {
    const odd = { type: 'tool-result', id: 'odd', status: 'error', output: '', errorType: 7 };
    const events = round([
      { type: 'tool-call', id: 'odd', tool: 't', args: {} },
      odd as unknown as AgentEvent,
    ]);
    expect(facts(events)).toEqual([]);
  });

  it('shows the last call', () => {
    expect(findings(causeRepeat, { events: round(failed(), failed()) })).toMatchObject([
      { subject: 'fetch', evidence: [2] },
    ]);
  });
});
