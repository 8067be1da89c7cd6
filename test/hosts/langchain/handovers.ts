import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, END, MemorySaver, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { NOTHING } from '../driver.ts';
import { counted, inThread, listening, person, script } from './setting.ts';

type Way = (messages: readonly BaseMessage[], result: ToolMessage, task: string) => Command;
type Given = {
  readonly toolCallId: string;
  readonly state: { readonly messages: readonly BaseMessage[] };
};
type Team = {
  readonly way: Way;
  /** Who is under the guard, and whether the worker has a name there. */
  readonly watched: 'lead' | 'both' | 'named';
  readonly form: 'node' | 'function';
  readonly inThread: boolean;
  /** What the worker finds in its n-th task. */
  finding(n: number): string;
  task?(n: number): string;
  readonly rounds: number;
};

const parent = Command.PARENT;
const withState: Way = (messages, result) =>
  new Command({ goto: 'worker', graph: parent, update: { messages: [...messages, result] } });
const withTask: Way = (messages, result, task) =>
  new Command({
    goto: [new Send('worker', { messages: [new HumanMessage(task)] })],
    graph: parent,
    update: { messages: [...messages, result] },
  });
const withStateSent: Way = (messages, result) =>
  new Command({ goto: [new Send('worker', { messages: [...messages, result] })], graph: parent });

/** A lead that hands each task to a worker, which looks once and says what it has found. */
async function work({ way, watched, form, inThread: hasThread, finding, task, rounds }: Team) {
  const { guard, heard } = listening();
  let handed = 0;
  const { look, ran } = counted(() => finding(handed));
  const hand = tool(
    async (args, given) => {
      const { toolCallId, state } = given as unknown as Given;
      handed++;
      const result = new ToolMessage({ content: 'Handed over.', tool_call_id: toolCallId, name: 'hand' });
      return way(state.messages, result, String(args['task']));
    },
    { name: 'hand', description: 'Hands over.', schema: z.looseObject({}) },
  );
  const lead = script((n) =>
    n <= rounds
      ? { text: `Step ${n}.`, calls: [callOf(n, 'hand', task === undefined ? {} : { task: task(n) })] }
      : { text: 'All done.' },
  );
  const worker = script((n) =>
    n % 2 === 1
      ? { calls: [callOf(n, 'look', { task: task === undefined ? 0 : task(handed) }, 1)] }
      : { text: finding(handed) },
  );
  const middleware = { lead: [], both: [guard], named: [guard.agent('worker')] }[watched];
  const leading = createAgent({ name: 'lead', model: lead.model, tools: [hand], middleware: [guard] });
  const working = createAgent({ name: 'worker', model: worker.model, tools: [look], middleware });
  const last = async (state: typeof MessagesAnnotation.State, config: object) => {
    const { messages } = await working.invoke(state, config);
    return { messages: messages.slice(-1) };
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('lead', leading.graph, { ends: ['worker', END] })
    .addNode('worker', form === 'node' ? working.graph : last)
    .addEdge(START, 'lead')
    .addEdge('worker', 'lead')
    .compile(hasThread ? { checkpointer: new MemorySaver() } : {});
  const { messages } = await graph.invoke(person(), hasThread ? inThread('one') : { recursionLimit: 500 });
  return { text: messages.at(-1)?.text, heard, ran, handed, asked: lead.requests.length };
}

const WATCHED = ['lead', 'both', 'named'] as const;
const FORMS = ['node', 'function'] as const;

/** Agents of a graph that hand the work to each other by commands of tools. */
export function testHandovers(): void {
  describe('LangChain: handovers', () => {
    it('that look alike are others when something else has come of each', async () => {
      for (const watched of WATCHED)
        for (const form of FORMS) {
          const { text, heard, ran } = await work({
            way: withState,
            watched,
            form,
            inThread: form === 'node',
            finding: (n) => `Document ${n} is about ${n * n} things.`,
            rounds: 9,
          });
          expect([text, ran.length, heard]).toEqual(['All done.', 9, []]);
        }
    });

    it('that bring the same each time are stopped, and do not run when they are blocked', async () => {
      for (const watched of ['lead', 'both'] as const)
        for (const form of FORMS) {
          const team: Team = {
            way: withState,
            watched,
            form,
            inThread: true,
            finding: () => NOTHING,
            rounds: 30,
          };
          const { heard, handed, asked } = await work(team);
          expect(heard.at(-1)?.decision.action).toBe('halt');
          expect(handed).toBeLessThan(6);
          expect(asked).toBeLessThan(11);
        }
    });

    it('with a task of its own each are none of a loop', async () => {
      for (const watched of WATCHED)
        for (const form of FORMS) {
          const { text, heard } = await work({
            way: withTask,
            watched,
            form,
            inThread: true,
            finding: (n) => `Part ${n} is done.`,
            task: (n) => `Part ${n}, please.`,
            rounds: 9,
          });
          expect([text, heard]).toEqual(['All done.', []]);
        }
    });

    it('with the same task again and again are stopped, named or not', async () => {
      for (const way of [withTask, withStateSent])
        for (const watched of WATCHED)
          for (const form of FORMS) {
            const { heard, handed } = await work({
              way,
              watched,
              form,
              inThread: true,
              finding: () => NOTHING,
              task: () => 'Find it.',
              rounds: 40,
            });
            const last = heard.at(-1)?.decision;
            expect([last?.action, last?.agent]).toEqual(['halt', undefined]);
            expect(handed).toBeLessThan(16);
          }
    });
  });
}
