import { Agent, RunState, run as runAgent, tool, toolNamespace, toolSearchTool } from '@openai/agents';
import { describe, expect, it, vi } from 'vitest';
import { createSeats, markOf } from '../../../src/adapters/openai-agents/seats.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, until } from '../driver.ts';
import { anything, scriptedModel } from './host.ts';
import { counted, listening, MANY, script } from './stage.ts';

type Model = Exclude<Agent['model'], string>;
type Output = Awaited<ReturnType<Model['getResponse']>>['output'];

/** The same model, whose calls are of tools in a namespace; it has searched for them before. */
function inNamespace(model: Model, namespace: string, found: Output): Model {
  const getResponse: Model['getResponse'] = async (request) => {
    const { output, ...response } = await model.getResponse(request);
    const calls = output.map((item) => (item.type === 'function_call' ? { ...item, namespace } : item));
    return { ...response, output: [...found.splice(0), ...calls] };
  };
  return { ...model, getResponse };
}

/** Questions that the SDK asks nobody, answers that come late, and what else happens between a stop and the end. */
export function testQuestions(): void {
  describe('OpenAI Agents SDK: questions', () => {
    it('that no call can be held for are a no, wherever the conversation is kept', async () => {
      for (const where of [{}, { conversationId: 'conv_1' }, { previousResponseId: 'resp_0' }])
        for (const watched of [false, true]) {
          const { guard, actions } = listening({ attended: true });
          const { model, requests } = script((n) => ({ calls: [callOf(n, 'lok', { query: 'x' })] }));
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([counted().look]),
          });
          const options = { ...MANY, ...where, toolNotFoundBehavior: 'return_error_to_model' } as const;
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', options);
          expect([finalOutput, actions().at(-1), guard.stopped?.action]).toEqual(['Report.', 'ask 7', 'ask']);
          expect(requests).toHaveLength(watched ? 9 : 10);
          expect(requests[8]?.sent).toContain(guard.stopped?.message);
        }
    });

    it('wait for the next call that can be held', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ attended: true });
        const { model } = script((n) =>
          n <= 7
            ? { calls: [callOf(n, 'lok', { query: 'x' })] }
            : n === 8
              ? { calls: [callOf(n, 'lok', { query: 'x' }), callOf(n, 'look', { query: 'y' }, 1)] }
              : { text: 'Done.' },
        );
        const { look, ran } = counted();
        const tools = guard.tools([look]);
        const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
        const run = guard.wrap(runAgent);
        const options = { ...MANY, toolNotFoundBehavior: 'return_error_to_model' } as const;
        const held = await run(agent, 'Find it.', options);
        expect([held.interruptions.length, ran.length]).toEqual([1, 0]);
        for (const item of held.interruptions) held.state.approve(item);
        const { finalOutput } = await run(agent, held.state, options);
        expect([finalOutput, ran.length, guard.stopped]).toEqual(['Done.', 1, null]);
      }
    });

    it('about a tool that is always approved end the run, and what it gave is told', async () => {
      for (const watched of [false, true]) {
        const { guard, actions } = listening({ attended: true, session: 'one' });
        const after = vi.spyOn(guard.run('one'), 'after');
        const { look, ran } = counted(undefined, { needsApproval: true });
        const { model } = script(again);
        const tools = guard.tools([look]);
        const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
        const run = guard.wrap(runAgent);
        const held = await run(agent, 'Find it.', MANY);
        for (const item of held.interruptions) held.state.approve(item, { alwaysApprove: true });
        const { finalOutput } = await run(agent, held.state, MANY);
        expect([finalOutput, guard.stopped?.action]).toEqual(['Report.', 'ask']);
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'ask 7']);
        // Two of them were blocked.
        expect([ran.length, after.mock.calls.length]).toEqual([6, 6]);
      }
    });

    it('that came up beside an approved call are asked with the next', async () => {
      const { guard } = listening({ attended: true });
      const { look, ran } = counted(undefined, { needsApproval: true });
      const other = tool({
        name: 'other',
        description: 'other',
        parameters: anything,
        strict: false,
        execute: async () => 'Here it is.',
      });
      const { model } = script((n) =>
        n <= 7 ? again(n) : n === 8 ? { calls: [callOf(n, 'other', {})] } : { text: 'Done.' },
      );
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look, other]) });
      const run = guard.wrap(runAgent);
      const first = await run(agent, 'Find it.', MANY);
      for (const item of first.interruptions) first.state.approve(item, { alwaysApprove: true });
      const second = await run(agent, first.state, MANY);
      expect(second.interruptions.map(({ name }) => name)).toEqual(['other']);
      expect(guard.run().questionFor()?.call).toBe(7);
      for (const item of second.interruptions) second.state.approve(item);
      const { finalOutput } = await run(agent, second.state, MANY);
      expect([finalOutput, ran.length, guard.stopped]).toEqual(['Done.', 5, null]);
    });

    it('leave a call blocked that was blocked before they came up', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ attended: true });
        const { look, ran } = counted();
        const find = counted(undefined, { name: 'find' });
        const { model } = script((n) => ({ calls: [callOf(n, 'look', {}), callOf(n, 'find', {}, 1)] }));
        const tools = guard.tools([look, find.look]);
        const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
        const held = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
        expect(held.interruptions.map(({ name }) => name)).toEqual(['find']);
        expect(guard.run().questionFor()?.held).toHaveLength(1);
        expect([ran.length, find.ran.length]).toEqual([4, 4]);
      }
    });

    it('are answered for all calls that wait', async () => {
      for (const watched of [false, true])
        for (const needsApproval of [false, true]) {
          const { guard } = listening({ attended: true });
          const all = ['look', 'find', 'seek'].map((name) =>
            counted(undefined, { name, needsApproval: name === 'seek' && needsApproval }),
          );
          const { model } = script((n) =>
            n > 6
              ? { text: 'Done.' }
              : { calls: all.map(({ look }, each) => callOf(n, look.name, {}, each)) },
          );
          const tools = guard.tools(all.map(({ look }) => look));
          const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
          const run = guard.wrap(runAgent);
          let result = await run(agent, 'Find it.', MANY);
          while (result.interruptions.length > 0) {
            const isAsked = guard.run().questionFor() !== null;
            const before = all.map(({ ran }) => ran.length);
            for (const item of result.interruptions) result.state.approve(item);
            const names = result.interruptions.map(({ name }) => name);
            result = await run(agent, result.state, MANY);
            if (!isAsked) continue;
            expect(names).toEqual(['look', 'find', 'seek']);
            expect(all.map(({ ran }) => ran.length)).toEqual(before.map((count) => count + 1));
          }
          expect(result.finalOutput).toBe('Done.');
        }
    });

    it('about a tool in a namespace, or one that was searched for, take a yes', async () => {
      for (const isFound of [false, true]) {
        const { guard } = listening({ attended: true });
        const { look, ran } = counted(undefined, { deferLoading: isFound });
        const parts = { type: 'function', name: 'look', description: 'look', parameters: anything };
        const id = { callId: 'search', status: 'completed' } as const;
        const found: Output = [
          { type: 'tool_search_call', ...id, arguments: {} },
          { type: 'tool_search_output', ...id, tools: [{ ...parts, deferLoading: true }] },
        ];
        const agent = new Agent({
          name: 'Finder',
          model: inNamespace(script(until(7)).model, isFound ? 'look' : 'files', isFound ? found : []),
          tools: isFound
            ? [...guard.tools([look]), toolSearchTool()]
            : toolNamespace({ name: 'files', description: 'files', tools: guard.tools([look]) }),
        });
        const run = guard.wrap(runAgent);
        const held = await run(agent, 'Find it.', MANY);
        for (const item of held.interruptions) held.state.approve(item);
        const { finalOutput } = await run(agent, held.state, MANY);
        expect([finalOutput, ran.length, guard.stopped]).toEqual(['Done.', 5, null]);
      }
    });

    it('are heard in a run that is not guarded', async () => {
      for (const yes of [false, true]) {
        const { guard, actions } = listening({ attended: true });
        const { look, ran } = counted();
        const { model } = script(yes ? until(9) : again);
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        const held = await runAgent(agent, 'Find it.', MANY);
        expect([held.interruptions.length, ran.length, actions().at(-1)]).toEqual([1, 4, 'ask 8']);
        for (const item of held.interruptions)
          if (yes) held.state.approve(item);
          else held.state.reject(item);
        const { finalOutput } = await runAgent(agent, held.state, MANY);
        expect([finalOutput, ran.length]).toEqual(yes ? ['Done.', 6] : ['Report.', 4]);
      }
    });

    it('are over when the person says what to do instead', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ attended: true });
        const { model, requests } = script((n) =>
          n <= 7 ? again(n) : n === 8 ? { calls: [callOf(n, 'look', { query: 'y' })] } : { text: 'Done.' },
        );
        const { look, ran } = counted();
        const tools = guard.tools([look]);
        const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
        const run = guard.wrap(runAgent);
        const held = await run(agent, 'Find it.', MANY);
        for (const item of held.interruptions) held.state.reject(item);
        held.state.addInput('Look for y instead.');
        const { finalOutput } = await run(agent, held.state, MANY);
        expect([finalOutput, ran.length, guard.stopped]).toEqual(['Done.', 5, null]);
        expect(requests[7]?.sent).toContain('Look for y instead.');
      }
    });

    it('of one of many runs of an agent are answered in another process', async () => {
      const store = createMemoryStore();
      const { look, ran } = counted();
      let count = 0;
      const inner = script((_, { sent }) =>
        sent.includes('task 2') ? { calls: [callOf(++count, 'look', {})] } : { text: 'Found.' },
      );
      const main = script((n) =>
        n === 1
          ? { calls: [1, 2, 3].map((each) => callOf(n, 'ask_A', { input: `task ${each}` }, each)) }
          : { text: 'Done.' },
      );
      const process = () => {
        const { guard } = listening({ attended: true, store, session: 'chat' });
        const a = new Agent({ name: 'A', model: inner.model, tools: guard.tools([look]) });
        const asTool = a.asTool({
          toolName: 'ask_A',
          toolDescription: 'A',
          runOptions: guard.runOptions,
        });
        const agent = new Agent({ name: 'Main', model: main.model, tools: [asTool] });
        return { guard, agent, run: guard.wrap(runAgent) };
      };
      const one = process();
      const held = await one.run(one.agent, 'Go.', MANY);
      expect(one.guard.run('chat').questionFor('A 2')?.call).toBe(7);
      const two = process();
      const state = await RunState.fromString(two.agent, held.state.toString());
      for (const item of state.getInterruptions()) state.reject(item);
      const { finalOutput } = await two.run(two.agent, state, MANY);
      expect([finalOutput, ran.length]).toEqual(['Done.', 4]);
      expect(two.guard.run('chat').questionFor('A 2')).toBeNull();
      expect(two.guard.run('chat').stoppedFor('A 2')?.action).toBe('ask');
    });

    it('of an agent that a tool runs are heard where the tool asks the person', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ attended: true });
        const run = guard.wrap(runAgent);
        const seen = <Given extends object>(model: Given) => (watched ? guard.model(model) : model);
        const { look, ran } = counted();
        const sub = new Agent({ name: 'Sub', model: seen(script(again).model), tools: guard.tools([look]) });
        let asked = 0;
        const ask = tool({
          name: 'ask',
          description: 'ask',
          parameters: anything,
          strict: false,
          async execute() {
            let result = await run(sub, 'Look.', MANY);
            while (result.interruptions.length > 0 && asked < 3) {
              asked += 1;
              for (const item of result.interruptions) result.state.reject(item);
              result = await run(sub, result.state, MANY);
            }
            return result.finalOutput;
          },
        });
        const main = script((n) => (n === 1 ? { calls: [callOf(n, 'ask', {})] } : { text: 'Done.' }));
        const agent = new Agent({ name: 'Main', model: seen(main.model), tools: [ask] });
        const { finalOutput } = await run(agent, 'Go.', MANY);
        expect([finalOutput, asked, ran.length]).toEqual(['Done.', 1, 4]);
        expect(guard.run().stoppedFor('Sub')?.action).toBe('ask');
      }
    });
  });

  describe('OpenAI Agents SDK: what a run is given', () => {
    it('may be a context of any kind', async () => {
      for (const context of ['user-42', 42, null, { user: 1 }]) {
        const { guard } = listening();
        const agent = new Agent<unknown>({
          name: 'Finder',
          model: script(until(1)).model,
          tools: guard.tools([counted().look]),
        });
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', { context });
        expect(finalOutput).toBe('Done.');
      }
    });

    it('stays what it is in shadow and off, with somebody to ask, too', async () => {
      for (const mode of ['shadow', 'off'] as const) {
        const { guard } = listening({ mode, attended: true });
        const { model } = script((n) =>
          n === 1 ? { calls: [callOf(n, 'look', '{"path": "a')] } : until(8)(n),
        );
        const { look, ran } = counted();
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        const { finalOutput, interruptions } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
        expect([interruptions.length, finalOutput, ran.length]).toEqual([0, 'Done.', 7]);
      }
    });

    it('may be tools that are switched off: a stop is a stop', async () => {
      for (const lastTurn of [false, true]) {
        const { guard, actions } = listening({ lastTurn });
        const { look, ran } = counted();
        const off = tool({
          name: 'deploy',
          description: 'deploy',
          parameters: anything,
          strict: false,
          isEnabled: () => false,
          execute: async () => 'never',
        });
        const agent = new Agent({
          name: 'Finder',
          model: script(again).model,
          tools: [...guard.tools([off]), look],
        });
        const run = guard.wrap(runAgent)(agent, 'Find it.', MANY);
        await expect(run).rejects.toMatchObject({ name: 'LoopHalted' });
        expect([actions().at(-1), ran.length]).toEqual(['halt 7', lastTurn ? 9 : 7]);
      }
    });

    it('may be a model that fails in its last turn and is asked again', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening();
        let n = 0;
        let failures = 0;
        const own = scriptedModel(({ tools }) => (tools ? again(++n) : { text: 'Report.' }));
        const model: Model = {
          getStreamedResponse: (request) => own.getStreamedResponse(request),
          async getResponse(request) {
            if (request.tools.length > 0 || failures > 0) return own.getResponse(request);
            failures += 1;
            throw Object.assign(new Error('overloaded'), { status: 503 });
          },
        };
        const agent = new Agent({
          name: 'Finder',
          model: watched ? guard.model(model) : model,
          tools: guard.tools([counted().look]),
          modelSettings: { retry: { maxRetries: 2, policy: () => true, backoff: { initialDelayMs: 1 } } },
        });
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
        expect([finalOutput, failures]).toEqual(['Report.', 1]);
      }
    });

    it('are names for all runs at once, on every level', () => {
      const main = createSeats(() => '');
      const names = [1, 2].flatMap(() => {
        const path = main.take('R');
        const inner = createSeats(() => path);
        return [1, 2].map(() => `W${markOf(inner.take('W'))}`);
      });
      expect(names).toEqual(['W', 'W 1.2', 'W 2', 'W 2.2']);
    });
  });
}
