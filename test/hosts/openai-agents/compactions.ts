import {
  Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  handoff,
  MemorySession,
  run as runAgent,
  tool,
  Usage,
} from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, it, vi } from 'vitest';
import type { WatchOptions } from '../../../src/adapters/openai-agents/index.ts';
import type { ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { anything } from './host.ts';
import { listening, MANY, script } from './stage.ts';

const SUMMARY: AgentInputItem = { role: 'user', content: 'All files were read.' };
/** So many files, one after the other, and again from the first. */
const reading =
  (files: number, last: number) =>
  (n: number): ScriptedTurn =>
    n <= last ? { calls: [callOf(n, 'look', { path: `src/${n % files}.ts` })] } : { text: 'Done.' };

/** An agent that reads, and what is told of it. */
function reader(turn: Parameters<typeof script>[0], watched: boolean, options: WatchOptions = {}) {
  const { guard, heard } = listening({ session: 'one', ...options });
  const told = vi.spyOn(guard.run('one'), 'tell');
  const { model: own, requests } = script(turn);
  const look = tool({
    name: 'look',
    description: 'look',
    parameters: anything,
    strict: false,
    execute: async (args) => `The code of ${JSON.stringify(args)}: ${JSON.stringify(args).repeat(20)}`,
  });
  const model = watched ? guard.model(own) : own;
  const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
  const compactions = () => told.mock.calls.filter(([{ type }]) => type === 'compaction').length;
  return { guard, heard, requests, model, look, agent, compactions, run: guard.wrap(runAgent) };
}

/** More items than these are summed up. */
function compacting(most: number, ask: () => Promise<unknown> = async () => {}): CallModelInputFilter {
  let from = 0;
  return async ({ modelData }) => {
    const { input } = modelData;
    await ask();
    if (input.length - from > most) from = input.length;
    return from === 0 ? modelData : { ...modelData, input: [SUMMARY, ...input.slice(from)] };
  };
}

/** Only the oldest items fall out. */
const sliding: CallModelInputFilter = ({ modelData }) => {
  const [first, ...rest] = modelData.input;
  return rest.length > 6 && first ? { ...modelData, input: [first, ...rest.slice(-6)] } : modelData;
};

/** What the model may have forgotten. */
export function testCompactions(): void {
  for (const watched of [false, true])
    describe(`OpenAI Agents SDK: conversations that are compacted, ${watched ? 'a watched' : 'any'} model`, () => {
      it('may be looked at again', async () => {
        const { run, agent, requests, heard, compactions } = reader(reading(6, 12), watched);
        const options = { ...MANY, callModelInputFilter: compacting(12) };
        const { finalOutput } = await run(agent, 'Explain it.', options);
        expect(requests[6]?.sent).not.toContain('Explain it.');
        expect(finalOutput).toBe('Done.');
        expect(heard).toEqual([]);
        expect(compactions()).toBe(1);
      });

      it('may be looked at again behind a compaction of the provider', async () => {
        const { guard, look, heard, compactions, run } = reader(reading(6, 12), watched);
        const responses = Array.from({ length: 13 }, (_, index) => {
          const { text, calls = [] }: ScriptedTurn = reading(6, 12)(index + 1);
          return {
            usage: new Usage(),
            output: [
              ...(index === 6 ? [{ type: 'compaction' as const, encrypted_content: 'All files.' }] : []),
              ...(text === undefined ? [] : [assistantMessage(text)]),
              ...calls.map(({ id, tool: name, args }) =>
                functionCall(name, JSON.stringify(args), { callId: id }),
              ),
            ],
          };
        });
        const own = new ScriptedModel(responses);
        const model = watched ? guard.model(own) : own;
        const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
        const { finalOutput } = await run(agent, 'Explain it.', MANY);
        expect(finalOutput).toBe('Done.');
        expect(heard).toEqual([]);
        expect(compactions()).toBe(1);
      });

      it('again and again are no progress', async () => {
        const { guard, run, agent, requests } = reader(reading(3, 55), watched);
        await run(agent, 'Explain it.', { ...MANY, callModelInputFilter: compacting(8) });
        expect(guard.stopped?.detector).toBe('fruitless-compactions');
        expect(requests.length).toBeLessThan(30);
      });

      it('are not those of which only the oldest items fall out', async () => {
        const { guard, run, agent, requests, compactions } = reader(reading(3, 55), watched);
        await run(agent, 'Explain it.', { ...MANY, callModelInputFilter: sliding });
        expect(compactions()).toBe(0);
        expect(guard.stopped).not.toBeNull();
        expect(requests.length).toBeLessThan(30);
      });

      it('are not those that the provider keeps', async () => {
        for (const kept of [{ conversationId: 'conv_1' }, { previousResponseId: 'resp_1' }]) {
          const { run, agent, compactions } = reader(reading(6, 6), watched);
          const input = Array.from({ length: 9 }, () => SUMMARY);
          const { finalOutput } = await run(agent, input, { ...MANY, ...kept });
          expect(finalOutput).toBe('Done.');
          expect(compactions()).toBe(0);
        }
      });

      it('are not those of agents that are handed a part of it', async () => {
        const { guard, run, model, look, compactions } = reader((n) => {
          if (n <= 6) return reading(6, 6)(n);
          return n === 7 ? { calls: [callOf(n, 'transfer_to_Writer', {})] } : { text: 'Done.' };
        }, watched);
        const writer = new Agent({ name: 'Writer', model, tools: guard.tools([look]) });
        const triage = new Agent({
          name: 'Triage',
          model,
          tools: guard.tools([look]),
          handoffs: [
            handoff(writer, {
              inputFilter: (data) => ({ ...data, inputHistory: [SUMMARY], preHandoffItems: [] }),
            }),
          ],
        });
        const { finalOutput } = await run(triage, 'Explain it.', MANY);
        expect(finalOutput).toBe('Done.');
        expect(compactions()).toBe(0);
      });

      it('may be looked at again where a person approves every call', async () => {
        const { guard, run, model, look, heard, compactions } = reader(reading(6, 12), watched);
        const tools = guard.tools([{ ...look, needsApproval: async () => true }]);
        const agent = new Agent({ name: 'Finder', model, tools });
        const options = { ...MANY, callModelInputFilter: compacting(12) };
        let result = await run(agent, 'Explain it.', options);
        while (result.interruptions.length > 0) {
          for (const item of result.interruptions) result.state.approve(item);
          result = await run(agent, result.state, options);
        }
        expect(result.finalOutput).toBe('Done.');
        expect(heard).toEqual([]);
        expect(compactions()).toBe(1);
      });

      it('may be looked at again in a session that sums up between two runs', async () => {
        const { run, agent, heard, compactions } = reader(
          (n) => (n === 7 ? { text: 'Read.' } : reading(6, 13)(n)),
          watched,
        );
        const session = new MemorySession({ sessionId: 'one' });
        await run(agent, 'Explain it.', { ...MANY, session });
        await session.clearSession();
        await session.addItems([SUMMARY]);
        const { finalOutput } = await run(agent, 'Go on.', { ...MANY, session });
        expect(finalOutput).toBe('Done.');
        expect(heard).toEqual([]);
        expect(compactions()).toBe(0);
      });
    });

  it('OpenAI Agents SDK: what else a watched model is asked is no compaction', async () => {
    const { run, agent, model, heard, compactions } = reader(reading(13, 13), true);
    const judged = compacting(100, () =>
      model.getResponse({
        input: 'Is it going well?',
        modelSettings: {},
        tools: [],
        handoffs: [],
        outputType: 'text',
        tracing: false,
      }),
    );
    const { finalOutput } = await run(agent, 'Explain it.', { ...MANY, callModelInputFilter: judged });
    expect(finalOutput).toBe('Done.');
    expect(heard).toEqual([]);
    expect(compactions()).toBe(0);
  });
}
