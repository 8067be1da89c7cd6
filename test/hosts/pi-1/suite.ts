import { Agent, type AgentEvent, type AgentToolResult, runToolCall } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream, Type } from '@earendil-works/pi-ai';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/pi/index.ts';
import type { AgentEvent as AgentStep } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, thrifty } from '../driver.ts';
import { MODEL, type Pi, piHost, scriptedStream } from '../pi.ts';
import { testPi } from '../pi-cases.ts';

const pi: Pi = {
  name: 'pi 1.3.0',
  createAgent: (options) => new Agent(options as never) as never,
  createStream: () => createAssistantMessageEventStream() as never,
};

for (const toolExecution of ['parallel', 'sequential'] as const)
  testAdapter(piHost(pi, toolExecution), { describe, it });
testPi(pi);

describe(`${pi.name}: a run that its program keeps going`, () => {
  it('is told that it only talks, in the place of going on', async () => {
    const requests: string[] = [];
    const stream = scriptedStream(pi, ({ sent }) => {
      requests.push(sent);
      return { text: 'Still working on it.' };
    });
    const agent = new Agent({
      streamFn: stream as never,
      initialState: { model: MODEL as never },
      finishTurn: async () => ({ action: 'continue' }),
    });
    const said: string[] = [];
    const guard = deloop({ onDecision: ({ action, message }) => action === 'nudge' && said.push(message) });
    await guard(agent).prompt('Find it.');
    expect(said.length).toBeGreaterThan(0);
    for (const text of said) expect(requests.at(-1)).toContain(JSON.stringify(text).slice(1, -1));
    expect(guard.stopped).not.toBeNull();
  });

  it('is stopped, although a summary is made before each response', async () => {
    let responses = 0;
    const agent = new Agent({
      streamFn: scriptedStream(pi, ({ tools }) => {
        responses += 1;
        return tools && responses < 60 ? again(responses) : { text: 'Report.' };
      }) as never,
      initialState: { model: MODEL as never, tools: [toolOf('look', async () => textOf('Nothing.'))] },
      async prepareRequest() {
        await agent.streamFunction(MODEL as never, { messages: [] } as never);
        return undefined;
      },
    });
    const guard = deloop();
    await guard(agent).prompt('Find it.');
    expect([guard.stopped?.detector, responses]).toEqual(['no-progress', 16]);
  });
});

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

const parameters = Type.Object({});
const toolOf = (name: string, execute: () => Promise<AgentToolResult<object>>) => ({
  name,
  label: name,
  description: name,
  parameters,
  execute,
});
const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }], details: {} });

describe(`${pi.name}: results of tools`, () => {
  it('that are errors without being thrown are failures', async () => {
    let turns = 0;
    const build = async () => ({ ...textOf(`target ${turns}: the config is not valid`), isError: true });
    const agent = new Agent({
      streamFn: scriptedStream(pi, ({ tools }) =>
        tools ? { calls: [callOf(++turns, 'build', { target: turns })] } : { text: 'Report.' },
      ) as never,
      initialState: { model: MODEL as never, tools: [toolOf('build', build)] },
    });
    const events: AgentStep[] = [];
    const guard = deloop({ onDecision: (_, event) => events.push(event) });
    await guard(agent).prompt('Build it.');
    expect(guard.stopped).not.toBeNull();
    expect(events[0]).toMatchObject({ type: 'tool-result', status: 'error' });
  });

  it('keep the data that programs read when the model is told that it has the text', async () => {
    const output = 'warning: unused variable\n'.repeat(200);
    const look = async () => ({ ...textOf(output), structuredContent: { warnings: 200 } });
    const agent = new Agent({
      streamFn: scriptedStream(pi, () => (++turns <= 2 ? again(turns) : { text: 'Done.' })) as never,
      initialState: { model: MODEL as never, tools: [toolOf('look', look)] },
    });
    let turns = 0;
    const ended: AgentToolResult<object>[] = [];
    agent.subscribe((event: AgentEvent) => {
      if (event.type === 'tool_execution_end') ended.push(event.result);
    });
    await deloop({ preset: thrifty })(agent).prompt('Look.');
    expect(ended.map(({ structuredContent }) => structuredContent)).toEqual([
      { warnings: 200 },
      { warnings: 200 },
    ]);
    expect(JSON.stringify(ended[1]?.content)).toContain('The same as before.');
  });

  it('that a tool asks of another are watched, and go to it whole', async () => {
    const output = 'warning: unused variable\n'.repeat(200);
    const inner = toolOf('look', async () => textOf(output));
    let turns = 0;
    let asked = 0;
    const got: { readonly isError: boolean; readonly text: string }[] = [];
    const script = async () => {
      const call = { type: 'toolCall' as const, id: `inner-${++asked}`, name: 'look', arguments: {} };
      const { beforeToolCall, afterToolCall } = agent;
      const { isError, result } = await runToolCall(call, {
        assistantMessage: agent.state.messages.at(-1) as never,
        context: { messages: [] },
        tools: [inner],
        ...(beforeToolCall && { beforeToolCall }),
        ...(afterToolCall && { afterToolCall }),
      });
      got.push({ isError, text: JSON.stringify(result.content) });
      return textOf(`done ${asked}`);
    };
    const agent = new Agent({
      streamFn: scriptedStream(pi, ({ tools }) =>
        tools ? { calls: [callOf(++turns, 'script', { n: turns })] } : { text: 'Report.' },
      ) as never,
      initialState: { model: MODEL as never, tools: [toolOf('script', script)] },
    });
    const guard = deloop({ preset: thrifty });
    await guard(agent).prompt('Look.');
    expect(got.slice(0, 4).map(({ text }) => text.split('warning: unused').length)).toEqual([
      201, 201, 201, 201,
    ]);
    expect(got[4]?.isError).toBe(true);
    expect(guard.stopped).not.toBeNull();
  });
});
