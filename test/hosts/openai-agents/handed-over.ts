import { Agent, type AgentInputItem, MemorySession, RunState, run as runAgent } from '@openai/agents';
import { describe, expect, it, vi } from 'vitest';
import type { WatchOptions } from '../../../src/adapters/openai-agents/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';
import { again, until } from '../driver.ts';
import { counted, listening, MANY, script } from './stage.ts';

type Turn = Parameters<typeof script>[0];
type Desk = { readonly watched: boolean; readonly options?: WatchOptions; readonly approves?: boolean };

let calls = 0;
const call = (tool: string, args = {}) => ({ calls: [{ id: `call ${++calls}`, tool, args }] });
/** Hands over at once. */
const handsOver: Turn = () => call('transfer_to_Orders');
/** Looks once, then answers. */
const answers: Turn = (n) => (n % 2 ? call('look', { order: 'A1' }) : { text: 'It is shipped.' });

/** One who takes the messages, and one who does the work. */
function desk(turn: Turn, { watched, options, approves = false }: Desk, first: Turn = handsOver) {
  const { guard, heard } = listening(options);
  const seen = <Model extends object>(model: Model) => (watched ? guard.model(model) : model);
  const { look, ran } = counted(() => '{"order":"A1","status":"shipped"}');
  const ask = counted(undefined, { name: 'ask', needsApproval: true }).look;
  const works = script(turn);
  const orders = new Agent({ name: 'Orders', model: seen(works.model), tools: guard.tools([look]) });
  const triage = new Agent({
    name: 'Triage',
    model: seen(script(first).model),
    tools: approves ? guard.tools([ask]) : [],
    handoffs: [orders],
  });
  return { guard, heard, ran, triage, works, run: guard.wrap(runAgent) };
}

/** What a person writes is for everyone who gets the work. */
export function testHandedOver(): void {
  describe('OpenAI Agents SDK: behind a handoff', () => {
    it('each message of a person is a new one, in a session or as a list of items', async () => {
      const clock: AgentInputItem = { role: 'system', content: 'It is noon.' };
      for (const watched of [false, true])
        for (const kept of [false, true]) {
          const { guard, heard, ran, triage, run } = desk(answers, { watched, options: { session: 'chat' } });
          const told = vi.spyOn(guard.run('chat'), 'user');
          const session = new MemorySession({ sessionId: 'chat' });
          let items: AgentInputItem[] = [];
          for (let n = 1; n <= 8; n++) {
            const words = `Where is A1 now? (${n})`;
            const message = { role: 'user' as const, content: words };
            const input = kept ? words : [...items, message, clock];
            items = (await run(triage, input, kept ? { session } : {})).history;
            expect(told.mock.calls.splice(0)).toEqual([
              [words, { agent: undefined }],
              [words, { agent: 'Orders' }],
            ]);
          }
          expect([heard, ran.length]).toEqual([[], 8]);
        }
    });

    it('a message ends a stop; to go on without one is no message', async () => {
      for (const watched of [false, true]) {
        let isStuck = true;
        const turn: Turn = (n) => (isStuck ? again(n) : { text: 'All is well.' });
        const { guard, triage, run } = desk(turn, { watched, options: { session: 'chat' } });
        const first = await run(triage, 'Where is A1?', MANY);
        expect([first.finalOutput, guard.stopped?.agent]).toEqual(['Report.', 'Orders']);
        isStuck = false;
        await expect(run(triage, first.history, MANY)).rejects.toThrow('Stopped');
        const input: AgentInputItem[] = [...first.history, { role: 'user', content: 'Look again.' }];
        expect((await run(triage, input, MANY)).finalOutput).toBe('All is well.');
        expect(guard.stopped).toBeNull();
      }
    });

    it('whoever was stopped is let go on by its name', async () => {
      let isStuck = true;
      const turn: Turn = (n) => (isStuck ? again(n) : { text: 'All is well.' });
      const { guard, triage, run } = desk(turn, { watched: false, options: { session: 'chat' } });
      const { history } = await run(triage, 'Where is A1?', MANY);
      isStuck = false;
      guard.run().resume(guard.stopped?.agent);
      expect((await run(triage, history, MANY)).finalOutput).toBe('All is well.');
    });

    it('a question outlives its process, and is over with a new message', async () => {
      for (const watched of [false, true])
        for (const goesOn of [false, true]) {
          const store = createMemoryStore();
          const options = { attended: true, store, session: 'chat' };
          const one = desk(again, { watched, options });
          const held = await one.run(one.triage, 'Where is A1?', MANY);
          expect([held.interruptions.length, one.ran.length]).toEqual([1, 4]);
          const two = desk(until(1), { watched, options });
          const state = await RunState.fromString(two.triage, held.state.toString());
          for (const item of state.getInterruptions()) state.reject(item);
          const { finalOutput } = await two.run(two.triage, goesOn ? state : 'And now?', MANY);
          expect([finalOutput, two.ran.length]).toEqual(goesOn ? ['Report.', 0] : ['Done.', 1]);
          expect(two.guard.stopped?.agent).toBe(goesOn ? 'Orders' : undefined);
        }
    });

    it('a message counts for those, too, who get the work in another process', async () => {
      for (const watched of [false, true]) {
        const store = createMemoryStore();
        const first: Turn = (_, { sent }) =>
          call(sent.includes('function_call_result') ? 'transfer_to_Orders' : 'ask');
        for (let n = 1; n <= 8; n++) {
          const process = () =>
            desk(answers, { watched, approves: true, options: { store, session: 'chat' } }, first);
          const one = process();
          const held = await one.run(one.triage, 'Where is A1?');
          const two = process();
          const told = vi.spyOn(two.guard.run('chat'), 'user');
          const state = await RunState.fromString(two.triage, held.state.toString());
          for (const item of state.getInterruptions()) state.approve(item);
          expect((await two.run(two.triage, state)).finalOutput).toBe('It is shipped.');
          expect([one.heard, two.heard, two.ran.length]).toEqual([[], [], 1]);
          expect(told.mock.calls).toEqual([['Where is A1?', { agent: 'Orders' }]]);
        }
      }
    });

    it('each task of an agent that is a tool is a new one', async () => {
      for (const watched of [false, true])
        for (const plain of [false, true]) {
          const { guard, triage, heard, ran, works } = desk(answers, { watched });
          const asTool = triage.asTool({
            toolName: 'check',
            toolDescription: 'check',
            ...(!plain && { runOptions: guard.runOptions }),
          });
          const { model } = script((n) => (n <= 8 ? call('check', { input: `${n}` }) : { text: 'Done.' }));
          const lead = new Agent({
            name: 'Lead',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([asTool]),
          });
          expect((await guard.wrap(runAgent)(lead, 'Go.', MANY)).finalOutput).toBe('Done.');
          expect([heard, ran.length, works.requests.length]).toEqual([[], 8, 16]);
        }
    });

    it('in one task of such an agent the same work is stopped, and forgotten with the next', async () => {
      for (const watched of [false, true]) {
        const { guard, triage, heard, works } = desk(
          (n, { sent }) => (sent.includes('task 1') ? again(n) : { text: 'All is well.' }),
          { watched },
        );
        const { runOptions } = guard;
        const asTool = triage.asTool({ toolName: 'check', toolDescription: 'check', runOptions });
        const { model } = script((n) => (n <= 2 ? call('check', { input: `task ${n}` }) : { text: 'Done.' }));
        const lead = new Agent({ name: 'Lead', model, tools: guard.tools([asTool]) });
        expect((await guard.wrap(runAgent)(lead, 'Go.', MANY)).finalOutput).toBe('Done.');
        expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set(['Orders']));
        expect(heard.at(-1)?.decision.action).toBe('halt');
        const { sent, tools } = works.requests.at(-1) ?? {};
        expect([tools, sent?.includes('has given the same result')]).toEqual([true, false]);
      }
    });
  });

  describe('OpenAI Agents SDK: what a program says by itself', () => {
    const talks: Turn = () => ({ text: 'I will now look at the logs and fix the problem.' });
    const looks: Turn = (n) => (n % 2 ? call('look', { order: 'A1' }) : talks(n, { sent: '', tools: true }));
    const goOn: AgentInputItem = { role: 'user', content: 'Continue.' };
    const byHost = ({ content }: { readonly content?: unknown }) => content === 'Continue.';

    /** How often a program lets the agent go on until it is stopped. */
    async function goingOn(turn: Turn, first: Turn, watched: boolean, whose: object): Promise<number> {
      const { guard, triage } = desk(turn, { watched, options: { session: 'nightly' } }, first);
      const run = guard.wrap(runAgent, whose);
      let items: AgentInputItem[] = [{ role: 'user', content: 'Find the cause.' }];
      let runs = 0;
      for (; guard.stopped === null && runs < 20; runs++)
        items = [...(await run(triage, items)).history, goOn];
      return runs;
    }

    it('is no word of a person, where it says so, for whoever gets the work', async () => {
      for (const watched of [false, true]) {
        expect(await goingOn(answers, talks, watched, { byHost })).toBe(6);
        expect(await goingOn(talks, handsOver, watched, { byHost })).toBe(6);
        expect(await goingOn(looks, handsOver, watched, { byHost })).toBe(6);
        for (const turn of [talks, looks]) expect(await goingOn(turn, handsOver, watched, {})).toBe(20);
      }
    });

    it("is a person's where the function throws that is asked, and onError hears of it", async () => {
      const errors: unknown[] = [];
      const onError = (error: unknown, about: unknown) => errors.push([String(error), about]);
      const { guard, triage } = desk(talks, { watched: true, options: { onError } }, talks);
      const broken = () => {
        throw new Error('No.');
      };
      await guard.wrap(runAgent, { byHost: broken })(triage, 'Find the cause.');
      expect(errors).toEqual([['Error: No.', 'byHost']]);
    });
  });

  describe('OpenAI Agents SDK: a new conversation', () => {
    it('in the same session finds nothing that was said in another', async () => {
      for (const watched of [false, true])
        for (const inTool of [false, true]) {
          const turn: Turn = (n) => (n <= 4 ? again(n) : { text: 'Found.' });
          const { guard, triage, run, works } = desk(turn, { watched, options: { session: 'jobs' } });
          const job = (n: number) => run(triage, `Job ${n}.`, MANY);
          const { look } = counted(undefined, {
            execute: async () => (await job(works.requests.length)).finalOutput,
          });
          const { model } = script((n) => (n <= 2 ? call('look', { n }) : { text: 'Done.' }));
          const lead = new Agent({ name: 'Lead', model, tools: guard.tools([look]) });
          if (inTool) await run(lead, 'Go.', MANY);
          else for (const n of [1, 2]) await job(n);
          const isNudged = works.requests.map(({ sent }) => sent.includes('has given the same result'));
          expect(isNudged).toEqual([false, false, false, true, true, false]);
        }
    });
  });

  describe('OpenAI Agents SDK: a session that has kept nothing', () => {
    it('because of a stop finds nothing of it in the next conversation', async () => {
      for (const watched of [false, true]) {
        const { guard } = listening({ lastTurn: false });
        const { model, requests } = script((n) => (n <= 7 ? again(n) : { text: 'Done.' }));
        const agent = new Agent({
          name: 'Finder',
          model: watched ? guard.model(model) : model,
          tools: guard.tools([counted().look]),
        });
        const session = new MemorySession({ sessionId: 'chat' });
        const run = guard.wrap(runAgent);
        await expect(run(agent, 'Find it.', { ...MANY, session })).rejects.toThrow('Stopped');
        await run(agent, 'Thanks.', { ...MANY, session });
        expect(requests.at(-2)?.sent).toContain('has given the same result');
        expect(requests.at(-1)?.sent).not.toContain('has given the same result');
      }
    });
  });

  describe('OpenAI Agents SDK: an agent that outlives its guards', () => {
    it('is listened to once, and each guard hears of its own runs', async () => {
      const { model } = script((n) => (n % 3 ? call('look', { n }) : { text: 'Done.' }));
      const agent = new Agent({ name: 'Finder', model, tools: [counted((n) => `Result ${n}.`).look] });
      const on = vi.spyOn(agent, 'on');
      const counts: number[] = [];
      for (let n = 1; n <= 12; n++) {
        const { guard } = listening({ session: `request ${n}` });
        const turns = vi.spyOn(guard.run(), 'turn');
        await guard.wrap(runAgent)(agent, 'Find it.');
        counts.push(on.mock.calls.length);
        expect(turns).toHaveBeenCalledTimes(3);
      }
      expect(new Set(counts).size).toBe(1);
    });
  });
}
