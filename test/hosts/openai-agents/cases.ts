import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Agent,
  type AgentInputItem,
  handoff,
  MemorySession,
  Runner,
  RunState,
  run as runAgent,
  tool,
} from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  deloop,
  findLoopHalted,
  isLoopHalted,
  type StopReason,
} from '../../../src/adapters/openai-agents/index.ts';
import { presets } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, thrifty, until } from '../driver.ts';
import { anything, scriptedModel } from './host.ts';
import { counted, listening, MANY, script } from './stage.ts';

class QuotaError extends Error {
  override readonly name = 'QuotaError';
}

/** What belongs to the OpenAI Agents SDK alone; the rest is the contract of all adapters. */
export function testOpenAiAgents(): void {
  describe('OpenAI Agents SDK: the end', () => {
    it('is an error of its own kind where there is no last turn, with all items until then', async () => {
      const reasons: StopReason[] = [];
      const guard = deloop({ lastTurn: false, onStop: (reason) => reasons.push(reason) });
      const { model } = script((n) => ({ ...again(n), text: `Thought ${n}.` }));
      const { look, ran } = counted();
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const error: unknown = await guard
        .wrap(runAgent)(agent, 'Find it.', MANY)
        .catch((thrown) => thrown);
      expect(isLoopHalted(error)).toBe(true);
      expect(isLoopHalted(new Error('another'))).toBe(false);
      const halted = findLoopHalted(new Error('outer', { cause: error }));
      expect(reasons).toEqual([halted?.reason]);
      const items = halted?.partial as AgentInputItem[];
      const ids = (type: string) =>
        items.filter((item) => item.type === type).map((item) => 'callId' in item && item.callId);
      expect(ids('function_call')).toHaveLength(7);
      expect(ids('function_call_result')).toEqual(ids('function_call'));
      expect(JSON.stringify(items)).toContain('Thought 7.');
      expect(ran).toHaveLength(4);

      guard.run().resume();
      const resumed = script(() => ({ text: 'Done.' }));
      const { finalOutput } = await guard.wrap(runAgent)(agent.clone({ model: resumed.model }), items);
      expect(finalOutput).toBe('Done.');
      expect(guard.stopped).toBeNull();
    });

    it('is such an error in a stream, too', async () => {
      const guard = deloop({ lastTurn: false });
      const { model } = script(again);
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([counted().look]) });
      const stream = await guard.wrap(runAgent)(agent, 'Find it.', { ...MANY, stream: true });
      const error: unknown = await (async () => {
        for await (const _event of stream);
        await stream.completed;
      })().catch((thrown) => thrown);
      expect(findLoopHalted(error)?.reason.detector).toBe('no-progress');
    });

    it('comes, although the model calls tools that it was not given', async () => {
      const guard = deloop();
      let n = 0;
      const model = scriptedModel(() => again(++n));
      const { look, ran } = counted();
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const options = { ...MANY, toolNotFoundBehavior: 'return_error_to_model' } as const;
      const error: unknown = await guard
        .wrap(runAgent)(agent, 'Find it.', options)
        .catch((thrown) => thrown);
      expect(isLoopHalted(error)).toBe(true);
      expect([n, ran.length]).toEqual([8, 4]);
    });
  });

  describe('OpenAI Agents SDK: tools', () => {
    it('errors that nobody turns into a result keep their type, and are told', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const failing = () => {
        throw new QuotaError('too many requests');
      };
      const { look } = counted(failing, { errorFunction: null });
      const run = guard.wrap(runAgent);
      for (let n = 1; n <= 3; n++) {
        const { model } = script(() => ({ calls: [callOf(n, 'look', { n })] }));
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        const input: AgentInputItem[] = n === 1 ? [{ role: 'user', content: 'x' }] : [];
        const error: unknown = await run(agent, input).catch((thrown) => thrown);
        expect((error as { error: unknown }).error).toBeInstanceOf(QuotaError);
      }
      expect(heard[0]?.event).toMatchObject({
        type: 'tool-result',
        status: 'error',
        output: 'too many requests',
      });
    });

    it('such errors are told of a stream, too', async () => {
      const guard = deloop({ session: 'one' });
      const failures = vi.spyOn(guard.run('one'), 'failed');
      const failing = () => {
        throw new QuotaError('too many requests');
      };
      const { look } = counted(failing, { errorFunction: null });
      const agent = new Agent({ name: 'Finder', model: script(again).model, tools: guard.tools([look]) });
      const stream = await guard.wrap(runAgent)(agent, 'Find it.', { stream: true });
      await stream.completed.catch(() => {});
      expect(failures.mock.calls.map(([, error]) => error)).toEqual([expect.any(QuotaError)]);
    });

    it('errors are seen as such without an error function of ours', async () => {
      const { guard, actions } = listening();
      const { model } = script((n) => (n <= 3 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' }));
      const { look } = counted(() => {
        throw new QuotaError('the config is not valid');
      });
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      await guard.wrap(runAgent)(agent, 'Find it.');
      expect(actions()).toEqual(['nudge 3']);
    });

    it('arguments that are malformed, and those that the schema refuses, are seen', async () => {
      for (const args of ['{"path": "a', '{"path": 1}']) {
        const { guard, heard } = listening();
        const strict = tool({
          name: 'strict',
          description: 'strict',
          parameters: z.object({ path: z.string() }),
          execute: async () => 'never',
        });
        const { model, requests } = script((n) =>
          n <= 3 ? { calls: [callOf(n, 'strict', args.replace('path', `path${n}`))] } : { text: 'Done.' },
        );
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([strict]) });
        await guard.wrap(runAgent)(agent, 'Find it.');
        const status = args.endsWith('}') ? 'error' : 'invalid';
        expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'strict', status });
        expect(heard[0]?.decision).toMatchObject({ action: 'nudge', call: 3 });
        expect(requests[3]?.sent).toContain(JSON.stringify(heard[0]?.decision.message).slice(1, -1));
      }
    });

    it('arguments that the schema refuses are told as such where the guard hears the error', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ session: 'one' });
        const told = vi.spyOn(guard.run('one'), 'after');
        const strict = tool({
          name: 'strict',
          description: 'strict',
          parameters: z.object({ path: z.string() }),
          execute: async ({ path }) => `What is in ${path}.`,
          errorFunction: guard.errorFunction(() => 'No.'),
        });
        const { model, requests } = script((n) => ({
          calls: [
            callOf(n, 'strict', { path: n }),
            ...(n === 1 ? [{ id: 'fits', tool: 'strict', args: { path: 'a' } }] : []),
          ],
        }));
        const agent = new Agent({
          name: 'Finder',
          model: watched ? guard.model(model) : model,
          tools: guard.tools([strict]),
        });
        expect((await guard.wrap(runAgent)(agent, 'Find it.', MANY)).finalOutput).toBe('Report.');
        expect(requests.length).toBe(10);
        const ends = told.mock.calls.map(([{ id }, { status }]) => [id, status]);
        expect(ends.slice(0, 3).sort()).toEqual([
          ['call-1-0', 'invalid'],
          ['call-2-0', 'invalid'],
          ['fits', 'ok'],
        ]);
      }
    });

    it('calls that the schema refuses are told apart, although the SDK shows no arguments of them', async () => {
      for (const watched of [false, true])
        for (const attended of [false, true]) {
          const { guard, heard, actions } = listening({ attended });
          let ran = 0;
          const strict = tool({
            name: 'strict',
            description: 'strict',
            parameters: z.object({ line: z.number() }),
            async execute({ line }) {
              ran += 1;
              return `What is in line ${line}.`;
            },
          });
          const { model } = script((n) =>
            n <= 40
              ? { calls: [callOf(n, 'strict', { line: n % 4 === 0 ? `line ${n}` : n })] }
              : { text: 'Done.' },
          );
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([strict]),
          });
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
          expect([finalOutput, ran, actions()]).toEqual(['Done.', 30, ['nudge 12']]);
          expect(heard[0]?.decision.finding.detector).toBe('same-failure');
        }
    });

    it('tools that are not guarded are watched', async () => {
      const { guard, actions } = listening({ lastTurn: false });
      const { model } = script(again);
      const { look, ran } = counted();
      const agent = new Agent({ name: 'Finder', model, tools: [look] });
      const error: unknown = await guard
        .wrap(runAgent)(agent, 'Find it.', MANY)
        .catch((thrown) => thrown);
      expect(isLoopHalted(error)).toBe(true);
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
      expect(ran).toHaveLength(7);
    });

    it('guarded tools in a run that is not guarded are blocked all the same', async () => {
      const { guard, actions } = listening();
      const { model } = script(until(6));
      const { look, ran } = counted();
      await runAgent(new Agent({ name: 'Finder', model, tools: guard.tools([look]) }), 'Find it.');
      // Nobody can say the nudge there, so it comes again.
      expect(actions()).toEqual(['nudge 3', 'nudge 4', 'block 5', 'block 6']);
      expect(ran).toHaveLength(4);
    });

    it("the user's own guardrail comes first", async () => {
      const { guard } = listening();
      const { model, requests } = script(until(1));
      const { look, ran } = counted(undefined, {
        inputGuardrails: [
          {
            name: 'own',
            run: async () => ({ behavior: { type: 'rejectContent', message: 'Not this one.' } }),
          },
        ],
      });
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const { toolInputGuardrailResults } = await guard.wrap(runAgent)(agent, 'Find it.');
      expect(requests[1]?.sent).toContain('Not this one.');
      expect(ran).toEqual([]);
      expect(toolInputGuardrailResults.map(({ guardrail }) => guardrail.name)).toEqual(['own']);
    });

    it("what the user's own guardrail makes of a result is the result", async () => {
      const { guard, actions } = listening();
      const { look, ran } = counted((n) => `secret ${n}`, {
        outputGuardrails: [
          { name: 'own', run: async () => ({ behavior: { type: 'rejectContent', message: 'Withheld.' } }) },
        ],
      });
      const agent = new Agent({ name: 'Finder', model: script(again).model, tools: guard.tools([look]) });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
      expect([finalOutput, ran.length]).toEqual(['Report.', 4]);
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    });

    it('a tool that takes too long has failed', async () => {
      const { guard } = listening({ session: 'one' });
      const after = vi.spyOn(guard.run('one'), 'after');
      const slow = tool({
        name: 'look',
        description: 'look',
        parameters: anything,
        strict: false,
        timeoutMs: 1,
        execute: () => new Promise<string>((resolve) => setTimeout(resolve, 50, 'late')),
      });
      const agent = new Agent({ name: 'Finder', model: script(until(1)).model, tools: guard.tools([slow]) });
      await guard.wrap(runAgent)(agent, 'Find it.');
      expect(after.mock.calls.map(([, { status }]) => status)).toEqual(['error']);
    });

    it('a stop that is found late leaves a last turn without tools', async () => {
      const { guard, actions } = listening();
      const { model, requests } = script((n) => ({ calls: [callOf(n, 'look', '{"query": "x')] }));
      const { look } = counted();
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
      expect(finalOutput).toBe('Report.');
      expect(actions().at(-1)).toBe('halt 7');
      expect(requests.map(({ tools }) => tools)).toEqual([...Array.from({ length: 8 }, () => true), false]);
    });

    it('a result that the model has already may be told in a word', async () => {
      const guard = deloop({ preset: thrifty });
      const { look } = counted(() => 'warning: unused variable\n'.repeat(200));
      const { model, requests } = script(until(2));
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      await guard.wrap(runAgent)(agent, 'Find it.');
      expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
      expect(requests[2]?.sent).toContain('The same as before.');
    });
  });

  describe('OpenAI Agents SDK: approvals', () => {
    it('a question that was asked in one process is answered in another', async () => {
      const store = createMemoryStore();
      const { look, ran } = counted();
      const { model } = script(until(7));
      const process = () => {
        const guard = deloop({ attended: true, store, session: 'chat' });
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        return { guard, agent, run: guard.wrap(runAgent) };
      };
      const first = process();
      const held = await first.run(first.agent, 'Find it.', MANY);
      expect([held.interruptions.length, ran.length]).toEqual([1, 4]);
      expect(first.guard.run('chat').questionFor()?.call).toBe(7);
      const second = process();
      const state = await RunState.fromString(second.agent, held.state.toString());
      for (const item of state.getInterruptions()) state.approve(item);
      const result = await second.run(second.agent, state, MANY);
      expect([result.finalOutput, ran.length]).toEqual(['Done.', 5]);
    });

    it('without a session a run goes on from its state', async () => {
      const { guard, actions } = listening({ attended: true });
      const { look, ran } = counted();
      const { model } = script(until(7));
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const run = guard.wrap(runAgent);
      const held = await run(agent, 'Find it.', MANY);
      for (const item of held.interruptions) held.state.approve(item);
      const { finalOutput } = await run(agent, held.state, MANY);
      expect([finalOutput, ran.length]).toEqual(['Done.', 5]);
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'ask 7']);
    });

    it("one answer is enough where the user's own rule asks, too", async () => {
      for (const yes of [true, false]) {
        const { guard, actions } = listening({ attended: true });
        const { look, ran } = counted(undefined, { needsApproval: true });
        const { model } = script(until(8));
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        const run = guard.wrap(runAgent);
        let result = await run(agent, 'Find it.', MANY);
        const asked: (string | undefined)[] = [];
        while (result.interruptions.length > 0) {
          const question = guard.run().questionFor()?.message;
          asked.push(question?.slice(0, 7));
          for (const item of result.interruptions)
            if (yes || question === undefined) result.state.approve(item);
            else result.state.reject(item);
          result = await run(agent, result.state, MANY);
        }
        const none = (n: number) => Array.from({ length: n }, () => undefined);
        expect(asked).toEqual([...none(6), 'Stopped', ...none(yes ? 1 : 0)]);
        expect([result.finalOutput, ran.length]).toEqual(yes ? ['Done.', 6] : ['Report.', 4]);
        expect(guard.stopped?.action ?? null).toBe(yes ? null : 'ask');
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'ask 7']);
      }
    });

    it('a question waits for its answer, however early guardrails are asked', async () => {
      const { guard } = listening({ attended: true });
      const { look, ran } = counted();
      const agent = new Agent({ name: 'Finder', model: script(again).model, tools: guard.tools([look]) });
      const options = { ...MANY, toolExecution: { preApprovalInputGuardrails: true } };
      const held = await guard.wrap(runAgent)(agent, 'Find it.', options);
      expect(guard.run().questionFor()?.call).toBe(7);
      for (const item of held.interruptions) held.state.reject(item);
      const { finalOutput } = await guard.wrap(runAgent)(agent, held.state, options);
      expect([finalOutput, ran.length, guard.stopped?.action]).toEqual(['Report.', 4, 'ask']);
    });

    it('a call that a person has refused is told as such, whatever the model hears of it', async () => {
      for (const attended of [false, true])
        for (const isSaved of [false, true])
          for (const words of [undefined, { message: 'Not this one.' }]) {
            const { guard, heard } = listening({ session: 'one', attended });
            const after = vi.spyOn(guard.run('one'), 'after');
            const { look } = counted(undefined, { needsApproval: true });
            const { model } = script(until(1));
            const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
            const run = guard.wrap(runAgent);
            const held = await run(agent, 'Find it.');
            const { state } = held;
            const saved = isSaved
              ? await RunState.fromString<undefined, typeof agent>(agent, state.toString())
              : state;
            for (const item of saved.getInterruptions()) saved.reject(item, words);
            await run(agent, saved);
            expect(after.mock.calls.map(([, { status }]) => status)).toEqual(['denied']);
            expect(heard).toEqual([]);
          }
    });

    it('calls of a tool that a person has refused for always are told as such', async () => {
      for (const attended of [false, true])
        for (const watched of [false, true]) {
          const { guard } = listening({ session: 'one', attended });
          const after = vi.spyOn(guard.run('one'), 'after');
          const { look } = counted(undefined, { needsApproval: true });
          const { model } = script(until(2));
          const tools = guard.tools([look]);
          const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
          const run = guard.wrap(runAgent);
          const { state } = await run(agent, 'Find it.');
          for (const item of state.getInterruptions())
            state.reject(item, { alwaysReject: true, message: 'Leave that alone.' });
          await run(agent, state);
          expect(after.mock.calls.map(([, { status }]) => status)).toEqual(['denied', 'denied']);
        }
    });

    it('after a handoff either agent may be run on', async () => {
      for (const who of ['first', 'last'])
        for (const watched of [false, true]) {
          const { guard } = listening({ attended: true });
          const { look, ran } = counted();
          const seen = <Model extends object>(model: Model) => (watched ? guard.model(model) : model);
          const billing = script(again);
          const tools = guard.tools([look]);
          const other = new Agent({ name: 'Billing', model: seen(billing.model), tools });
          const { model } = script((n) => ({ calls: [callOf(n, 'transfer_to_Billing', {})] }));
          const agent = new Agent({ name: 'Triage', model: seen(model), tools, handoffs: [other] });
          const run = guard.wrap(runAgent);
          const held = await run(agent, 'Find it.', MANY);
          for (const item of held.interruptions) held.state.reject(item);
          const { finalOutput } = await run(who === 'first' ? agent : other, held.state, MANY);
          expect([finalOutput, ran.length, billing.requests.at(-1)?.tools]).toEqual(['Report.', 4, false]);
          expect(guard.run().questionFor('Billing')).toBeNull();
          expect(guard.stopped).toMatchObject({ action: 'ask', agent: 'Billing' });
        }
    });

    it("asks where the user's own rule asks", async () => {
      const { guard, heard } = listening({ attended: true });
      const { look, ran } = counted(undefined, { needsApproval: true });
      const { model } = script(until(1));
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const { interruptions } = await guard.wrap(runAgent)(agent, 'Find it.');
      expect([interruptions.length, ran.length, heard.length]).toEqual([1, 0, 0]);
    });
  });

  describe('OpenAI Agents SDK: agents', () => {
    it('a handoff is told, and each agent has a history of its own', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const told = vi.spyOn(guard.run('one'), 'tell');
      const billing = script(until(2));
      const { look } = counted();
      const other = new Agent({ name: 'Billing', model: billing.model, tools: guard.tools([look]) });
      const { model } = script((n) =>
        n <= 2 ? again(n) : { calls: [callOf(n, 'transfer_to_Billing', {})] },
      );
      const agent = new Agent({
        name: 'Triage',
        model,
        tools: guard.tools([look]),
        handoffs: [handoff(other)],
      });
      const { finalOutput, lastAgent } = await guard.wrap(runAgent)(agent, 'Find it.');
      expect(guard.stopped).toBeNull();
      expect([finalOutput, lastAgent?.name]).toEqual(['Done.', 'Billing']);
      expect(heard).toEqual([]);
      expect(told.mock.calls).toEqual([[{ type: 'handoff', to: 'Billing' }]]);
    });

    it('an agent that is a tool is nudged and stopped by itself', async () => {
      const { guard, heard } = listening({ session: 'one' });
      const inner = script(again);
      const { look, ran } = counted();
      const researcher = new Agent({ name: 'Researcher', model: inner.model, tools: guard.tools([look]) });
      const { model, requests } = script((n) =>
        n === 1 ? { calls: [callOf(n, 'research', { input: 'x' })] } : { text: 'Done.' },
      );
      const research = researcher.asTool({
        toolName: 'research',
        toolDescription: 'Researches.',
        runOptions: guard.runOptions,
      });
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([research]) });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
      expect(heard.map(({ decision: { action, agent: who } }) => [action, who])).toEqual(
        ['nudge', 'block', 'block', 'halt'].map((action) => [action, 'Researcher']),
      );
      expect([ran.length, finalOutput]).toEqual([4, 'Done.']);
      expect(requests[1]?.sent).toContain('Report.');
      expect(guard.run('one').stopped).toBeNull();
      expect(guard.run('one').stoppedFor('Researcher')?.agent).toBe('Researcher');
    });
  });

  describe('OpenAI Agents SDK: runs', () => {
    it('know nothing of each other, however many there are at once', async () => {
      const { guard, heard } = listening();
      const { look } = counted();
      const tools = guard.tools([look]);
      const run = guard.wrap(runAgent);
      const context = { user: 'the same' };
      const one = async () =>
        run(new Agent<typeof context>({ name: 'Finder', model: script(until(2)).model, tools }), 'x', {
          context,
        });
      await Promise.all([one(), one(), one()]);
      await one();
      expect(heard).toEqual([]);
    });

    it('may have a guard each, and promises cost no more for it', async () => {
      const storages = vi.spyOn(AsyncLocalStorage.prototype, 'run');
      const count = async () => {
        const guard = deloop();
        const tools = guard.tools([counted().look]);
        await guard.wrap(runAgent)(new Agent({ name: 'Finder', model: script(until(2)).model, tools }), 'x');
        return new Set(storages.mock.contexts).size;
      };
      const first = await count();
      expect([await count(), await count()]).toEqual([first, first]);
      storages.mockRestore();
    });

    it('are guarded once where `run` is wrapped again, for whom it was wrapped last', async () => {
      for (const watched of [false, true]) {
        const { guard, actions } = listening();
        const { model, requests } = script(again);
        const tools = guard.tools([counted().look]);
        const agent = new Agent({ name: 'Finder', model: watched ? guard.model(model) : model, tools });
        const run = guard.wrap(guard.wrap(runAgent), { session: 'two' });
        const { finalOutput } = await run(agent, 'Find it.', MANY);
        expect([finalOutput, requests.length]).toEqual(['Report.', 8]);
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
        expect(guard.run('two').stopped?.detector).toBe('no-progress');
      }
    });

    it('are those of a Session of the SDK, where there is one', async () => {
      const { guard, heard } = listening({ preset: { ...presets.zagens, userBoundary: 'keep' } });
      const { look } = counted();
      const runner = new Runner({ tracingDisabled: true });
      const run = guard.wrap(runner);
      const session = new MemorySession({ sessionId: 'chat' });
      for (const n of [1, 2, 3]) {
        const { model } = script((turn) => (turn === 1 ? again(10 * n) : { text: 'Done.' }));
        await run(new Agent({ name: 'Finder', model, tools: guard.tools([look]) }), 'Find it.', { session });
      }
      expect(heard.map(({ decision }) => decision.action)).toEqual(['block']);
      expect(guard.run('chat').session).toBe('chat');
    });

    it('a nudge stands once in what the model is sent, with a session, too', async () => {
      for (const session of [undefined, new MemorySession()]) {
        const guard = deloop();
        const { model, requests } = script(until(4));
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([counted().look]) });
        await guard.wrap(runAgent)(agent, 'Find it.', session && { session });
        for (const n of [4, 5])
          expect(requests[n - 1]?.sent.split('has given the same result 3 times')).toHaveLength(2);
      }
    });

    it('tokens are counted once, those of the cache apart; text is told with the next response', async () => {
      const guard = deloop({ session: 'one' });
      const turns = vi.spyOn(guard.run('one'), 'turn');
      const { model } = script((n) => ({
        ...(n <= 2 ? { calls: [callOf(n, 'look', { n })] } : {}),
        text: `Thought ${n}.`,
        reasoning: `Reason ${n}.`,
        usage: { input: 150, output: 50, cachedInput: 1000 },
      }));
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([counted((n) => `${n}`).look]) });
      await guard.wrap(runAgent)(agent, 'Find it.');
      const usage = { input: 150, output: 50, cachedInput: 1000 };
      expect(turns.mock.calls.map(([turn]) => turn)).toEqual([
        { text: '', reasoning: '', usage },
        { text: 'Thought 1.', reasoning: 'Reason 1.', usage },
        { text: 'Thought 3.', reasoning: '', usage },
      ]);
    });
  });

  describe('OpenAI Agents SDK: tokens', () => {
    const usage = { input: 150, output: 50, cachedInput: 0 };

    it('are those of the last response of a stream, too', async () => {
      const guard = deloop({ session: 'one' });
      const turns = vi.spyOn(guard.run('one'), 'turn');
      const { model } = script(() => ({ text: 'Done.', usage }));
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([counted().look]) });
      await (await guard.wrap(runAgent)(agent, 'Find it.', { stream: true })).completed;
      expect(turns.mock.calls).toEqual([[{ text: 'Done.', reasoning: '', usage }]]);
    });

    it('are those of a response that waits for a person, too', async () => {
      const guard = deloop({ session: 'one' });
      const turns = vi.spyOn(guard.run('one'), 'turn');
      const { model } = script((n) => ({ ...until(1)(n), usage }));
      const { look } = counted(undefined, { needsApproval: true });
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      const run = guard.wrap(runAgent);
      const held = await run(agent, 'Find it.');
      expect(turns.mock.calls.map(([turn]) => turn?.usage)).toEqual([usage]);
      for (const item of held.interruptions) held.state.approve(item);
      await run(agent, held.state);
      expect(turns.mock.calls.map(([turn]) => turn?.usage)).toEqual([usage, usage]);
    });
  });

  describe('OpenAI Agents SDK: watched models', () => {
    it('are objects: a name is refused with the way to get one', () => {
      const { guard } = listening();
      expect(() => guard.model('gpt-5' as never)).toThrow(
        /^model is "gpt-5"; it must be a model as an object, .*getModel/,
      );
    });

    it('may be frozen', async () => {
      const guard = deloop();
      const agent = new Agent({
        name: 'Finder',
        model: guard.model(Object.freeze(script(again).model)),
      });
      expect((await guard.wrap(runAgent)(agent, 'Find it.')).finalOutput).toBe('Report.');
    });

    it('text and tokens are told with their response', async () => {
      for (const stream of [false, true]) {
        const guard = deloop({ session: 'one' });
        const turns = vi.spyOn(guard.run('one'), 'turn');
        const { model } = script((n) => ({
          ...(n <= 2 ? { calls: [callOf(n, 'look', { n })] } : {}),
          text: `Thought ${n}.`,
          reasoning: `Reason ${n}.`,
          usage: { input: 150, output: 50, cachedInput: 1000 },
        }));
        const agent = new Agent({
          name: 'Finder',
          model: guard.model(model),
          tools: guard.tools([counted((n) => `${n}`).look]),
        });
        if (stream) await (await guard.wrap(runAgent)(agent, 'Find it.', { stream: true })).completed;
        else await guard.wrap(runAgent)(agent, 'Find it.');
        const usage = { input: 150, output: 50, cachedInput: 1000 };
        expect(turns.mock.calls.map(([turn]) => turn)).toEqual(
          [1, 2, 3].map((n) => ({ text: `Thought ${n}.`, reasoning: `Reason ${n}.`, usage })),
        );
      }
    });

    it('a stream that repeats itself is cut', async () => {
      const { guard, heard } = listening();
      const words = Array.from({ length: 200 }, () => 'I should check the file again. ');
      const item = assistantMessage(words.join(''));
      const model = {
        getResponse: () => Promise.reject(new Error('not here')),
        async *getStreamedResponse() {
          for (const delta of words) yield { type: 'output_text_delta' as const, delta };
          const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
          yield { type: 'response_done' as const, response: { id: '1', usage, output: [item] } };
        },
      };
      const agent = new Agent({ name: 'Finder', model: guard.model(model) });
      const stream = await guard.wrap(runAgent)(agent, 'Find it.', { stream: true });
      let length = 0;
      for await (const text of stream.toTextStream()) length += text.length;
      expect(length).toBeGreaterThan(200);
      expect(length).toBeLessThan(1000);
      expect(stream.finalOutput).toHaveLength(length);
      expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: 'content' });
    });

    it('thoughts that repeat themselves are cut in a stream, and the model is asked again', async () => {
      const words = Array.from({ length: 200 }, () => 'I should check the file again. ');
      for (const eventOf of [
        (delta: string) => ({ type: 'response.reasoning_summary_text.delta', delta }),
        (delta: string) => ({ type: 'response.reasoning_text.delta', delta }),
        (delta: string) => ({ type: 'reasoning-delta', id: '0', delta }),
        (delta: string) => ({ choices: [{ index: 0, delta: { reasoning: delta } }] }),
        (delta: string) => ({ choices: [{ index: 0, delta: { reasoning_content: delta } }] }),
      ])
        for (const times of [1, 9]) {
          const { guard, heard } = listening();
          const sent: string[] = [];
          let pieces = 0;
          const model = {
            getResponse: () => Promise.reject(new Error('not here')),
            async *getStreamedResponse({ input }: { input: unknown }) {
              sent.push(JSON.stringify(input));
              if (sent.length <= times)
                for (const delta of words) {
                  pieces += 1;
                  yield { type: 'model' as const, event: eventOf(delta) };
                }
              yield { type: 'output_text_delta' as const, delta: 'Done.' };
              const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
              const output = [assistantMessage('Done.')];
              yield { type: 'response_done' as const, response: { id: '1', usage, output } };
            },
          };
          const agent = new Agent({ name: 'Finder', model: guard.model(model) });
          const stream = await guard.wrap(runAgent)(agent, 'Find it.', { stream: true });
          const end = await stream.completed.then(() => stream.finalOutput, findLoopHalted);
          expect(heard[0]?.decision.finding).toMatchObject({
            detector: 'stream-repeat',
            subject: 'reasoning',
          });
          expect([sent.length, pieces < 50, sent[1]?.includes('had begun to repeat itself')]).toEqual([
            2,
            true,
            true,
          ]);
          if (times === 1) expect(end).toBe('Done.');
          else expect(end).toMatchObject({ reason: { detector: 'stream-repeat' } });
        }
    });

    it('where the provider keeps the conversation, which may lack what was asked, such a run ends', async () => {
      for (const kept of [{ previousResponseId: 'before' }, { conversationId: 'one' }]) {
        const { guard, actions } = listening();
        let requests = 0;
        const model = {
          getResponse: () => Promise.reject(new Error('not here')),
          async *getStreamedResponse() {
            requests += 1;
            const event = {
              type: 'response.reasoning_summary_text.delta',
              delta: 'I should check the file again. ',
            };
            for (;;) yield { type: 'model' as const, event };
          },
        };
        const agent = new Agent({ name: 'Finder', model: guard.model(model) });
        const stream = await guard.wrap(runAgent)(agent, 'Find it.', { stream: true, ...kept });
        await stream.completed;
        expect([stream.finalOutput, requests, actions()]).toEqual(['', 1, ['nudge 0']]);
      }
    });

    it('may come from a runner, whose own filter stays', async () => {
      for (const way of ['model', 'modelProvider', 'none']) {
        const { guard, actions } = listening({ session: 'one' });
        const turns = vi.spyOn(guard.run('one'), 'turn');
        const { model } = script(again);
        const watched = guard.model(model);
        let filtered = 0;
        const runner = new Runner({
          ...(way === 'model' && { model: watched }),
          ...(way === 'modelProvider' && { modelProvider: { getModel: async () => watched } }),
          callModelInputFilter({ modelData }) {
            filtered += 1;
            return modelData;
          },
        });
        const { look } = counted();
        const tools = guard.tools([look]);
        const agent = new Agent({ name: 'Finder', tools, ...(way === 'none' && { model }) });
        const { finalOutput } = await guard.wrap(runner)(agent, 'Find it.', MANY);
        expect([finalOutput, filtered]).toEqual(['Report.', 8]);
        expect(turns.mock.calls).toHaveLength(8);
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
      }
    });

    it('know whose they are without tools, too', async () => {
      const { guard } = listening({ session: 'one' });
      const turns = vi.spyOn(guard.run('one'), 'turn');
      const { model } = script((n) =>
        n === 1 ? { calls: [callOf(n, 'transfer_to_Billing', {})] } : { text: 'Done.' },
      );
      const watched = guard.model(model);
      const other = new Agent({ name: 'Billing', model: watched });
      const agent = new Agent({ name: 'Triage', model: watched, handoffs: [other] });
      await guard.wrap(runAgent)(agent, 'Find it.');
      expect(turns.mock.calls.map(([turn]) => turn?.agent)).toEqual([undefined, 'Billing']);
    });

    it("do not hear what an agent asks that a guardrail, a rule or a filter of the user's runs", async () => {
      const ways = ['inputGuardrails', 'outputGuardrails', 'tool guardrails', 'needsApproval', 'filter'];
      for (const isData of [false, true])
        for (const way of ways) {
          const { guard, actions } = listening({ session: 'one' });
          const turns = vi.spyOn(guard.run('one'), 'turn');
          let n = 0;
          const answer = { text: isData ? '{"fine":true}' : 'Fine.' };
          const model = guard.model(
            scriptedModel(({ sent, tools }) => {
              if (sent.includes('Is it fine?')) return answer;
              n += 1;
              return tools ? again(n) : { text: 'Report.' };
            }),
          );
          const judges = {
            text: new Agent({ name: 'Judge', model, instructions: 'Judge.' }),
            data: new Agent({ name: 'Judge', model, outputType: z.object({ fine: z.boolean() }) }),
          };
          const judged = async () => {
            if (isData) await runAgent(judges.data, 'Is it fine?');
            else await runAgent(judges.text, 'Is it fine?');
            return { tripwireTriggered: false, outputInfo: null };
          };
          const before = {
            type: 'tool_input',
            name: 'own',
            run: async () => judged().then(() => ({ behavior: { type: 'allow' } })),
          };
          const { look } = counted(undefined, {
            ...(way === 'tool guardrails' && { inputGuardrails: [before] }),
            ...(way === 'needsApproval' && { needsApproval: async () => (await judged()).tripwireTriggered }),
          });
          const own = [{ name: 'own', execute: judged }];
          const agent = new Agent({
            name: 'Finder',
            instructions: 'Find it.',
            model,
            tools: guard.tools([look]),
            ...(way === 'inputGuardrails' && { inputGuardrails: own }),
            ...(way === 'outputGuardrails' && { outputGuardrails: own }),
          });
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', {
            ...MANY,
            ...(way === 'filter' && {
              callModelInputFilter: ({ modelData }) => judged().then(() => modelData),
            }),
          });
          expect([finalOutput, turns.mock.calls.length]).toEqual(['Report.', 8]);
          expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
        }
    });

    it('and others may hand over to each other', async () => {
      for (const watched of ['Triage', 'Billing', 'both']) {
        const { guard, actions } = listening({ session: 'one' });
        const told = vi.spyOn(guard.run('one'), 'tell');
        const { look, ran } = counted();
        const modelOf = (name: string, model: ReturnType<typeof script>['model']) =>
          watched === name || watched === 'both' ? guard.model(model) : model;
        const billing = script(again);
        const other = new Agent({
          name: 'Billing',
          model: modelOf('Billing', billing.model),
          tools: guard.tools([look]),
        });
        const { model } = script((n) => ({ calls: [callOf(n, 'transfer_to_Billing', {})] }));
        const agent = new Agent({
          name: 'Triage',
          model: modelOf('Triage', model),
          tools: guard.tools([look]),
          handoffs: [other],
        });
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Find it.', MANY);
        expect([finalOutput, ran.length]).toEqual(['Report.', 4]);
        // The handoff is the first call.
        expect(actions()).toEqual(['nudge 4', 'block 6', 'block 7', 'halt 8']);
        expect(told.mock.calls.map(([event]) => event)).toEqual([{ type: 'handoff', to: 'Billing' }]);
      }
    });
  });
}
