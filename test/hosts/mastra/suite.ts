import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/mastra/index.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import type { ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, thrifty } from '../driver.ts';
import { mastraHost, scriptedModel, WAYS } from './host.ts';

for (const way of WAYS) testAdapter(mastraHost(way, way === 'generate' ? 'v2' : 'v3'), { describe, it });

const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

function agentOf(
  turn: (n: number) => ScriptedTurn,
  guard: ReturnType<typeof deloop>,
  {
    output = 'Nothing was found.',
    inputSchema = z.object({}).loose(),
    ...rest
  }: { output?: string; inputSchema?: z.ZodType; [name: string]: unknown } = {},
) {
  const { model, requests } = scripted((answer) => scriptedModel(answer), turn);
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: async () => output });
  const settings = { id: 'main', name: 'main', instructions: 'x', tools: { look }, model, ...rest };
  return { agent: guard(new Agent(settings as never) as Agent), requests };
}

describe('Mastra: text', () => {
  for (const [kind, channel] of [
    ['text', 'content'],
    ['reasoning', 'reasoning'],
  ] as const)
    it(`a stream of ${kind} that repeats itself is cut`, async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf(() => ({ [kind]: 'I should check the file again. '.repeat(200) }), guard);
      const result = await (await agent.stream('Think.')).getFullOutput();
      const { length } = kind === 'text' ? result.text : (result.reasoningText ?? '');
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1000);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
    });
});

describe('Mastra: calls', () => {
  it('arguments that are refused are seen as such', async () => {
    const { guard, heard } = listening();
    const inputSchema = z.object({ path: z.string() });
    const { agent } = agentOf((n) => (n <= 4 ? again(n) : { text: 'Done.' }), guard, { inputSchema });
    await agent.generate('Find it.', { maxSteps: 9 });
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'invalid' });
  });

  it('a result that the model has already may be told in a word', async () => {
    const output = 'warning: unused variable\n'.repeat(200);
    const turn = (n: number) => (n <= 2 ? again(n) : { text: 'Done.' });
    const { agent, requests } = agentOf(turn, deloop({ preset: thrifty }), { output });
    await agent.generate('Build it.', { maxSteps: 9 });
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });

  it("counts a step as a round whatever model the user's own prepareStep puts in", async () => {
    const { guard, heard } = listening();
    let n = 0;
    const other = scriptedModel(() => again(++n));
    const { agent } = agentOf(again, guard);
    await agent.generate('Find it.', { maxSteps: 4, prepareStep: () => ({ model: other }) });
    expect(heard.map(({ decision: { action, call } }) => [action, call])).toEqual([['nudge', 3]]);
  });
});

describe('Mastra: runs', () => {
  it('two calls without a thread know nothing of each other', async () => {
    const { guard, heard } = listening();
    const one = () =>
      agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' }), guard).agent.generate('x', { maxSteps: 9 });
    await Promise.all([one(), one()]);
    await one();
    expect(heard).toEqual([]);
  });

  it('the session is the thread, and the nudge stays in its memory', async () => {
    const { guard, heard } = listening();
    const turn = (n: number) => (n <= 3 ? again(n) : { text: 'Done.' });
    const { agent, requests } = agentOf(turn, guard, { memory: new MockMemory() });
    const memory = { thread: 'chat-42', resource: 'one' };
    await agent.generate('Find it.', { maxSteps: 9, memory });
    expect(heard.map(({ session }) => session)).toEqual(['chat-42']);
    await agent.generate('And now?', { memory });
    expect(requests.at(-1)?.sent).toContain(heard[0]?.decision.message);
    expect(guard.run('chat-42').stopped).toBeNull();
  });

  it('calls of earlier turns that are sent along are history', async () => {
    const { guard, heard } = listening();
    const { agent } = agentOf(() => ({ text: 'Done.' }), guard);
    const past = Array.from({ length: 6 }, (_, n) => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `${n}`, toolName: 'gone', input: {}, args: {} }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: `${n}`, toolName: 'gone', output: { type: 'text', value: 'x' } },
        ],
      },
    ]).flat();
    await agent.generate([{ role: 'user', content: 'x' }, ...past, { role: 'user', content: 'y' }] as never);
    expect(heard).toEqual([]);
  });

  it('ends at once when a stopped session is called again without a reason to go on', async () => {
    const { guard } = listening({ session: 'one', lastTurn: false });
    const { agent, requests } = agentOf(again, guard);
    const { response } = await agent.generate('Find it.', { maxSteps: 20 });
    expect(requests).toHaveLength(7);
    const messages = [{ role: 'user', content: 'Find it.' }, ...(response.messages ?? [])];
    const { steps } = await agent.generate(messages as never, { maxSteps: 20 });
    expect(requests).toHaveLength(7);
    expect(steps.at(-1)?.text).toBe(guard.stopped?.message);
  });
});
