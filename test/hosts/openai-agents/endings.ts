import { Agent, handoff, MaxTurnsExceededError, Runner, run as runAgent } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findLoopHalted, isLoopHalted } from '../../../src/adapters/openai-agents/index.ts';
import type { Json } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again } from '../driver.ts';
import { scriptedModel } from './host.ts';
import { counted, listening, MANY, script } from './stage.ts';

type Model = ReturnType<typeof script>['model'];
type Event = { readonly type: string } & Record<string, unknown>;

/** A model that streams a text in small pieces; `id` = that of its response. */
function streaming(text: string, id?: string): Model {
  const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const content = [{ type: 'output_text', text }];
  const events: readonly Event[] = [
    { type: 'response_started', ...(id && { providerData: { response: { id } } }) },
    ...(text.match(/.{1,9}/gs) ?? []).map((delta) => ({ type: 'output_text_delta', delta })),
    {
      type: 'response_done',
      response: {
        id: 'whole',
        usage,
        output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
      },
    },
  ];
  return {
    getResponse: () => Promise.reject(new Error('it streams')),
    async *getStreamedResponse() {
      for (const event of events) yield event as never;
    },
  } as Model;
}

async function read(result: unknown): Promise<unknown> {
  const stream = result as AsyncIterable<unknown> & { readonly completed: Promise<void> };
  for await (const _event of stream);
  await stream.completed;
  return result;
}

/** A planner that hands task after task to a worker, which hands back. */
function crew(watched: boolean, tasks: number, work: (n: number) => Json, input?: 'with input') {
  const { guard, heard } = listening();
  const { look, ran } = counted(
    (n) => `Here is what was found at place ${ran.at(n - 1) && JSON.stringify(ran.at(n - 1))}.`,
  );
  const seen = (model: Model) => (watched ? guard.model(model) : model);
  const plans = script((n) =>
    n <= tasks
      ? { calls: [{ id: `p${n}`, tool: 'transfer_to_Worker', args: input ? { task: `${n}` } : {} }] }
      : { text: 'Done.' },
  );
  const works = script((n) =>
    n % 3
      ? { calls: [{ id: `w${n}`, tool: 'look', args: work(n) }] }
      : { text: `Task ${n} is done.`, calls: [{ id: `w${n}`, tool: 'transfer_to_Planner', args: {} }] },
  );
  const planner = new Agent({ name: 'Planner', model: seen(plans.model) });
  const worker = new Agent({
    name: 'Worker',
    model: seen(works.model),
    tools: guard.tools([look]),
    handoffs: [planner],
  });
  const withInput = { inputType: z.object({ task: z.string() }), onHandoff: () => {} };
  planner.handoffs = [input ? handoff(worker, withInput) : worker];
  const go = () => guard.wrap(runAgent)(planner, 'Find it.', { maxTurns: 200 });
  return { guard, heard, ran, go };
}

/** Handoffs, and how runs end where the SDK has an opinion of its own. */
export function testEndings(): void {
  describe('OpenAI Agents SDK: handoffs', () => {
    it('back and forth with work in between are healthy', async () => {
      for (const watched of [false, true])
        for (const input of [undefined, 'with input'] as const) {
          const { go, heard, ran } = crew(watched, 9, (n) => ({ place: n }), input);
          expect((await go()).finalOutput).toBe('Done.');
          expect([heard, ran.length]).toEqual([[], 18]);
        }
    });

    it('a supervisor of several workers is healthy', async () => {
      const { guard, heard } = listening();
      const names = ['Researcher', 'Analyst', 'Writer'];
      const { look } = counted((n) => `Result ${n} of many, which is like no other.`);
      const lead = script((n) =>
        n <= 15 ? { calls: [callOf(n, `transfer_to_${names[n % 3]}`, {})] } : { text: 'Done.' },
      );
      const supervisor = new Agent({ name: 'Supervisor', model: lead.model });
      supervisor.handoffs = names.map((name) => {
        const { model } = script((n) => ({
          calls: [
            n % 3
              ? { id: `${name} ${n}`, tool: 'look', args: { q: `${name} ${n}` } }
              : { id: `${name} ${n}`, tool: 'transfer_to_Supervisor', args: {} },
          ],
        }));
        return new Agent({ name, model, tools: guard.tools([look]), handoffs: [supervisor] });
      });
      const { finalOutput } = await guard.wrap(runAgent)(supervisor, 'Find it.', { maxTurns: 200 });
      expect([finalOutput, heard]).toEqual(['Done.', []]);
    });

    it('back and forth without work, or with the same again and again, are stopped', async () => {
      for (const watched of [false, true]) {
        const { go, guard, ran } = crew(watched, 100, (n) => ({ place: n % 3 }));
        await go().catch((error) => expect(findLoopHalted(error)).not.toBeNull());
        expect([guard.stopped?.agent, ran.length]).toEqual(['Worker', 8]);

        const idle = listening();
        const { model, requests } = script((n) => ({
          calls: [callOf(n, `transfer_to_${n % 2 ? 'Billing' : 'Triage'}`, {})],
        }));
        const same = watched ? idle.guard.model(model) : model;
        const triage = new Agent({ name: 'Triage', model: same });
        triage.handoffs = [new Agent({ name: 'Billing', model: same, handoffs: [triage] })];
        await idle.guard
          .wrap(runAgent)(triage, 'Find it.', MANY)
          .catch((error) => expect(findLoopHalted(error)).not.toBeNull());
        expect(idle.guard.stopped?.detector).toBe('no-progress');
        expect(requests.length).toBeLessThan(20);
      }
    });
  });

  describe('OpenAI Agents SDK: endings', () => {
    it('a call in the last turn ends by a LoopHalted', async () => {
      for (const watched of [false, true])
        for (const stream of [false, true]) {
          const { guard } = listening();
          const { look, ran } = counted();
          let asked = 0;
          const model = scriptedModel(() => again(++asked));
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([look]),
          });
          const options = { ...MANY, stream } as typeof MANY;
          const error = await guard
            .wrap(runAgent)(agent, 'Find it.', options)
            .then((result) => (stream ? read(result) : result))
            .catch((thrown: unknown) => thrown);
          const halted = findLoopHalted(error);
          expect(halted?.reason.detector).toBe('no-progress');
          expect(isLoopHalted(error)).toBe(!stream);
          expect(halted?.partial).toHaveLength(15);
          expect([ran.length, asked]).toEqual([4, 8]);
        }
    });

    it('a stream tells it to whoever reads, however it is read', async () => {
      type Stream = AsyncIterable<unknown> & {
        toStream(): ReadableStream<unknown>;
        toTextStream(): AsyncIterable<string>;
        readonly completed: Promise<void>;
      };
      const all = async (parts: AsyncIterable<unknown>) => {
        for await (const _part of parts);
      };
      const pulled = async (stream: Stream) => {
        const reader = stream.toStream().getReader();
        while (!(await reader.read()).done);
      };
      const readings: readonly ((stream: Stream) => Promise<void>)[] = [
        all,
        pulled,
        (stream) => all(stream.toTextStream()),
        ({ completed }) => completed,
      ];
      for (const watched of [false, true])
        for (const reading of readings) {
          const { guard } = listening();
          let asked = 0;
          const model = scriptedModel(() => again(++asked));
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([counted().look]),
          });
          const stream = await guard.wrap(runAgent)(agent, 'Find it.', { ...MANY, stream: true });
          const found = await reading(stream as unknown as Stream).then(() => null, findLoopHalted);
          expect(found?.reason.detector).toBe('no-progress');
        }
    });

    it('any other error of the last turn stays what it is', async () => {
      const { guard } = listening();
      const { look } = counted();
      const down = new Error('The provider is down.');
      let asked = 0;
      const model = scriptedModel(({ tools }) => {
        if (!tools) throw down;
        return again(++asked);
      });
      const agent = new Agent({ name: 'Finder', model, tools: guard.tools([look]) });
      await expect(guard.wrap(runAgent)(agent, 'Find it.', MANY)).rejects.toBe(down);
    });

    it('a run that an error has ended goes on from the state of it', async () => {
      const { guard, actions } = listening();
      const { look, ran } = counted();
      const agent = new Agent({ name: 'Finder', model: script(again).model, tools: guard.tools([look]) });
      const run = guard.wrap(runAgent);
      const error: unknown = await run(agent, 'Find it.', { maxTurns: 3 }).catch((thrown) => thrown);
      if (!(error instanceof MaxTurnsExceededError) || !error.state) throw error;
      const { finalOutput } = await run(agent, error.state, MANY);
      expect([finalOutput, ran.length]).toEqual(['Report.', 4]);
      expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    });

    it('a model that must call tools does not report', async () => {
      for (const watched of [false, true])
        for (const toolChoice of ['required', 'look']) {
          const { guard } = listening();
          const { look, ran } = counted();
          const { model, requests } = script(again);
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([look]),
            modelSettings: { toolChoice },
            resetToolChoice: false,
          });
          const run = guard.wrap(new Runner({ tracingDisabled: true }));
          const end = await run(agent, 'Find it.', MANY).then(
            ({ finalOutput }) => finalOutput,
            findLoopHalted,
          );
          if (watched) expect(end).toBe('Report.');
          else expect(end).toMatchObject({ reason: { detector: 'no-progress' } });
          expect([ran.length, requests.length]).toEqual([4, watched ? 8 : 7]);
        }
    });

    it('a list of equal rows is not cut', async () => {
      const { guard, heard } = listening();
      const labels = Array.from({ length: 160 }, () => 'not_spam');
      const agent = new Agent({
        name: 'Finder',
        model: guard.model(streaming(JSON.stringify({ labels }))),
        outputType: z.object({ labels: z.array(z.string()) }),
      });
      const stream = await guard.wrap(runAgent)(agent, 'Classify.', { stream: true });
      await read(stream);
      expect([stream.finalOutput, heard]).toEqual([{ labels }, []]);
    });

    it('a response that was cut keeps its id', async () => {
      const text = 'I will look at it again. '.repeat(100);
      for (const [id, kept] of [
        ['made', 'made'],
        [undefined, 'before'],
      ] as const) {
        const { guard } = listening();
        const agent = new Agent({ name: 'Finder', model: guard.model(streaming(text, id)) });
        const options = { stream: true, previousResponseId: 'before' } as const;
        const stream = await guard.wrap(runAgent)(agent, 'Find it.', options);
        await read(stream);
        expect(String(stream.finalOutput).length).toBeLessThan(text.length);
        expect(stream.lastResponseId).toBe(kept);
      }
    });

    it('an abort ends the waiting for an answer, and no tool runs after it', async () => {
      for (const stream of [false, true]) {
        const abort = new AbortController();
        let answer = (_: boolean) => {};
        const { guard } = listening({
          onAsk() {
            setTimeout(() => abort.abort());
            return new Promise<boolean>((resolve) => {
              answer = resolve;
            });
          },
        });
        const { look, ran } = counted();
        const agent = new Agent({ name: 'Finder', model: script(again).model, tools: guard.tools([look]) });
        const options = { ...MANY, stream, signal: abort.signal } as typeof MANY;
        const end = await guard
          .wrap(runAgent)(agent, 'Find it.', options)
          .then((result) => read(result).then(() => 'over'))
          .catch((error: Error) => error.name);
        expect(end).toBe(stream ? 'over' : 'AbortError');
        answer(true);
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(ran.length).toBe(4);
      }
    });
  });
}
