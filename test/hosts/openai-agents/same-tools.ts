import { Agent, RunState, run as runAgent, tool } from '@openai/agents';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, NOTHING } from '../driver.ts';
import { anything } from './host.ts';
import { counted, listening, MANY, script } from './stage.ts';

/** A tool that is to be approved for large amounts; without a word about it, the amount is large. */
function payment(policy = ({ amount }: { readonly amount: number }) => amount > 100) {
  const seen: unknown[] = [];
  const paid: unknown[] = [];
  const pay = tool({
    name: 'pay',
    description: 'pay',
    parameters: z.object({ amount: z.number().default(500), to: z.string() }),
    async needsApproval(_context, input) {
      seen.push(input);
      return policy(input);
    },
    async execute(input) {
      paid.push(input);
      return NOTHING;
    },
  });
  return { pay, seen, paid };
}

const once = (tool: string, args: Json) => (n: number) =>
  n === 1 ? { calls: [callOf(n, tool, args)] } : { text: 'Done.' };

/** What the SDK knows tools, their input and the agents in them by is theirs under a guard, too. */
export function testSameTools(): void {
  describe('OpenAI Agents SDK: tools in `guard.tools`', () => {
    it('ask for approvals by the input that they run with', async () => {
      for (const attended of [false, true])
        for (const watched of [false, true]) {
          const { guard, heard } = listening({ attended });
          const { pay, seen, paid } = payment();
          const { model } = script(once('pay', { to: 'Bob' }));
          const agent = new Agent({
            name: 'Clerk',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([pay]),
          });
          const run = guard.wrap(runAgent);
          const held = await run(agent, 'Pay Bob.');
          expect([held.interruptions.length, seen, paid]).toEqual([1, [{ amount: 500, to: 'Bob' }], []]);
          const state = await RunState.fromString(agent, held.state.toString());
          for (const item of state.getInterruptions()) state.approve(item);
          const { finalOutput } = await run(agent, state);
          expect([finalOutput, paid, heard]).toEqual(['Done.', [{ amount: 500, to: 'Bob' }], []]);
        }
    });

    it('fail as before where a rule cannot read the input', async () => {
      const failing = async (wrapped: boolean) => {
        const { guard } = listening();
        const { pay } = payment(({ amount }) => amount.toFixed(2) === '');
        const { model } = script(once('pay', { amount: 'many' }));
        const tools = wrapped ? guard.tools([pay]) : [pay];
        const run = wrapped ? guard.wrap(runAgent) : runAgent;
        const error: unknown = await run(new Agent({ name: 'Clerk', model, tools }), 'Pay.').catch((e) => e);
        return String(error);
      };
      expect(await failing(true)).toBe(await failing(false));
    });

    it('count once, whatever their schema adds to a call', async () => {
      for (const watched of [false, true]) {
        const { guard, actions } = listening({ attended: true, session: 'one' });
        const { pay, paid } = payment(() => false);
        const { model } = script((n) => ({ calls: [callOf(n, 'pay', { to: 'Bob' })] }));
        const agent = new Agent({
          name: 'Clerk',
          model: watched ? guard.model(model) : model,
          tools: guard.tools([pay]),
        });
        const run = guard.wrap(runAgent);
        const held = await run(agent, 'Pay Bob.', MANY);
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'ask 7']);
        expect(paid).toHaveLength(4);
        const state = await RunState.fromString(agent, held.state.toString());
        for (const item of state.getInterruptions()) state.reject(item);
        const { finalOutput } = await run(agent, state, MANY);
        expect([finalOutput, paid.length, guard.stopped?.action]).toEqual(['Report.', 4, 'ask']);
      }
    });

    it('may be frozen', async () => {
      const { guard } = listening();
      const { look, ran } = counted();
      const { model } = script(once('look', {}));
      const sub = new Agent({ name: 'Sub', model: script(() => ({ text: 'Found.' })).model });
      const asTool = sub.asTool({ toolName: 'ask', toolDescription: 'ask' });
      const tools = guard.tools([Object.freeze(look), Object.freeze(asTool)]);
      const { finalOutput } = await guard.wrap(runAgent)(new Agent({ name: 'Main', model, tools }), 'Go.');
      expect([finalOutput, ran.length]).toEqual(['Done.', 1]);
    });
  });

  describe('OpenAI Agents SDK: agents in `guard.tools`', () => {
    it('are asked for approvals, wherever the answer comes from', async () => {
      for (const watched of [false, true])
        for (const attended of [false, true])
          for (const yes of [false, true]) {
            const { guard, heard } = listening({ attended });
            const seen = <Given extends object>(model: Given) => (watched ? guard.model(model) : model);
            const { look, ran } = counted((n) => `Result ${n}.`, { needsApproval: true });
            const inner = script((n) =>
              n <= 8 && (yes || n === 1) ? { calls: [callOf(n, 'look', { n })] } : { text: 'Found.' },
            );
            const sub = new Agent({ name: 'Sub', model: seen(inner.model), tools: guard.tools([look]) });
            const asTool = sub.asTool({
              toolName: 'ask',
              toolDescription: 'ask',
              runOptions: guard.runOptions,
            });
            const main = script(once('ask', { input: 'x' }));
            const agent = new Agent({ name: 'Main', model: seen(main.model), tools: guard.tools([asTool]) });
            const run = guard.wrap(runAgent);
            let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
            let answers = 0;
            for (; result.interruptions.length > 0 && answers < 20; answers += 1) {
              const state = await RunState.fromString(agent, result.state.toString());
              for (const item of state.getInterruptions())
                if (yes) state.approve(item);
                else state.reject(item);
              result = await run(agent, state, MANY);
            }
            expect([result.finalOutput, answers, ran.length]).toEqual(['Done.', yes ? 8 : 1, yes ? 8 : 0]);
            expect(heard).toEqual([]);
          }
    });

    it('are blocked and taken away in the runs of the guards that they were given to, and in no others', async () => {
      const sub = new Agent({ name: 'Sub', model: script(() => ({ text: NOTHING })).model });
      const asTool = sub.asTool({ toolName: 'ask', toolDescription: 'ask' });
      const { needsApproval, isEnabled, inputGuardrails, outputGuardrails } = asTool;
      const own = { needsApproval, isEnabled, inputGuardrails, outputGuardrails };
      const main = (last = 60) => {
        const { model, requests } = script((n) =>
          n <= last ? { calls: [callOf(n, 'ask', { input: 'x' })] } : { text: 'Done.' },
        );
        return { agent: new Agent({ name: 'Main', model, tools: [asTool] }), requests };
      };
      const one = listening();
      const other = listening({ attended: true });
      for (const { guard } of [one, other, one]) expect(guard.tools([asTool])[0]).toBe(asTool);
      const unguarded = async () => {
        const { finalOutput, toolInputGuardrailResults, interruptions } = await runAgent(
          main(12).agent,
          'Go.',
          MANY,
        );
        expect([finalOutput, toolInputGuardrailResults, interruptions]).toEqual(['Done.', [], []]);
        expect(asTool).toMatchObject(own);
      };
      await unguarded();
      const stopped = main();
      expect((await one.guard.wrap(runAgent)(stopped.agent, 'Go.', MANY)).finalOutput).toBe('Report.');
      expect([one.actions(), other.actions()]).toEqual([['nudge 3', 'block 5', 'block 6', 'halt 7'], []]);
      expect(stopped.requests.at(-1)?.tools).toBe(false);
      const held = await other.guard.wrap(runAgent)(main().agent, 'Go.', MANY);
      expect([held.interruptions.length, other.actions().at(-1)]).toEqual([1, 'ask 7']);
      expect(one.heard).toHaveLength(4);
      await unguarded();
      const both = [listening(), listening()] as const;
      const run = both[0].guard.wrap(both[1].guard.wrap(runAgent));
      for (const { guard } of both) guard.tools([asTool]);
      await run(main().agent, 'Go.', MANY);
      for (const { actions } of both) expect(actions().at(-1)).toBe('halt 7');
    });

    it('keep what is put on them later', async () => {
      const { guard } = listening();
      const { model } = script(() => ({ text: 'Found.' }));
      const asTool = new Agent({ name: 'Sub', model }).asTool({ toolName: 'ask', toolDescription: 'ask' });
      const tools = guard.tools([asTool]);
      asTool.needsApproval = async () => true;
      const agent = new Agent({ name: 'Main', model: script(once('ask', { input: 'x' })).model, tools });
      expect((await guard.wrap(runAgent)(agent, 'Go.')).interruptions).toHaveLength(1);
    });
  });

  describe('OpenAI Agents SDK: agents that another guard watches inside of a tool', () => {
    it('are none of the business of the one around, wherever the conversation is kept', async () => {
      for (const where of [{}, { conversationId: 'conv_1' }, { previousResponseId: 'resp_0' }]) {
        const one = listening();
        const other = listening();
        const { look, ran } = counted();
        const inner = script((n) => (n % 2 === 1 ? again(n) : { text: `Result ${n}.` }));
        const sub = new Agent({ name: 'Sub', model: inner.model, tools: other.guard.tools([look]) });
        const ask = tool({
          name: 'ask',
          description: 'ask',
          parameters: anything,
          strict: false,
          execute: async (args) =>
            (await other.guard.wrap(runAgent)(sub, `Look: ${JSON.stringify(args)}`)).finalOutput,
        });
        const main = script((n) => (n <= 12 ? { calls: [callOf(n, 'ask', { n })] } : { text: 'Done.' }));
        const agent = new Agent({ name: 'Main', model: main.model, tools: one.guard.tools([ask]) });
        const { finalOutput } = await one.guard.wrap(runAgent)(agent, 'Go.', { ...MANY, ...where });
        expect([finalOutput, ran.length, one.heard, other.heard]).toEqual(['Done.', 12, [], []]);
        expect(one.guard.run().stoppedFor('Sub')).toBeNull();
      }
    });
  });

  describe('OpenAI Agents SDK: calls of tools that run agents', () => {
    it('end where they were made, although the options of an agent were read in them', async () => {
      for (const guarded of [false, true]) {
        const { guard, actions } = listening({ session: 'one' });
        const failed = vi.spyOn(guard.run('one'), 'failed');
        const ask = tool({
          name: 'ask',
          description: 'ask',
          parameters: anything,
          strict: false,
          errorFunction: guard.errorFunction(),
          execute: async () => {
            throw new Error(`no agent for ${Object.keys({ ...guard.runOptions })}`);
          },
        });
        const main = script((n) => ({ calls: [callOf(n, 'ask', {})] }));
        const tools = guarded ? guard.tools([ask]) : [ask];
        const agent = new Agent({ name: 'Main', model: guard.model(main.model), tools });
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
        expect([finalOutput, actions().at(-1)?.split(' ')[0]]).toEqual(['Report.', 'halt']);
        expect(failed.mock.calls.length > 0).toBe(guarded);
      }
    });

    it('are heard, too, where an agent was handed over to without a word to the guard', async () => {
      const { guard, heard } = listening();
      const { look } = counted();
      const reader = new Agent({ name: 'Reader', model: script(() => ({ text: NOTHING })).model });
      const read = reader.asTool({ toolName: 'read', toolDescription: 'read' });
      const second = script((n) => ({ calls: [callOf(n, 'read', { input: 'x' })] }));
      const expert = new Agent({ name: 'Expert', model: second.model, tools: guard.tools([read]) });
      const sub = new Agent({
        name: 'Sub',
        model: script(once('transfer_to_Expert', {})).model,
        tools: guard.tools([look]),
        handoffs: [expert],
      });
      const asTool = sub.asTool({ toolName: 'ask', toolDescription: 'ask', runOptions: MANY });
      const main = script(once('ask', { input: 'x' }));
      const agent = new Agent({ name: 'Main', model: main.model, tools: guard.tools([asTool]) });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
      expect(finalOutput).toBe('Done.');
      expect(heard.map(({ decision }) => [decision.action, decision.agent])).toEqual(
        ['nudge', 'nudge', 'block', 'block', 'block', 'halt'].map((action) => [action, 'Expert']),
      );
    });
  });
}
