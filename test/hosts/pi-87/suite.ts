import { Agent } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream, Type } from '@earendil-works/pi-ai';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/pi/index.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again } from '../driver.ts';
import { MODEL, type Pi, piHost, scriptedStream } from '../pi.ts';
import { testPi } from '../pi-cases.ts';

const pi: Pi = {
  name: 'pi 0.87.1',
  createAgent: (options) => new Agent(options as never) as never,
  createStream: () => createAssistantMessageEventStream() as never,
};

for (const toolExecution of ['parallel', 'sequential'] as const)
  testAdapter(piHost(pi, toolExecution), { describe, it });
testPi(pi);

describe(`${pi.name}: a run that its program ends after some turns`, () => {
  it('leaves nothing in the queue to say', async () => {
    let turns = 0;
    const execute = async () => ({ content: [{ type: 'text' as const, text: 'Nothing.' }], details: {} });
    const look = { name: 'look', label: 'look', description: 'Looks.', parameters: Type.Object({}), execute };
    const agent = new Agent({
      streamFn: scriptedStream(pi, () => again(turns)) as never,
      initialState: { model: MODEL as never, tools: [look] },
      finishTurn: async () => (++turns === 3 ? { action: 'end' } : undefined),
    });
    const heard: string[] = [];
    const guard = deloop({ onDecision: ({ action }) => heard.push(action) });
    await guard(agent).prompt('Find it.');
    expect(heard).toEqual(['nudge']);
    expect(agent.hasQueuedMessages()).toBe(false);
  });
});
