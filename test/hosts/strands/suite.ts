import { Agent, BeforeToolCallEvent, FunctionTool, ModelRouter, SessionManager } from '@strands-agents/sdk';
import { InMemoryStorage } from '@strands-agents/sdk/storage';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/strands/index.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import type { ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { again, listeningTo, scripted, thrifty } from '../driver.ts';
import { StubModel, strandsHost, WAYS } from './host.ts';

for (const way of WAYS) testAdapter(strandsHost(way), { describe, it });

const look = (output = 'Nothing was found.') =>
  new FunctionTool({ name: 'look', description: 'Looks.', callback: () => output });

const script = (turn: (n: number) => ScriptedTurn) => scripted((answer) => new StubModel(answer), turn);
const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

describe('Strands: text', () => {
  for (const [kind, channel] of [
    ['text', 'content'],
    ['reasoning', 'reasoning'],
  ] as const)
    it(`a stream of ${kind} that repeats itself is cut`, async () => {
      const { guard, heard } = listening();
      const { model } = script(() => ({ [kind]: 'I should check the file again. '.repeat(200) }));
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      const { lastMessage, stopReason } = await agent.invoke('Think.');
      const { length } = JSON.stringify(lastMessage.content);
      expect(stopReason).toBe('endTurn');
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1200);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
    });
});

describe('Strands: calls', () => {
  it("a call that the user's own hook cancels counts as denied, and keeps the user's words", async () => {
    const { guard, heard } = listening();
    const { model, requests } = script((n) => (n <= 4 ? again(n) : { text: 'Done.' }));
    const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
    agent.addHook(BeforeToolCallEvent, (event) => {
      event.cancel = 'Not on Sundays.';
    });
    await agent.invoke('Find it.');
    expect(requests[1]?.sent).toContain('Not on Sundays.');
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'denied' });
  });

  it('parallel calls wait for one answer', async () => {
    const { guard } = listening({ attended: true });
    const { model } = script((n) =>
      n <= 7 ? { calls: [again(n).calls?.[0] as never, callOf(n, 'look', { n }, 1)] } : { text: 'Done.' },
    );
    let ran = 0;
    const counting = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      callback: (args) => {
        ran += 1;
        const { n = 0 } = args as { n?: number };
        return n === 0 ? 'Nothing.' : `Found ${n}.`;
      },
    });
    const agent = new Agent({ model, tools: [counting], interventions: [guard], printer: false });
    const held = await agent.invoke('Find it.');
    expect(held.stopReason).toBe('interrupt');
    const before = ran;
    const answers = (held.interrupts ?? []).map(({ id, name }) => {
      expect(name).toBe('deloop');
      return { interruptResponse: { interruptId: id, response: 'yes' } };
    });
    const ended = await agent.invoke(answers);
    expect(ended.stopReason).toBe('endTurn');
    expect(ran).toBe(before + answers.length);
    expect(guard.stopped).toBeNull();
  });

  it('a result that the model has already may be told in a word', async () => {
    const { model, requests } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
    const tools = [look('warning: unused variable\n'.repeat(200))];
    const interventions = [deloop({ preset: thrifty })];
    await new Agent({ model, tools, interventions, printer: false }).invoke('Build it.');
    expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
    expect(requests[2]?.sent).toContain('The same as before.');
  });
});

describe('Strands: the end', () => {
  it('of a run that is to give a structured answer has one', async () => {
    const { guard, heard } = listening();
    const { model } = script((n) =>
      n <= 7 ? again(n) : { calls: [callOf(n, 'strands_structured_output', { cause: 'x' })] },
    );
    const agent = new Agent({
      model,
      tools: [look()],
      structuredOutputSchema: z.object({ cause: z.string() }),
      interventions: [guard],
      printer: false,
    });
    const { structuredOutput } = await agent.invoke('Find it.');
    expect(structuredOutput).toEqual({ cause: 'x' });
    expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
  });

  it('comes with a report for an agent that has the model of another', async () => {
    const guard = deloop();
    const ending = async (model: Agent['model']) => {
      const agent = new Agent({ model, tools: [look()], interventions: [guard], printer: false });
      return { agent, text: `${await agent.invoke('Find it.')}` };
    };
    const { agent } = await ending(script(again).model);
    expect((await ending(agent.model)).text).toContain('Report');
  });
});

describe('Strands: agents', () => {
  it('two agents of one guard know nothing of each other', async () => {
    const { guard, heard } = listening();
    const one = () => {
      const { model } = script((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
      return new Agent({ model, tools: [look()], interventions: [guard], printer: false }).invoke('Find it.');
    };
    await Promise.all([one(), one()]);
    await one();
    expect(heard).toEqual([]);
  });

  it('an agent that is a tool has a history of its own in the session', async () => {
    const { guard, heard } = listening({ session: 'one' });
    const researcher = new Agent({
      id: 'researcher',
      name: 'researcher',
      model: script((n) => again(n)).model,
      tools: [look()],
      interventions: [guard],
      printer: false,
    });
    const { model } = script((n) =>
      n === 1 ? { calls: [callOf(n, 'researcher', { input: 'Find it.' })] } : { text: 'Done.' },
    );
    const main = new Agent({ model, tools: [researcher], interventions: [guard], printer: false });
    const { lastMessage } = await main.invoke('Find it.');
    expect(JSON.stringify(lastMessage.content)).toContain('Done.');
    expect(heard.map(({ decision: { action, agent }, session }) => [action, agent, session])).toEqual([
      ['nudge', 'researcher', 'one'],
      ['block', 'researcher', 'one'],
      ['block', 'researcher', 'one'],
      ['halt', 'researcher', 'one'],
    ]);
    expect(guard.run('one').stopped).toBeNull();
    expect(guard.run('one').stoppedFor('researcher')?.detector).toBe('no-progress');
  });

  it('the session is that of the session manager', async () => {
    const { guard, heard } = listening();
    const sessionManager = new SessionManager({ sessionId: 'chat-42', storage: new InMemoryStorage() });
    const { model } = script((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
    const agent = new Agent({
      model,
      tools: [look()],
      interventions: [guard],
      sessionManager,
      printer: false,
    });
    await agent.invoke('Find it.');
    expect(heard.map(({ session }) => session)).toEqual(['chat-42']);
  });

  it('a router chooses the model, and a stopped agent ends all the same', async () => {
    const { guard } = listening();
    const { model, requests } = script((n) => again(n));
    const router = new ModelRouter([model]);
    const agent = new Agent({ model: router, tools: [look()], interventions: [guard], printer: false });
    const { stopReason } = await agent.invoke('Find it.');
    expect(stopReason).toBe('endTurn');
    expect(requests).toHaveLength(8);
    expect(guard.stopped?.action).toBe('halt');
  });
});
