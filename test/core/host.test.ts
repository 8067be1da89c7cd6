import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  createGuard,
  createTally,
  type Decision,
  type Intervention,
  type Json,
  type Preset,
  presets,
} from '../../src/index.ts';

const call = (id: string | undefined, path = 'a', more: object = {}) => ({
  id,
  tool: 'read_file',
  args: { path },
  ...more,
});
const actions = (decisions: readonly Decision[]) => decisions.map(({ action }) => action);
/** zagens, with the habits under test. */
const zagens = (more: Partial<Preset>): Preset => ({ ...presets.zagens, ...more });

describe('call ids', () => {
  it('count once, however often a call is presented before its result', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 5; i++) expect(guard.before(call('1')).action).toBe('allow');
    expect(guard.state.calls).toBe(1);
    expect(guard.before(call('2')).action).toBe('allow');
    expect(guard.before(call('3')).action).toBe('block');
  });

  it('get the same answer again, and nobody hears of it twice', () => {
    const heard: Intervention[] = [];
    const guard = createGuard({ preset: 'zagens', onDecision: (decision) => heard.push(decision) });
    guard.before(call('1'));
    guard.before(call('2'));
    const blocked = guard.before(call('3'));
    expect(blocked.action).toBe('block');
    expect(guard.before(call('3'))).toEqual(blocked);
    expect(heard).toHaveLength(1);
  });

  it('count once after their result, too', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 5; i++) {
      expect(guard.before(call('1')).action).toBe('allow');
      guard.after(call('1'), 'text');
    }
    expect(guard.state.calls).toBe(1);
  });

  it('that stand for another call are another call', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 3; i++) guard.before({ id: 'call_0', tool: 'read_file', args: { i } });
    expect(guard.state.calls).toBe(3);
    for (let i = 0; i < 3; i++) {
      guard.before(call(`same ${i}`));
    }
    expect(guard.before({ id: 'same 2', tool: 'write_file', args: {} }).action).toBe('allow');
    const reused = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 4; i++) {
      reused.before({ id: 'call_0', tool: 'read_file', args: { i } });
      reused.after({ id: 'call_0', tool: 'read_file', args: { i } }, 'text');
    }
    expect(reused.state.calls).toBe(4);
  });

  it('of the last eight finished calls are known', () => {
    const guard = createGuard({ preset: 'koda' });
    for (let i = 0; i < 9; i++) {
      guard.before(call(`${i}`, `${i}`));
      guard.after(call(`${i}`, `${i}`), 'text');
    }
    guard.before(call('1', '1'));
    expect(guard.state.calls).toBe(9);
    guard.before(call('0', '0'));
    expect(guard.state.calls).toBe(10);
  });

  it('may be used again in a new turn, as some providers do', () => {
    const guard = createGuard({ preset: 'zagens' });
    const answers: Decision[] = [];
    for (let i = 0; i < 3; i++) {
      guard.accept({ type: 'turn' });
      answers.push(guard.before(call('call_0')));
      guard.after(call('call_0'), 'text');
    }
    expect(actions(answers)).toEqual(['allow', 'allow', 'block']);
  });

  it('are kept across turns while their call is open', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'turn' });
    guard.before(call('1'));
    guard.accept({ type: 'turn' });
    guard.before(call('1'));
    expect(guard.state.calls).toBe(1);
  });

  it('belong to an agent', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.before(call('1'));
    guard.before(call('1', 'a', { agent: 'worker' }));
    expect(guard.state.calls).toBe(2);
    guard.after(call('1', 'a', { agent: 'worker' }), 'text');
    expect(guard.before(call('1', 'a', { agent: 'worker' })).action).toBe('allow');
    expect(guard.state.calls).toBe(2);
  });

  it('get the halt again that their block led to', () => {
    const guard = createGuard({ preset: 'deepseek-tui' });
    for (let i = 1; i < 10; i++) guard.before(call(`${i}`));
    const halted = guard.before(call('10'));
    expect(halted.action).toBe('halt');
    expect(guard.before(call('10'))).toEqual(halted);
    expect(guard.before(call('9')).action).toBe('block');
  });

  it('of a block are kept for another agent when one takes its turn', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const id of ['1', '2', '3']) guard.before(call(id, 'a', { agent: 'worker' }));
    guard.accept({ type: 'turn' });
    expect(guard.before(call('3', 'a', { agent: 'worker' })).action).toBe('block');
    expect(guard.state.calls).toBe(3);
    guard.accept({ type: 'turn', agent: 'worker' });
    guard.before(call('3', 'a', { agent: 'worker' }));
    expect(guard.state.calls).toBe(4);
  });

  it('of a sub-agent are not forgotten at a turn of the main agent', () => {
    const guard = createGuard({ preset: 'zagens' });
    const one = call('1', 'a', { agent: 'worker' });
    guard.before(one);
    guard.after(one, 'text');
    for (const event of [{ type: 'turn' }, { type: 'user' }] satisfies AgentEvent[]) guard.accept(event);
    guard.before(one);
    expect(guard.state.calls).toBe(1);
  });

  it('are kept at the end of a round', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.before(call('1'));
    guard.after(call('1'), 'text');
    guard.accept({ type: 'round-done' });
    guard.before(call('1'));
    expect(guard.state.calls).toBe(1);
  });

  it('of a round that was taken back count again', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 2; i++) {
      guard.accept({ type: 'turn' });
      guard.before(call('1'));
      guard.after(call('1'), 'text');
      if (i === 0) guard.accept({ type: 'rewind' });
    }
    expect(guard.state.calls).toBe(2);
    expect(guard.state.agents[0]?.detectors[0]).toHaveLength(1);
  });

  it('of a call that was held are free once a person lets the agent go on', () => {
    const guard = createGuard({ preset: 'koda' });
    for (let i = 0; i < 200; i++) {
      guard.before(call(`${i}`, `${i}`));
      guard.after(call(`${i}`, `${i}`), 'text');
    }
    expect(guard.before(call('held')).action).toBe('ask');
    expect(guard.before(call('held')).action).toBe('ask');
    guard.grant(50);
    expect(guard.before(call('held')).action).toBe('allow');
    expect(guard.state.calls).toBe(201);
    const other = createGuard({ preset: 'zagens' });
    for (const id of ['1', '2', '3']) other.before(call(id));
    other.grant(50);
    expect(other.before(call('3')).action).toBe('block');
    other.accept({ type: 'control', do: 'approve' });
    expect(other.before(call('3')).action).toBe('allow');
    other.after(call('3'), 'text');
    expect(other.state.open.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it.each([true, false])(
    'of a call that was stopped are free after a person has written (attended: %s)',
    (attended) => {
      const guard = createGuard({ attended });
      const again = () => {
        guard.accept({ type: 'turn' });
        const { action } = guard.before(call('0'));
        if (action === 'allow') guard.after(call('0'), 'nothing was found in all of these files');
        if (action === 'allow' || action === 'block') guard.delivered();
        return action;
      };
      for (let i = 0; i < 6; i++) again();
      expect(again()).toBe(attended ? 'ask' : 'halt');
      guard.accept({ type: 'user' });
      expect(again()).toBe('allow');
    },
  );

  it('may be numbers, and very long', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'tool-call', id: 7, tool: 't', args: {} } as unknown as AgentEvent);
    guard.accept({ type: 'tool-call', id: 7, tool: 't', args: {} } as unknown as AgentEvent);
    expect(guard.state.calls).toBe(1);
    const long = 'x'.repeat(1000);
    guard.before(call(`${long}1`));
    guard.before(call(`${long}1`));
    guard.before(call(`${long}2`));
    expect(guard.state.calls).toBe(3);
    expect(JSON.stringify(guard.state).length).toBeLessThan(3000);
  });
});

describe('results', () => {
  /** Which calls were recorded as failed, by the number of the call. */
  function failing(events: readonly AgentEvent[]): number[] {
    const preset = {
      ...presets.zagens,
      ladder: [{ on: 'failure-streak', at: 1, action: 'nudge' as const, message: 'failed' }],
      detectors: { 'failure-streak': { kind: 'failure-streak' } },
    };
    const calls: number[] = [];
    const guard = createGuard({ preset, onDecision: (decision) => calls.push(decision.call) });
    for (const event of events) guard.accept(event);
    return calls;
  }
  const made = (args: Json, id?: string, agent?: string): AgentEvent => ({
    type: 'tool-call',
    id,
    tool: 't',
    args,
    agent,
  });
  const ended = (more: object): AgentEvent =>
    ({ type: 'tool-result', status: 'error', output: '', ...more }) as AgentEvent;

  it('pair by id, in any order', () => {
    expect(failing([made(1, 'a'), made(2, 'b'), ended({ id: 'b' }), ended({ id: 'a' })])).toEqual([2, 1]);
  });

  it('pair by tool and arguments without ids, first in first out', () => {
    const same = { tool: 't', args: { x: 1 } };
    expect(failing([made({ x: 1 }), made({ y: 1 }), made({ x: 1 }), ended(same), ended(same)])).toEqual([
      1, 3,
    ]);
    expect(failing([made({ x: 1 }), ended({ tool: 't', args: '{ "x": 1 }' })])).toEqual([1]);
    expect(failing([made({ x: 1 }), ended({ tool: 't', args: { x: 2 } })])).toEqual([]);
    expect(failing([made({ x: 1 }), ended({ tool: 'u', args: { x: 1 } })])).toEqual([]);
  });

  it('pair by the tool, or with the oldest call, where the host shows no more', () => {
    expect(failing([made(1), made(2), ended({ tool: 't' }), ended({})])).toEqual([1, 2]);
    expect(failing([made(1), ended({ tool: 'u' })])).toEqual([]);
  });

  it('told without arguments pair by the tool', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 2; i++) {
      guard.before({ tool: 't', args: { i } });
      guard.after({ tool: 't' }, { output: '', ok: false });
    }
    guard.before({ tool: 't', args: { i: 2 } });
    expect(guard.after({ tool: 't' }, { output: '', ok: false }).action).toBe('nudge');
  });

  it('with an id that no call has belong to a call without one', () => {
    expect(failing([made(1, 'a'), made(2), ended({ id: 'zzz', tool: 't', args: 2 })])).toEqual([2]);
    expect(failing([made(1, 'a'), ended({ id: 'zzz', tool: 't', args: 1 })])).toEqual([]);
  });

  it('without an id find the call that has one', () => {
    expect(failing([made(1, 'a'), made(2, 'b'), ended({ tool: 't', args: 2 })])).toEqual([1]);
  });

  it('belong to the agent of their call, and to no other', () => {
    expect(failing([made(1, 'a', 'worker'), ended({ id: 'a' })])).toEqual([1]);
    expect(
      failing([made(1, 'a', 'worker'), made(1, 'a', 'other'), ended({ id: 'a', agent: 'other' })]),
    ).toEqual([2]);
    expect(failing([made(1, 'a', 'worker'), ended({ id: 'a', agent: 'other' })])).toEqual([]);
  });

  it('count once', () => {
    expect(failing([made(1, 'a'), ended({ id: 'a' }), ended({ id: 'a' })])).toEqual([1]);
    expect(failing([made(1), ended({ tool: 't', args: 1 }), ended({ tool: 't', args: 1 })])).toEqual([1]);
  });

  it('of a call that was blocked are already known', () => {
    const guard = createGuard({ preset: 'deepseek-tui' });
    for (const id of ['1', '2']) {
      guard.before(call(id));
      guard.after(call(id), { output: '', ok: false });
    }
    const blocked = guard.before(call('3'));
    expect(blocked.action).toBe('block');
    expect(guard.after(call('3'), { output: 'refused', ok: false }).action).toBe('allow');
  });

  it('that a host tells in its own way are understood', () => {
    const told = (result: unknown) => {
      const guard = createGuard({ preset: 'zagens' });
      const answers = [1, 2, 3].map((n) => {
        guard.before({ tool: 't', args: { n } });
        return guard.after({ tool: 't', args: { n } }, result as never).action;
      });
      return answers[2];
    };
    expect(told({ output: 'boom', status: 'failed', ok: false })).toBe('nudge');
    expect(told({ content: [{ text: 'boom' }], isError: true })).toBe('nudge');
    expect(told({ output: 'fine', status: 'weird' })).toBe('allow');
    const guard = createGuard({ preset: 'atomcode' });
    for (const text of ['a', 'b']) {
      guard.before({ tool: 't' });
      guard.after({ tool: 't' }, [{ type: 'text', text }] as never);
    }
    expect(guard.before({ tool: 't' }).action).toBe('allow');
  });

  it('that never came do not wait beyond a user message where there are no ids', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.before(call(undefined));
    guard.before(call('named'));
    guard.accept({ type: 'user' });
    expect(guard.state.open.map(({ id }) => id)).toEqual(['named']);
  });

  it('of more than 36 open calls are kept for the newest', () => {
    const calls = Array.from({ length: 37 }, (_, index) => made(index, `${index}`));
    expect(failing([...calls, ended({ id: '0' }), ended({ id: '1' })])).toEqual([2]);
  });

  it('are kept for 36 open calls of each agent, and 144 in all', () => {
    const guard = createGuard({ preset: 'zagens' });
    const openOf = (agent: string) => guard.state.open.filter((one) => one.agent === agent).length;
    const begin = (agent: string, count: number) => {
      for (let n = 0; n < count; n++) guard.before(call(`${agent}${n}`, `${n}`, { agent }));
    };
    for (const agent of ['a', 'b', 'c', 'd']) begin(agent, 37);
    expect(['a', 'b', 'c', 'd'].map(openOf)).toEqual([36, 36, 36, 36]);
    begin('e', 2);
    expect(['a', 'b', 'c', 'd', 'e'].map(openOf)).toEqual([34, 36, 36, 36, 2]);
    expect(guard.state.open[0]?.id).toBe('a3');
  });
});

describe('rounds', () => {
  it('count duplicates once where the preset says so, and share the answer', () => {
    const guard = createGuard({ preset: zagens({ duplicates: 'once' }) });
    const answers: Decision[] = [];
    for (let round = 0; round < 3; round++) {
      guard.accept({ type: 'turn' });
      for (const id of ['a', 'b', 'c']) answers.push(guard.before(call(`${round}${id}`)));
      for (const id of ['a', 'b', 'c']) guard.after(call(`${round}${id}`), 'text');
    }
    expect(actions(answers)).toEqual([...Array(6).fill('allow'), 'block', 'block', 'block']);
  });

  it('count duplicates each where the preset says nothing', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'turn' });
    expect(actions(['a', 'b', 'c'].map((id) => guard.before(call(id))))).toEqual(['allow', 'allow', 'block']);
  });

  it('count duplicates once, also when results come in between', () => {
    const guard = createGuard({ preset: zagens({ duplicates: 'once' }) });
    guard.accept({ type: 'turn' });
    for (let i = 0; i < 4; i++) {
      expect(guard.before(call(undefined)).action).toBe('allow');
      guard.after(call(undefined), 'text');
    }
    guard.accept({ type: 'turn' });
    expect(guard.state.open).toEqual([]);
  });

  it('are not judged anew by a poll at their end', () => {
    const guard = createGuard({ preset: 'koda', tools: { wait: { poll: true } } });
    guard.accept({ type: 'turn' });
    for (let i = 0; i < 5; i++) guard.before(call(`${i}`));
    guard.before({ id: 'wait', tool: 'wait', args: {} });
    expect(guard.accept({ type: 'round-done' }).action).toBe('nudge');
  });

  it('do not share answers between different calls, rounds or agents', () => {
    const guard = createGuard({ preset: zagens({ duplicates: 'once' }) });
    guard.accept({ type: 'turn' });
    guard.before(call('1'));
    guard.before(call('2', 'b'));
    guard.before(call('3', 'a', { agent: 'worker' }));
    guard.accept({ type: 'turn' });
    guard.before(call('4'));
    expect(guard.state.agents.find(({ agent }) => agent === '')?.detectors[0]).toMatchObject([
      [expect.any(Number), 2, 1, 4],
      [expect.any(Number), 1, 0, 2],
    ]);
  });

  it('are single calls where the host shows none', () => {
    const guard = createGuard({ preset: 'koda' });
    for (let i = 0; i < 4; i++) guard.before(call(undefined));
    expect(guard.state.agents[0]?.rounds).toBe(4);
    expect(guard.before(call(undefined)).action).toBe('nudge');
  });

  it('end at the next turn, at a user message or when the host says so', () => {
    for (const end of [{ type: 'turn' }, { type: 'user' }, { type: 'round-done' }] satisfies AgentEvent[]) {
      const guard = createGuard({ preset: 'koda' });
      guard.accept({ type: 'turn' });
      for (let i = 0; i < 5; i++) {
        expect(guard.before(call(`${i}`)).action).toBe('allow');
        expect(guard.after(call(`${i}`), 'text').action).toBe('allow');
      }
      expect(guard.accept(end)).toMatchObject({ action: 'nudge', call: 5 });
      expect(guard.accept(end).action).toBe('allow');
    }
  });

  it('are judged once, when the calls are known', () => {
    const guard = createGuard({ preset: 'koda' });
    guard.accept({ type: 'turn' });
    for (let i = 0; i < 5; i++) guard.before(call(`${i}`));
    expect(guard.accept({ type: 'calls-known' }).action).toBe('nudge');
    expect(guard.accept({ type: 'round-done' }).action).toBe('allow');
  });
});

describe('sub-agents', () => {
  it('have histories of their own', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const agent of [undefined, 'x', 'y']) {
      expect(guard.before(call(undefined, 'a', { agent })).action).toBe('allow');
      expect(guard.before(call(undefined, 'a', { agent })).action).toBe('allow');
    }
    for (const agent of [undefined, 'x', 'y'])
      expect(guard.before(call(undefined, 'a', { agent })).action).toBe('block');
  });

  it('share one where the preset rolls them up', () => {
    const guard = createGuard({ preset: zagens({ agents: 'together' }) });
    const answers = ['x', 'y', undefined].map((agent) => guard.before(call(undefined, 'a', { agent })));
    expect(actions(answers)).toEqual(['allow', 'allow', 'block']);
  });

  it('are forgotten beyond 32, the longest idle first, the main agent never', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const agent of [undefined, 'first', 'second']) {
      guard.before(call(undefined, 'a', { agent }));
      guard.before(call(undefined, 'a', { agent }));
    }
    for (let i = 0; i < 30; i++) guard.before(call(undefined, 'a', { agent: `agent ${i}` }));
    expect(guard.state.agents).toHaveLength(32);
    expect(guard.before(call(undefined, 'a', { agent: 'second' })).action).toBe('block');
    expect(guard.before(call(undefined, 'a')).action).toBe('block');
    expect(guard.before(call(undefined, 'a', { agent: 'first' })).action).toBe('allow');
  });

  it('that work in turn and all loop are each stopped', () => {
    const guard = createGuard({ preset: 'recommended' });
    const agents = Array.from({ length: 20 }, (_, n) => `helper#${n}`);
    const stopped = new Set<string>();
    for (let round = 0; round < 12; round++)
      for (const agent of agents) {
        guard.accept({ type: 'turn', agent });
        const one = call(`${agent} ${round}`, 'a', { agent });
        const { action } = guard.before(one);
        if (action === 'ask') stopped.add(agent);
        if (action === 'allow' && guard.after(one, 'Nothing was found.').action === 'nudge')
          guard.accept({ type: 'control', do: 'delivered', agent });
      }
    expect([...stopped]).toEqual(agents);
    expect(JSON.stringify(guard.state).length).toBeLessThan(131_072);
  });

  it('are named in the decision, the main agent is not', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const agent of [undefined, 'worker']) {
      for (let i = 0; i < 2; i++) guard.before(call(undefined, 'a', { agent }));
    }
    expect(guard.before(call(undefined, 'a', { agent: 'worker' }))).toMatchObject({ agent: 'worker' });
    expect(Object.keys(guard.before(call(undefined)))).toEqual([
      'action',
      'level',
      'message',
      'finding',
      'call',
    ]);
  });

  it('stand once in the state, the last active first', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const agent of ['x', 'y', undefined, 'x', 'x', 'y']) guard.before(call(undefined, 'a', { agent }));
    expect(guard.state.agents.map(({ agent }) => agent)).toEqual(['y', 'x', '']);
    expect(guard.state.undo.map(({ agent }) => agent)).toEqual(['y', 'x']);
  });

  it('with very long names stay apart and small', () => {
    const guard = createGuard({ preset: 'zagens' });
    const long = 'agent '.repeat(50);
    for (let i = 0; i < 3; i++)
      expect(guard.before(call(undefined, 'a', { agent: `${long}${i}` })).action).toBe('allow');
    expect(guard.state.agents).toHaveLength(4);
    expect(guard.state.agents.every(({ agent }) => agent.length <= 64)).toBe(true);
  });
});

describe('a rewind', () => {
  it('takes back what the open round counted', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'turn' });
    guard.before(call('1'));
    guard.after(call('1'), 'text');
    for (let retry = 0; retry < 5; retry++) {
      guard.accept({ type: 'turn' });
      expect(guard.before(call(`retry ${retry}`)).action).toBe('allow');
      guard.accept({ type: 'rewind' });
    }
    expect(guard.before(call('2')).action).toBe('allow');
    expect(guard.before(call('3')).action).toBe('block');
  });

  it('takes back one call where the host shows no rounds', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let retry = 0; retry < 5; retry++) {
      expect(guard.before(call(undefined)).action).toBe('allow');
      guard.accept({ type: 'rewind' });
    }
    expect(
      actions([guard.before(call(undefined)), guard.before(call(undefined)), guard.before(call(undefined))]),
    ).toEqual(['allow', 'allow', 'block']);
  });

  it('does nothing once the round has ended, and nothing twice', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'rewind' });
    guard.accept({ type: 'turn' });
    guard.before(call('1'));
    guard.accept({ type: 'round-done' });
    guard.accept({ type: 'rewind' });
    guard.accept({ type: 'turn' });
    guard.before(call('2'));
    guard.accept({ type: 'rewind' });
    guard.accept({ type: 'rewind' });
    expect(guard.before(call('3')).action).toBe('allow');
    expect(guard.before(call('4')).action).toBe('block');
  });

  it('finds the agent that is meant', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (const agent of ['x', 'y']) {
      guard.before(call(undefined, 'a', { agent }));
      guard.after(call(undefined, 'a', { agent }), 'text');
      guard.before(call(undefined, 'b', { agent }));
    }
    guard.accept({ type: 'rewind', agent: 'x' });
    expect(guard.state.undo.map(({ agent }) => agent)).toEqual(['y']);
    expect(
      guard.state.agents.map(({ agent, detectors }) => [agent, (detectors[0] as Json[]).length]),
    ).toEqual([
      ['x', 1],
      ['y', 2],
      ['', 0],
    ]);
    expect(guard.state.open.map(({ agent }) => agent)).toEqual(['y']);
  });

  it('drops the open calls of the round, and leaves other agents alone', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'turn' });
    guard.accept({ type: 'turn', agent: 'worker' });
    guard.before(call('1'));
    guard.before(call('2', 'a', { agent: 'worker' }));
    guard.accept({ type: 'rewind' });
    expect(guard.state.open.map(({ id }) => id)).toEqual(['2']);
    expect(guard.state.agents.find(({ agent }) => agent === 'worker')?.detectors[0]).toHaveLength(1);
  });
});

describe('a user message', () => {
  it.each([
    ['clear', ['allow', 'allow']],
    ['keep', ['block', 'nudge']],
    ['keep-failures', ['allow', 'nudge']],
  ] as const)('%s', (userBoundary, expected) => {
    const guard = createGuard({ preset: zagens({ userBoundary }) });
    for (const id of ['1', '2']) {
      guard.before(call(id));
      guard.after(call(id), { output: '', ok: false });
    }
    guard.accept({ type: 'user' });
    const repeated = guard.before(call('3'));
    guard.before({ ...call('4'), args: { path: 'other' } });
    const failed = guard.after({ ...call('4'), args: { path: 'other' } }, { output: '', ok: false });
    expect(actions([repeated, failed])).toEqual(expected);
  });
});

describe('strikes', () => {
  const ladder: Preset['ladder'] = [
    { on: 'call-count', at: 2, strikes: 2, action: 'halt', message: 'stop' },
    { on: 'call-count', at: 2, action: 'nudge', message: 'careful' },
  ];
  const detectors = { 'call-count': { kind: 'call-count' } };
  const strike = (guard: ReturnType<typeof createGuard>, path: string) => {
    guard.before(call(undefined, path));
    const decision = guard.before(call(undefined, path));
    guard.delivered();
    return decision.action;
  };

  it('last for the session', () => {
    const guard = createGuard({ preset: zagens({ ladder, detectors, strikes: 'session' }) });
    const answers = ['a', 'b', 'c'].map((path) => {
      guard.accept({ type: 'user' });
      return strike(guard, path);
    });
    expect(answers).toEqual(['nudge', 'nudge', 'halt']);
  });

  it('last for a turn', () => {
    const guard = createGuard({ preset: zagens({ ladder, detectors, strikes: 'turn' }) });
    const answers = ['a', 'b', 'c'].map((path) => {
      guard.accept({ type: 'user' });
      return strike(guard, path);
    });
    expect(answers).toEqual(['nudge', 'nudge', 'nudge']);
    expect([strike(guard, 'd'), strike(guard, 'e')]).toEqual(['nudge', 'halt']);
  });

  it('count for their subject', () => {
    const guard = createGuard({ preset: zagens({ ladder, detectors, strikes: 'subject' }) });
    expect(['a', 'b', 'a', 'b', 'a'].map((path) => strike(guard, path))).toEqual([
      'nudge',
      'nudge',
      'nudge',
      'nudge',
      'halt',
    ]);
  });

  it('count for every nudge that was delivered, where several wait and each is named', () => {
    const wait = (guard: ReturnType<typeof createGuard>) =>
      ['a', 'b'].map((path) => {
        guard.before(call(undefined, path));
        const decision = guard.before(call(undefined, path));
        return decision.action === 'nudge' ? `call-count ${decision.finding.subject}` : decision.action;
      });
    for (const [named, expected] of [
      [true, ['halt', 'halt']],
      [false, [expect.stringMatching(/^call-count/), 'halt']],
    ] as const) {
      const guard = createGuard({ preset: zagens({ ladder, detectors, strikes: 'subject' }) });
      for (let round = 1; round <= 2; round++) {
        const waiting = wait(guard);
        if (named) for (const scope of waiting) guard.accept({ type: 'control', do: 'delivered', scope });
        else guard.delivered();
      }
      guard.accept({ type: 'control', do: 'delivered', scope: 'no-such-detector x' });
      expect(wait(guard)).toEqual(expected);
    }
  });

  it('start the detector of a named nudge anew where its rung says so', () => {
    const anew: Preset['ladder'] = [
      { on: 'call-count', at: 2, forget: true, action: 'nudge', message: 'careful' },
      { on: 'other', at: 2, action: 'nudge', message: 'careful' },
    ];
    const guard = createGuard({
      preset: zagens({
        ladder: anew,
        detectors: { ...detectors, other: { kind: 'tool-streak', tools: ['look'] } },
      }),
    });
    guard.before(call(undefined));
    const decision = guard.before(call(undefined));
    expect(decision.action).toBe('nudge');
    for (let n = 1; n <= 2; n++) guard.before({ tool: 'look', args: { n } });
    if (decision.action !== 'allow')
      guard.accept({ type: 'control', do: 'delivered', scope: `call-count ${decision.finding.subject}` });
    expect(guard.before(call(undefined)).action).toBe('allow');
  });

  it('need a delivery, and count it once', () => {
    const guard = createGuard({ preset: zagens({ ladder, detectors }) });
    for (let i = 0; i < 5; i++) guard.before(call(undefined));
    guard.delivered();
    guard.delivered();
    guard.delivered();
    expect(guard.before(call(undefined)).action).toBe('nudge');
    guard.delivered('worker');
    expect(guard.before(call(undefined)).action).toBe('nudge');
    guard.delivered();
    expect(guard.before(call(undefined)).action).toBe('halt');
  });
});

describe('controls', () => {
  it('switch the guard off and on again', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.before(call(undefined));
    guard.before(call(undefined));
    guard.accept({ type: 'control', do: 'disable' });
    expect(guard.before(call(undefined)).action).toBe('allow');
    expect(guard.state.disabled).toBe(true);
    guard.accept({ type: 'control', do: 'reset' });
    expect(guard.state.disabled).toBe(true);
    for (let i = 0; i < 2; i++) guard.before(call(undefined));
    guard.accept({ type: 'control', do: 'enable' });
    for (let i = 0; i < 2; i++) guard.before(call(undefined));
    expect(guard.before(call(undefined)).action).toBe('block');
  });

  it('approve what was asked or blocked last', () => {
    const guard = createGuard({ preset: 'zagens' });
    guard.accept({ type: 'control', do: 'approve' });
    for (let i = 0; i < 2; i++) guard.before(call(undefined));
    expect(guard.before(call(undefined)).action).toBe('block');
    guard.accept({ type: 'control', do: 'approve' });
    expect(guard.before(call(undefined)).action).toBe('allow');
  });

  it('reset keeps numbering the calls', () => {
    const guard = createGuard({ preset: 'zagens' });
    for (let i = 0; i < 2; i++) guard.before(call(undefined));
    guard.accept({ type: 'control', do: 'reset' });
    expect(guard.before(call(undefined)).action).toBe('allow');
    expect(guard.state.calls).toBe(3);
    guard.reset();
    expect(guard.state.calls).toBe(0);
  });
});

describe('hostile input', () => {
  const cyclic: { [key: string]: unknown } = { name: 'loop' };
  cyclic['self'] = cyclic;
  let deep: unknown = 1;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  const odd: [string, unknown][] = [
    ['circular', cyclic],
    ['deep', deep],
    ['deep JSON', `${'['.repeat(3000)}${']'.repeat(3000)}`],
    [
      '__proto__',
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    ],
    ['malformed', '{"path": "a", '],
    ['undefined', undefined],
    ['a function', { run: () => 1, keep: 1 }],
    ['a bigint', { n: 10n }],
    ['a date', new Date(0)],
    ['not a number', Number.NaN],
    ['huge', { text: 'x'.repeat(200_000) }],
    ['null prototype', Object.assign(Object.create(null), { a: 1 })],
    ['lone surrogate', { text: '\ud800' }],
  ];

  it.each(odd)('%s as arguments is counted by every preset', (_name, args) => {
    for (const preset of ['koda', 'attocode', 'atomcode', 'zagens'] as const) {
      const errors: unknown[] = [];
      const guard = createGuard({ preset, onError: (error) => errors.push(error) });
      const answers: string[] = [];
      for (let i = 0; i < 6; i++) {
        const one = { tool: 'odd', args: args as Json };
        answers.push(guard.before(one).action);
        answers.push(guard.after(one, { output: 'same', ok: true }).action);
      }
      expect(errors).toEqual([]);
      expect(answers.some((action) => action !== 'allow')).toBe(true);
      expect(JSON.stringify(guard.state).length).toBeLessThan(10_000);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('arguments that throw when read are reported and allowed', () => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: 'zagens', onError: (error) => errors.push(error) });
    const trap = {
      get secret(): string {
        throw new Error('no');
      },
    };
    expect(guard.before({ tool: 't', args: trap }).action).toBe('allow');
    expect(errors).toHaveLength(1);
    expect(guard.state.calls).toBe(0);
  });

  it('no call at all is reported and allowed', () => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: 'zagens', onError: (error) => errors.push(error) });
    for (const nothing of [null, undefined, 7]) {
      expect(guard.before(nothing as never).action).toBe('allow');
      expect(guard.after(nothing as never, 'text').action).toBe('allow');
    }
    expect(errors).toHaveLength(5);
  });

  it('a tally that throws costs the swarm, not the guard', () => {
    const errors: unknown[] = [];
    const tally = {
      record: () => {
        throw new Error('no connection');
      },
    };
    const swarm = { tally, worker: 'a' };
    const guard = createGuard({ preset: 'zagens', swarm, onError: (error) => errors.push(error) });
    expect(actions([guard.before(call('1')), guard.before(call('2')), guard.before(call('3'))])).toEqual([
      'allow',
      'allow',
      'block',
    ]);
    expect(errors).toHaveLength(3);
  });

  it('callbacks that fail later do not reach the host', async () => {
    const errors: unknown[] = [];
    const guard = createGuard({
      preset: 'zagens',
      onDecision: async () => {
        throw new Error('logger down');
      },
      onError: async (error) => {
        errors.push(error);
        throw new Error('and the other');
      },
    });
    for (let i = 0; i < 3; i++) guard.before(call(undefined));
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ message: 'logger down' }]);
  });

  it('calls and results that throw when read do not reach the host', () => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: 'zagens', onError: (error) => errors.push(error) });
    const trap = (name: string) =>
      Object.defineProperty({ tool: 't' }, name, {
        enumerable: true,
        get() {
          throw new Error('no');
        },
      });
    expect(guard.before(trap('args')).action).toBe('allow');
    expect(guard.after({ tool: 't' }, trap('output') as never).action).toBe('allow');
    expect(errors).toHaveLength(2);
  });

  it('a tally that answers nonsense costs the swarm, not the guard', () => {
    const swarm = { tally: { record: async () => ({}) }, worker: 'a' } as never;
    const guard = createGuard({ preset: 'attocode', swarm });
    expect(actions([1, 2, 3].map(() => guard.before(call(undefined))))).toEqual(['allow', 'allow', 'nudge']);
  });

  it('outputs that unfold without end are cut where fields are left out', () => {
    const guard = createGuard({ preset: 'atomcode', tools: { t: { volatile: ['at'] } } });
    const circle: { [key: string]: unknown } = {};
    circle['a'] = circle;
    circle['b'] = circle;
    for (let i = 0; i < 2; i++) {
      guard.before({ tool: 't', args: {} });
      guard.after({ tool: 't', args: {} }, { output: circle as Json });
    }
    expect(guard.before({ tool: 't', args: {} }).action).toBe('block');
  });

  it('callbacks that throw do not reach the host', () => {
    const errors: unknown[] = [];
    const guard = createGuard({
      preset: 'zagens',
      onDecision: () => {
        throw new Error('mine');
      },
      onError: (error) => {
        errors.push(error);
        throw new Error('mine, too');
      },
    });
    for (let i = 0; i < 3; i++) guard.before(call(undefined));
    expect(errors).toMatchObject([{ message: 'mine' }]);
  });

  it.each([
    null,
    undefined,
    7,
    'tool-call',
    [],
    {},
    { type: 7 },
    { type: 'tool-call' },
    { type: 'tool-call', tool: 7 },
    { type: 'tool-call', tool: 't', id: {} },
    { type: 'tool-call', tool: 't', agent: 7 },
    { type: 'turn', text: 7 },
    { type: 'text-delta' },
    { type: 'control', do: 'explode' },
    { type: 'control', do: 'grant', n: -1 },
    { type: 'control', do: 'grant', n: Number.NaN },
    { type: 'swarm-tally', key: 1, calls: 1, workers: 1 },
    { type: 'swarm-tally', key: 'k', calls: '1', workers: 1 },
    { type: 'swarm-tally', key: 'k', calls: 1, workers: null },
    { type: 'swarm-tally', key: 'k', calls: 1, workers: 1, tool: 1 },
    { type: 'verdict', stuck: 'very' },
    { type: 'tool-result', tool: 7 },
  ])('%j is no event: reported and allowed', (raw) => {
    const errors: { code?: string; message?: string }[] = [];
    const guard = createGuard({
      preset: 'zagens',
      onError: (error) => errors.push(error as { code: string }),
    });
    expect(guard.accept(raw as unknown as AgentEvent)).toEqual({ action: 'allow' });
    expect(errors).toMatchObject([{ code: 'event' }]);
  });

  it.each([
    { type: 'from the future', anything: 1 },
    { type: 'session', source: 'x' },
    { type: 'compaction' },
    { type: 'spawn', to: 'x' },
    { type: 'text-delta', channel: 'content', text: 'x' },
    { type: 'verdict', stuck: 0.5 },
  ])('%j changes nothing', (raw) => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: 'zagens', onError: (error) => errors.push(error) });
    const before = guard.state;
    expect(guard.accept(raw as unknown as AgentEvent)).toEqual({ action: 'allow' });
    expect(guard.state).toEqual(before);
    expect(errors).toEqual([]);
  });
});

describe('tool declarations', () => {
  const looped = (
    tools: object,
    n: number,
    args: (index: number) => Json = () => ({ path: 'a' }),
    preset: 'zagens' | 'koda' | 'atomcode' = 'zagens',
  ) => {
    const guard = createGuard({ preset, tools: tools as never });
    return Array.from({ length: n }, (_, index) => {
      const one = { tool: 'read_file', args: args(index) };
      const { action } = guard.before(one);
      const later = guard.after(one, { output: `{"n":1,"at":${index}}`, ok: true });
      return action === 'allow' ? later.action : action;
    });
  };

  it('identity names the arguments that matter', () => {
    const args = (index: number) => ({ path: 'a', nonce: index });
    expect(looped({}, 3, args)).toEqual(['allow', 'allow', 'allow']);
    expect(looped({ read_file: { identity: ['path'] } }, 3, args)).toEqual(['allow', 'allow', 'block']);
    expect(looped({ 'read_*': { identity: ['path'] } }, 5, args, 'koda')).toEqual([
      'allow',
      'allow',
      'allow',
      'allow',
      'nudge',
    ]);
  });

  it('identity false means that no two calls are the same', () => {
    for (const preset of ['zagens', 'koda', 'atomcode'] as const) {
      expect(new Set(looped({ read_file: { identity: false } }, 8, undefined, preset))).toEqual(
        new Set(['allow']),
      );
    }
  });

  it('identity pairs results without ids, too', () => {
    const guard = createGuard({
      preset: 'atomcode',
      tools: { t: { identity: ['a'] }, u: { identity: false } },
    });
    for (const tool of ['t', 'u']) {
      guard.before({ tool, args: { a: 1, b: 1 } });
      guard.after({ tool, args: { a: 1, b: 2 } }, 'text');
      expect(guard.state.open).toEqual([]);
    }
  });

  it('volatile fields of a JSON output are left out of the comparison', () => {
    expect(looped({}, 3, undefined, 'atomcode')).toEqual(['allow', 'allow', 'allow']);
    expect(looped({ read_file: { volatile: ['at'] } }, 3, undefined, 'atomcode')).toEqual([
      'allow',
      'allow',
      'block',
    ]);
    expect(looped({ read_file: { volatile: ['other'] } }, 3, undefined, 'atomcode')).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
  });

  it('volatile fields are left out wherever they stand, and texts stay as they are', () => {
    const guard = createGuard({ preset: 'atomcode', tools: { t: { volatile: ['id'] } } });
    const outputs: Json[] = ['{"list":[{"id":1,"x":1}]}', { list: [{ id: 2, x: 1 }] }];
    for (const output of outputs) {
      guard.before({ tool: 't', args: {} });
      guard.after({ tool: 't', args: {} }, { output });
    }
    expect(guard.before({ tool: 't', args: {} }).action).toBe('block');
    const text = createGuard({ preset: 'atomcode', tools: { t: { volatile: ['id'] } } });
    for (const output of ['id 1', 'id 2']) {
      text.before({ tool: 't', args: {} });
      text.after({ tool: 't', args: {} }, output);
    }
    expect(text.before({ tool: 't', args: {} }).action).toBe('allow');
  });

  it('a poll may repeat itself, but not fail for ever', () => {
    for (const preset of ['zagens', 'koda', 'atomcode'] as const) {
      expect(new Set(looped({ read_file: { poll: true } }, 9, undefined, preset))).toEqual(
        new Set(['allow']),
      );
    }
    const guard = createGuard({ preset: 'zagens', tools: { read_file: { poll: true } } });
    const answers = [1, 2, 3].map((n) => {
      guard.before(call(`${n}`));
      return guard.after(call(`${n}`), { output: '', ok: false }).action;
    });
    expect(answers).toEqual(['allow', 'allow', 'nudge']);
  });

  it('hold for a swarm, too', () => {
    const run = (tools: object, args: (index: number) => Json) => {
      const tally = createTally();
      const guards = ['a', 'b'].map((worker) =>
        createGuard({ preset: 'attocode', swarm: { tally, worker }, tools: tools as never }),
      );
      const answers = Array.from({ length: 10 }, (_, index) => {
        const guard = guards[index % 2];
        guard?.before({ tool: 'other', args: { index } });
        return guard?.before({ tool: 'wait', args: args(index) });
      });
      return answers.at(-1)?.action;
    };
    const same = () => ({ job: 1 });
    expect(run({}, same)).toBe('nudge');
    for (const rules of [{ poll: true }, { identity: false }, { exempt: true }, { noop: true }])
      expect(run({ wait: rules }, same)).toBe('allow');
    const fresh = (index: number) => ({ job: 1, nonce: index });
    expect(run({}, fresh)).toBe('allow');
    expect(run({ wait: { identity: ['job'] } }, fresh)).toBe('nudge');
  });

  it.each(['noop', 'exempt'])('%s: neither counts nor breaks a streak', (flag) => {
    expect(new Set(looped({ read_file: { [flag]: true } }, 9))).toEqual(new Set(['allow']));
    const guard = createGuard({ preset: 'koda', tools: { think: { [flag]: true } } });
    const answers: string[] = [];
    for (let i = 0; i < 5; i++) {
      answers.push(guard.before(call(undefined)).action);
      guard.before({ tool: 'think', args: { thought: `${i}` } });
    }
    expect(answers[4]).toBe('nudge');
  });

  it('effect says what a success does to the world', () => {
    const run = (tool: string, tools: object) => {
      const guard = createGuard({ preset: 'zagens', tools: tools as never });
      guard.before(call('1'));
      guard.before(call('2'));
      guard.before({ id: '3', tool, args: {} });
      guard.after({ id: '3', tool, args: {} }, 'done');
      return guard.before(call('4')).action;
    };
    expect(run('my_writer', {})).toBe('block');
    expect(run('my_writer', { my_writer: { effect: 'write' } })).toBe('allow');
    expect(run('write_file', {})).toBe('allow');
    expect(run('write_file', { write_file: { effect: 'none' } })).toBe('block');
  });

  it('at gives a tool thresholds of its own', () => {
    expect(looped({ read_file: { at: { block: 2 } } }, 3)).toEqual(['allow', 'block', 'block']);
    expect(looped({ read_file: { at: { block: 5 } } }, 5)).toEqual([
      'allow',
      'allow',
      'allow',
      'allow',
      'block',
    ]);
    expect(looped({ other: { at: { block: 2 } } }, 3)).toEqual(['allow', 'allow', 'block']);
  });

  it('hold for very long names', () => {
    const tool = 'mcp__'.repeat(30);
    const guard = createGuard({ preset: 'zagens', tools: { [tool]: { identity: ['a'], effect: 'write' } } });
    for (let i = 0; i < 3; i++) {
      const one = { tool, args: { a: 1, nonce: i } };
      expect(guard.before(one).action).toBe('allow');
      guard.after({ tool, args: { a: 1, nonce: 7 } }, 'text');
    }
    expect(guard.state.open).toEqual([]);
    expect(
      createGuard({ preset: 'zagens', tools: { [tool]: { exempt: true } } }).before({ tool }).action,
    ).toBe('allow');
  });

  it('the exact name wins over a pattern, and an earlier pattern over a later one', () => {
    const args = (index: number) => ({ path: 'a', nonce: index });
    expect(looped({ '*': { exempt: true }, read_file: { identity: ['path'] } }, 3, args)).toEqual([
      'allow',
      'allow',
      'block',
    ]);
    expect(looped({ 'read*': { identity: ['path'] }, '*': { exempt: true } }, 3, args)).toEqual([
      'allow',
      'allow',
      'block',
    ]);
  });
});
