import { Agent, RunState, run as runAgent, tool } from '@openai/agents';
import { describe, expect, it, vi } from 'vitest';
import type { OpenAiAgentsGuard, WatchOptions } from '../../../src/adapters/openai-agents/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, until } from '../driver.ts';
import { anything } from './host.ts';
import { counted, listening, MANY, script } from './stage.ts';

type Turn = Parameters<typeof script>[0];
type Seen = { readonly watched: boolean; readonly guarded: boolean };

const WAYS: readonly Seen[] = [false, true].flatMap((watched) =>
  [false, true].map((guarded) => ({ watched, guarded })),
);

/** An agent with tools, and it as a tool. */
function inner(
  guard: OpenAiAgentsGuard,
  { watched }: Pick<Seen, 'watched'>,
  name: string,
  turn: Turn,
  options = guard.runOptions,
) {
  const { model, requests } = script(turn);
  const { look, ran } = counted();
  const agent = new Agent({
    name,
    model: watched ? guard.model(model) : model,
    tools: guard.tools([look]),
  });
  const asTool = agent.asTool({ toolName: `ask_${name}`, toolDescription: name, runOptions: options });
  return { asTool, requests, ran };
}

function outer(
  guard: OpenAiAgentsGuard,
  { watched, guarded }: Seen,
  tools: ReturnType<typeof inner>['asTool'][],
  turn: Turn,
) {
  const { model, requests } = script(turn);
  const agent = new Agent({
    name: 'Main',
    model: watched ? guard.model(model) : model,
    tools: guarded ? guard.tools(tools) : tools,
  });
  return { agent, requests };
}

const APPROVED = (['plain', 'as they are', 'read before'] as const).flatMap((options) =>
  [false, true].flatMap((watched) => [false, true].map((saved) => ({ options, watched, saved }))),
);

/** An agent that is a tool, whose own tool waits for a person. */
function approved(
  { options, watched }: (typeof APPROVED)[number],
  given: WatchOptions,
  more: object,
  turn: Turn = again,
  tasks = 1,
  input?: string,
) {
  const { guard, heard } = listening({ ...given, session: 'one' });
  const seen = <Model extends object>(model: Model) => (watched ? guard.model(model) : model);
  const { look, ran } = counted(undefined, more);
  const sub = new Agent({ name: 'A', model: seen(script(turn).model), tools: guard.tools([look]) });
  const runOptions = options === 'as they are' ? guard.runOptions : { ...guard.runOptions, ...MANY };
  const asTool = sub.asTool({
    toolName: 'ask_A',
    toolDescription: 'A',
    runOptions: options === 'plain' ? MANY : runOptions,
  });
  const main = script((n) => (n <= tasks ? { calls: [asks(n, 'A', input)] } : { text: 'Done.' }));
  const agent = new Agent({ name: 'Main', model: seen(main.model), tools: guard.tools([asTool]) });
  return { guard, heard, agent, ran, run: guard.wrap(runAgent) };
}

const asks = (n: number, name = 'A', input = `task ${n}`) => ({
  ...callOf(n, `ask_${name}`, { input }),
  id: `main-${n}`,
});
const SAME = 'has given the same result 3 times';

/** Agents that are tools, or that are run inside of one. */
export function testInnerAgents(): void {
  describe('OpenAI Agents SDK: agents inside of tools', () => {
    it('are left alone, and so is the one that asks them, while they get on', async () => {
      for (const way of WAYS) {
        const { guard, heard } = listening({ session: 'one' });
        const told = vi.spyOn(guard.run('one'), 'tell');
        // In every run it must look anew.
        const a = inner(guard, way, 'A', (n) => (n % 2 === 1 ? again(n) : { text: `Result ${n}.` }));
        const { agent } = outer(guard, way, [a.asTool], (n) =>
          n <= 30 ? { calls: [asks(n)] } : { text: 'Done.' },
        );
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
        expect([finalOutput, a.ran.length, heard.length]).toEqual(['Done.', 30, 0]);
        expect(told.mock.calls.map(([event]) => event)).toEqual([{ type: 'spawn', to: 'A' }]);
      }
    });

    it('have nothing to do with the loop of the one that asks them', async () => {
      for (const way of WAYS) {
        const { guard, heard } = listening({ session: 'one', lastTurn: false });
        const a = inner(guard, way, 'A', (n) => (n % 2 === 1 ? again(n) : { text: 'Nothing.' }));
        const { agent } = outer(guard, way, [a.asTool], (n) => ({ calls: [asks(n, 'A', 'x')] }));
        await guard
          .wrap(runAgent)(agent, 'Go.', MANY)
          .catch(() => {});
        expect(heard.map(({ decision }) => [decision.action, decision.agent])).toEqual(
          ['nudge', 'block', 'block', 'halt'].map((action) => [action, undefined]),
        );
        expect(guard.stopped?.agent).toBeUndefined();
      }
    });

    it('are told from each other when they run at once', async () => {
      for (const way of WAYS) {
        const { guard, heard } = listening({ session: 'one' });
        const turns = vi.spyOn(guard.run('one'), 'turn');
        const a = inner(guard, way, 'A', again);
        const b = inner(guard, way, 'B', (n) =>
          n <= 6 ? { calls: [callOf(n, 'look', { n })], text: `B ${n}` } : { text: 'B is done.' },
        );
        const { agent, requests } = outer(guard, way, [a.asTool, b.asTool], (n) =>
          n === 1 ? { calls: [asks(1, 'A'), asks(2, 'B')] } : { text: 'Done.' },
        );
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
        expect(finalOutput).toBe('Done.');
        expect(heard.map(({ decision }) => [decision.action, decision.agent])).toEqual(
          ['nudge', 'block', 'block', 'halt'].map((action) => [action, 'A']),
        );
        const isNudged = (sent: readonly { readonly sent: string }[]) =>
          sent.some((request) => request.sent.includes(SAME));
        expect([a.requests, b.requests, requests].map(isNudged)).toEqual([true, false, false]);
        const texts = turns.mock.calls.filter(([turn]) => turn?.text?.startsWith('B ') === true);
        expect(new Set(texts.map(([turn]) => turn?.agent))).toEqual(new Set(['B']));
      }
    });

    it('may do the same when many run at once', async () => {
      for (const way of WAYS) {
        const { guard, heard } = listening();
        const a = inner(guard, way, 'A', (_, { sent }) =>
          sent.includes('call_result') ? { text: 'Found.' } : { calls: [callOf(++count, 'look', {})] },
        );
        let count = 0;
        const { agent } = outer(guard, way, [a.asTool], (n) =>
          n <= 2 ? { calls: [1, 2, 3, 4, 5, 6].map((each) => asks(10 * n + each)) } : { text: 'Done.' },
        );
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
        expect([finalOutput, a.ran.length]).toEqual(['Done.', 12]);
        expect(heard.filter(({ decision }) => decision.agent !== undefined)).toEqual([]);
      }
    });

    it('find nothing in a new task that was said in another', async () => {
      const { guard } = listening();
      const way = { watched: true, guarded: true };
      const a = inner(guard, way, 'A', (n) => (n === 4 || n === 6 ? { text: `Result ${n}.` } : again(n)));
      const { agent } = outer(guard, way, [a.asTool], (n) =>
        n <= 2 ? { calls: [asks(n)] } : { text: 'Done.' },
      );
      await guard.wrap(runAgent)(agent, 'Go.', MANY);
      expect(a.requests.map(({ sent }) => sent.includes(SAME))).toEqual([
        ...[false, false, false, true],
        ...[false, false],
      ]);
    });

    it('without tools get no word that is meant for the one that asks them', async () => {
      const { guard } = listening();
      const summary = script(() => ({ text: 'Summary.' }));
      const summarizer = new Agent({ name: 'Summarizer', model: guard.model(summary.model) });
      const asTool = summarizer.asTool({
        toolName: 'summarize',
        toolDescription: 'summarize',
        runOptions: guard.runOptions,
      });
      const main = script((n) => ({
        calls: [callOf(n, 'look', { query: 'x' }), callOf(n, 'summarize', { input: `part ${n}` }, 1)],
      }));
      const tools = guard.tools([counted().look, asTool]);
      const agent = new Agent({ name: 'Main', model: guard.model(main.model), tools });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
      expect(finalOutput).toBe('Report.');
      expect(main.requests.some(({ sent }) => sent.includes(SAME))).toBe(true);
      expect(summary.requests.some(({ sent }) => sent.includes(SAME))).toBe(false);
    });

    it('have their own questions, and report where the answer is no', async () => {
      for (const watched of [false, true])
        for (const yes of [false, true]) {
          const { guard } = listening({ attended: true });
          const a = inner(guard, { watched }, 'A', yes ? until(7) : again);
          const { agent, requests } = outer(guard, { watched, guarded: false }, [a.asTool], (n) =>
            n === 1 ? { calls: [asks(n)] } : { text: 'Done.' },
          );
          const run = guard.wrap(runAgent);
          const held = await run(agent, 'Go.', MANY);
          expect(guard.run().questionFor('A')?.call).toBe(7);
          for (const item of held.interruptions)
            if (yes) held.state.approve(item);
            else held.state.reject(item);
          const { finalOutput } = await run(agent, held.state, MANY);
          expect([finalOutput, a.ran.length]).toEqual(['Done.', yes ? 5 : 4]);
          expect(requests.at(-1)?.sent).toContain(yes ? 'Done.' : 'Report.');
          expect([guard.stopped, guard.run().stoppedFor('A')?.action]).toEqual([
            null,
            yes ? undefined : 'ask',
          ]);
        }
    });

    it('are found in circles although a person approves each call, wherever the answer comes from', async () => {
      for (const way of APPROVED)
        for (const attended of [false, true]) {
          const { guard, run, agent, ran } = approved(way, { attended }, { needsApproval: true });
          let asked = 0;
          let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
          while (result.interruptions.length > 0 && asked < 20) {
            asked += 1;
            const state = way.saved
              ? await RunState.fromString(agent, result.state.toString())
              : result.state;
            const isOurs = guard.run('one').questionFor('A') !== null;
            for (const item of state.getInterruptions())
              if (isOurs) state.reject(item);
              else state.approve(item);
            result = await run(agent, state, MANY);
          }
          expect([way, result.finalOutput, ran.length]).toEqual([way, 'Done.', 4]);
          expect(guard.run('one').stoppedFor('A')?.action).toBe(attended ? 'ask' : 'halt');
        }
    });

    it('are found in circles although some answers come from another process, and some do not', async () => {
      for (const way of APPROVED) {
        const { guard, run, agent, ran } = approved(way, {}, { needsApproval: true });
        let asked = 0;
        let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
        while (result.interruptions.length > 0 && asked < 20) {
          asked += 1;
          const isSaved = (asked % 2 === 0) === way.saved;
          const state = isSaved ? await RunState.fromString(agent, result.state.toString()) : result.state;
          for (const item of state.getInterruptions()) state.approve(item);
          result = await run(agent, state, MANY);
        }
        expect([way, result.finalOutput, ran.length]).toEqual([way, 'Done.', 4]);
        expect(guard.run('one').stoppedFor('A')?.action).toBe('halt');
      }
    });

    it('spend tokens of their own with approvals, too, wherever the answer comes from', async () => {
      for (const way of APPROVED) {
        // Nobody hears its responses.
        if (way.options === 'plain' && !way.watched) continue;
        const turn: Turn = (n) => ({
          ...(n <= 3 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Found.' }),
          usage: { input: 100, output: 10 },
        });
        const { guard, run, agent } = approved(way, {}, { needsApproval: true }, turn);
        const turns = vi.spyOn(guard.run('one'), 'turn');
        let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
        while (result.interruptions.length > 0) {
          const state = way.saved ? await RunState.fromString(agent, result.state.toString()) : result.state;
          for (const item of state.getInterruptions()) state.approve(item);
          result = await run(agent, state, MANY);
        }
        const own = turns.mock.calls.flatMap(([told]) => (told?.agent === 'A' ? [told.usage?.input] : []));
        expect([way, own]).toEqual([way, [100, 100, 100, 100]]);
      }
    });

    it('may do the same in two tasks with approvals', async () => {
      for (const way of APPROVED) {
        const turn: Turn = (n) => (n % 4 === 0 ? { text: `Result ${n}.` } : again(n));
        const { run, agent, ran, heard } = approved(way, {}, { needsApproval: true }, turn, 3);
        let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
        while (result.interruptions.length > 0) {
          const state = way.saved ? await RunState.fromString(agent, result.state.toString()) : result.state;
          for (const item of state.getInterruptions()) state.approve(item);
          result = await run(agent, state, MANY);
        }
        expect([way, result.finalOutput, ran.length]).toEqual([way, 'Done.', 9]);
        expect(new Set(heard.map(({ decision }) => decision.action))).toEqual(new Set(['nudge']));
      }
    });

    it('may be asked the same again, if what they find with approvals is new', async () => {
      for (const way of APPROVED) {
        let found = 0;
        const turn: Turn = (n) => {
          if (n % 2 === 0) found += 1;
          return n % 2 === 0 ? { text: `Found ${found}.` } : { calls: [callOf(n, 'look', { page: n })] };
        };
        const { run, agent, ran, heard } = approved(way, {}, { needsApproval: true }, turn, 6, 'next');
        let result = await run<typeof agent, unknown>(agent, 'Go.', MANY);
        while (result.interruptions.length > 0) {
          const state = way.saved ? await RunState.fromString(agent, result.state.toString()) : result.state;
          for (const item of state.getInterruptions()) state.approve(item);
          result = await run(agent, state, MANY);
        }
        expect([way, result.finalOutput, ran.length, heard]).toEqual([way, 'Done.', 6, []]);
      }
    });

    it('hear a no, whatever options they have', async () => {
      for (const way of APPROVED) {
        const { guard, run, agent, ran } = approved(way, { attended: true }, {});
        const held = await run<typeof agent, unknown>(agent, 'Go.', MANY);
        expect(guard.run('one').questionFor('A')).not.toBeNull();
        const state = way.saved ? await RunState.fromString(agent, held.state.toString()) : held.state;
        for (const item of state.getInterruptions()) state.reject(item);
        const { finalOutput } = await run(agent, state, MANY);
        expect([way, finalOutput, ran.length]).toEqual([way, 'Done.', 4]);
        expect(guard.run('one').stoppedFor('A')?.action).toBe('ask');
        expect(guard.run('one').questionFor('A 2')).toBeNull();
      }
    });

    it('keep their questions apart when many run at once', async () => {
      for (const watched of [false, true])
        for (const yes of [false, true]) {
          const { guard, heard } = listening({ attended: true });
          let count = 0;
          const a = inner(guard, { watched }, 'A', (_, { sent }) =>
            sent.includes('task 2') ? { calls: [callOf(++count, 'look', {})] } : { text: 'Found.' },
          );
          const { agent } = outer(guard, { watched, guarded: false }, [a.asTool], (n) =>
            n === 1 ? { calls: [asks(1), asks(2), asks(3)] } : { text: 'Done.' },
          );
          const run = guard.wrap(runAgent);
          const held = await run(agent, 'Go.', MANY);
          expect(new Set(heard.map(({ decision }) => decision.agent))).toEqual(new Set(['A 2']));
          for (const item of held.interruptions)
            if (yes) held.state.approve(item);
            else held.state.reject(item);
          const { finalOutput } = await run(agent, held.state, MANY);
          expect([finalOutput, a.ran.length > 4]).toEqual(['Done.', yes]);
          expect(guard.run().questionFor('A 2')).toBeNull();
          expect(guard.run().stoppedFor('A 2')?.action).toBe(yes ? undefined : 'ask');
        }
    });

    it('may be given options that were read before', async () => {
      for (const guarded of [false, true]) {
        const { guard, heard } = listening({ session: 'one' });
        const way = { watched: false, guarded };
        const options = { ...guard.runOptions, maxTurns: 20 };
        const a = inner(guard, way, 'A', again, options);
        const b = inner(guard, way, 'B', (n) => (n % 3 === 0 ? { text: `Result ${n}.` } : again(n)), options);
        const { agent } = outer(guard, way, [a.asTool, b.asTool], (n) =>
          n <= 20 ? { calls: [asks(n, n === 1 ? 'A' : 'B')] } : { text: 'Done.' },
        );
        const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
        expect(finalOutput).toBe('Done.');
        const who = new Set(heard.map(({ decision }) => decision.agent));
        expect(who).toEqual(new Set(['A']));
      }
    });

    describe('that are run without a word to the guard', () => {
      /** The ways to run an agent inside of a tool; `each` = so many in every call of it. */
      const STYLES = { asTool: 1, run: 1, 'run twice': 2 } as const;
      type Style = keyof typeof STYLES;
      const STYLED = (Object.keys(STYLES) as Style[]).flatMap((style) =>
        WAYS.map((way) => ({ ...way, style })),
      );

      function plain(sub: Agent, style: Style) {
        if (style === 'asTool') return sub.asTool({ toolName: 'ask_A', toolDescription: 'A' });
        return tool({
          name: 'ask_A',
          description: 'A',
          parameters: anything,
          strict: false,
          async execute(args) {
            const { input } = args as { readonly input: string };
            const runs = Array.from({ length: STYLES[style] }, () => runAgent(sub, input, MANY));
            return (await Promise.all(runs)).map(({ finalOutput }) => finalOutput).join(' ');
          },
        });
      }

      function crew(
        { watched, guarded, style }: (typeof STYLED)[number],
        turn: Turn,
        tasks: number,
        per: number,
      ) {
        const { guard, heard } = listening();
        const seen = <Model extends object>(model: Model) => (watched ? guard.model(model) : model);
        const { look, ran } = counted(undefined, {
          execute: async (args: unknown) => {
            ran.push(args);
            return `Here is all that stands in ${JSON.stringify(args)}.`;
          },
        });
        const sub = new Agent({ name: 'A', model: seen(script(turn).model), tools: guard.tools([look]) });
        const asTool = plain(sub, style);
        const main = script((n) =>
          n <= tasks
            ? { calls: Array.from({ length: per }, (_, each) => asks(100 * n + each)) }
            : { text: 'Done.' },
        );
        const agent = new Agent({
          name: 'Main',
          model: seen(main.model),
          tools: guarded ? guard.tools([asTool]) : [asTool],
        });
        return { heard, ran, main, go: () => guard.wrap(runAgent)(agent, 'Go.', MANY) };
      }

      it('may do the same in each task, one after the other or at once', async () => {
        for (const way of STYLED) {
          let count = 0;
          const turn: Turn = (_, { sent }) => {
            const done = sent.split('call_result').length - 1;
            return done < 4 ? { calls: [callOf(++count, 'look', { file: done })] } : { text: 'Found.' };
          };
          const { go, heard, ran, main } = crew(way, turn, 4, 2);
          expect((await go()).finalOutput).toBe('Done.');
          expect([way, heard, ran.length]).toEqual([way, [], 32 * STYLES[way.style]]);
          expect(main.requests.at(-1)?.sent.split('Found.').length).toBe(1 + 8 * STYLES[way.style]);
        }
      });

      it('are stopped when they run in circles, and only they', async () => {
        for (const way of STYLED) {
          let count = 0;
          const { go, heard, ran } = crew(way, () => again(++count), 1, 1);
          expect((await go()).finalOutput).toBe('Done.');
          expect(ran.length).toBeLessThanOrEqual(6 * STYLES[way.style]);
          expect(heard.map(({ decision }) => decision.agent)).not.toContain(undefined);
          expect(heard.map(({ decision }) => decision.action)).toContain('halt');
        }
      });
    });

    it('may be run by a tool, in the session of the run around it', async () => {
      for (const session of [undefined, 'one'])
        for (const watched of [false, true]) {
          const { guard, heard } = listening({ session });
          const run = guard.wrap(runAgent);
          const seen = <Model extends object>(model: Model) => (watched ? guard.model(model) : model);
          const { look } = counted();
          const sub = new Agent({
            name: 'Sub',
            model: seen(script(again).model),
            tools: guard.tools([look]),
          });
          const ask = tool({
            name: 'ask',
            description: 'ask',
            parameters: anything,
            strict: false,
            execute: async () => (await run(sub, 'Look.', MANY)).finalOutput,
          });
          const main = script((n) => ({ calls: [callOf(n, 'ask', { query: 'x' })] }));
          const agent = new Agent({ name: 'Main', model: seen(main.model), tools: guard.tools([ask]) });
          const { finalOutput } = await run(agent, 'Go.', MANY);
          expect([finalOutput, main.requests.length]).toEqual(['Report.', 8]);
          const own = heard.filter(({ decision }) => decision.agent === undefined);
          expect(own.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
          expect(guard.stopped?.subject).toMatch(/^ask/);
        }
    });

    it('spend tokens of their own', async () => {
      for (const way of WAYS) {
        const { guard } = listening({ session: 'one' });
        const turns = vi.spyOn(guard.run('one'), 'turn');
        const usage = { input: 100, output: 10 };
        const { asTool } = inner(guard, way, 'A', (n) => ({
          ...(n % 2 ? { calls: [callOf(n, 'look', { n })] } : { text: `Found ${n}.` }),
          usage,
        }));
        const { agent } = outer(guard, way, [asTool], (n) => ({
          ...(n <= 3 ? { calls: [asks(n)] } : { text: 'Done.' }),
          usage,
        }));
        await guard.wrap(runAgent)(agent, 'Go.');
        const spent = (who?: string) =>
          turns.mock.calls
            .filter(([turn]) => turn?.agent === who)
            .reduce((sum, [turn]) => sum + (turn?.usage?.input ?? 0), 0);
        expect([spent(), spent('A')]).toEqual([400, 600]);
      }
    });

    it('the stop of the one that was handed over to is that of the run', async () => {
      const { guard } = listening();
      const tools = guard.tools([counted().look]);
      const other = new Agent({ name: 'Billing', model: script(again).model, tools });
      const { model } = script((n) => ({ calls: [callOf(n, 'transfer_to_Billing', {})] }));
      const agent = new Agent({ name: 'Triage', model, handoffs: [other] });
      const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
      expect([finalOutput, guard.stopped?.agent]).toEqual(['Report.', 'Billing']);
    });
  });
}
