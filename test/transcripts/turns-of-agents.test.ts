import { expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { createTurnsOfAgents } from '../../src/transcripts/turns-of-agents.ts';

function recorded() {
  const events: AgentEvent[] = [];
  const turns = createTurnsOfAgents({ event: (event) => events.push(event), facts() {}, problem() {} });
  return { turns, told: () => events.map(({ type, agent }) => `${type} ${agent ?? 'main'}`) };
}

function begin({ of }: ReturnType<typeof createTurnsOfAgents>, id: string, agent?: string): void {
  of(agent).begin(id, { agent }, 1);
}

it('passes a response of the main agent on before a sub-agent speaks, and the other way round', () => {
  const { turns, told } = recorded();
  begin(turns, 'm1');
  begin(turns, 'a1', 'a');
  expect(told()).toEqual(['turn main']);
  begin(turns, 'm2');
  expect(told()).toEqual(['turn main', 'turn a']);
  turns.close();
  expect(told()).toEqual(['turn main', 'turn a', 'turn main']);
});

it('keeps responses of sub-agents open side by side, and takes late parts of those that were passed on', () => {
  const { turns, told } = recorded();
  begin(turns, 'a1', 'a');
  begin(turns, 'b1', 'b');
  begin(turns, 'a1', 'a');
  turns.of('a').add({ type: 'tool-call', tool: 'x', args: null, agent: 'a' }, 1);
  expect(told()).toEqual([]);
  begin(turns, 'm1');
  expect(told()).toEqual(['turn a', 'tool-call a', 'turn b']);
  begin(turns, 'a1', 'a');
  turns.of('a').add({ type: 'tool-call', tool: 'x', args: null, agent: 'a' }, 1);
  expect(told().slice(3)).toEqual(['turn main', 'tool-call a']);
});

it('remembers 64 sub-agents', () => {
  const { turns, told } = recorded();
  for (let n = 0; n < 65; n++) begin(turns, `r${n}`, `a${n}`);
  expect(told()).toEqual(['turn a0']);
  turns.close();
  expect(told()).toHaveLength(65);
});
