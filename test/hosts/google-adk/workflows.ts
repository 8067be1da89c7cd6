import {
  BaseAgent,
  type Event,
  InMemoryRunner,
  type InvocationContext,
  JoinNode,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  type NodeContext,
  node,
  SequentialAgent,
  Workflow,
} from '@google/adk';
import { describe, expect, it } from 'vitest';
import { deloop, type GoogleAdkGuard } from '../../../src/adapters/google-adk/index.ts';
import type { WatchOptions } from '../../../src/adapters/watch.ts';
import type { ModelRequest, ScriptedTurn } from '../../../src/testing/adapter-host.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, listeningTo, scripted } from '../driver.ts';
import { PlainTool, StubModel } from './host.ts';

/** ADK writes events of nodes into the session while these go on: with a model that takes no time they would not read them. */
class SlowModel extends StubModel {
  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
  ): AsyncGenerator<LlmResponse, void> {
    await new Promise((resolve) => setTimeout(resolve, 2));
    yield* super.generateContentAsync(request, stream);
  }
}

const script = (turn: (n: number, request: ModelRequest) => ScriptedTurn) =>
  scripted((answer) => new SlowModel(answer), turn);
const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);
const look = () => new PlainTool('look', () => 'Nothing was found.');
const ITEMS = Array.from({ length: 12 }, (_, index) => `Classify document ${index}.`);

/** An agent that reads the same whenever it is run, and then answers. */
function reader(
  name: string,
  options: { readonly includeContents?: 'none'; readonly instruction?: string } = {},
) {
  const { model, requests } = script((n) => (n % 2 === 1 ? again(n) : { text: `Answer ${n}.` }));
  return { agent: new LlmAgent({ name, model, tools: [look()], ...options }), requests };
}

/** As above, for runs at once: its model goes by what it is sent. */
function parallelReader(name: string) {
  const { model, requests } = script((n, { sent }) =>
    sent.includes('functionResponse') ? { text: `Answer ${n}.` } : again(n),
  );
  return { agent: new LlmAgent({ name, model, tools: [look()] }), requests };
}

const KEY = { appName: 'app', userId: 'one', sessionId: 'chat' };

async function session(agent: BaseAgent | Workflow, guard: GoogleAdkGuard) {
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
  await runner.sessionService.createSession(KEY);
  return async (...parts: object[]) => {
    const events: Event[] = [];
    for await (const event of runner.runAsync({ ...KEY, newMessage: { role: 'user', parts } }))
      events.push(event);
    return events;
  };
}

async function send(agent: BaseAgent | Workflow, guard: GoogleAdkGuard) {
  const say = await session(agent, guard);
  return say({ text: 'Do it.' });
}

/** A workflow that runs the agent with each of these, one after the other. */
const each = (agent: LlmAgent, inputs: readonly unknown[]) =>
  new Workflow({
    name: 'each',
    dynamicEntry: async (context: NodeContext) => {
      const outputs: unknown[] = [];
      for (const input of inputs) outputs.push((await context.runNode(agent, input)).output);
      return outputs;
    },
  });

/** A workflow that goes round, over a node that is called `fixer`; after so many rounds it gives up. */
function circle(fixer: BaseAgent, says: (round: number) => string, max = 60) {
  let rounds = 0;
  const check = (context: NodeContext) => {
    rounds++;
    context.route = rounds < max ? 'again' : 'done';
    return says(rounds);
  };
  const finish = () => 'Given up.';
  const workflow = new Workflow({
    name: 'circle',
    edges: [['START', fixer, check, { again: fixer, done: finish }]],
  });
  return { workflow, rounds: () => rounds };
}

describe('Google ADK: workflows', () => {
  for (const [how, over] of [
    [
      'one after the other',
      (agents: LlmAgent[]) => new Workflow({ name: 'row', edges: [['START', ...agents]] }),
    ],
    [
      'at once',
      (agents: LlmAgent[]) =>
        new Workflow({ name: 'fan', edges: [['START', agents, new JoinNode({ name: 'join' })]] }),
    ],
  ] as const)
    it(`agents that read the same ${how} are not one agent`, async () => {
      const { guard, heard } = listening();
      const all = ITEMS.map((_, index) => reader(`reader${index}`));
      await send(over(all.map(({ agent }) => agent)), guard);
      expect([all.map(({ requests }) => requests.length), heard]).toEqual([ITEMS.map(() => 2), []]);
    });

  it('a stop is that of the node, under its name; the next one runs', async () => {
    const { guard, heard } = listening();
    const stuck = new LlmAgent({ name: 'stuck', model: script(again).model, tools: [look()] });
    const next = reader('next');
    const events = await send(new Workflow({ name: 'both', edges: [['START', stuck, next.agent]] }), guard);
    expect(heard.map(({ decision: { action, agent } }) => [action, agent])).toEqual([
      ['nudge', 'stuck'],
      ['block', 'stuck'],
      ['block', 'stuck'],
      ['halt', 'stuck'],
    ]);
    expect(next.requests).toHaveLength(2);
    expect(JSON.stringify(events.at(-1))).toContain('Answer 2.');
    const run = guard.run('app/one/chat');
    expect([run.stopped, run.stoppedFor('stuck')?.detector, guard.stopped]).toEqual([
      null,
      'no-progress',
      null,
    ]);
  });

  it('a nudge in a node that is isolated stays in it', async () => {
    const { guard, actions } = listening();
    const worker = script((n) => (n <= 4 ? again(n) : { text: 'Found.' }));
    const alone = new LlmAgent({ name: 'worker', model: worker.model, tools: [look()] });
    const next = script(() => ({ text: 'Written.' }));
    const writer = new LlmAgent({ name: 'writer', model: next.model, includeContents: 'default' });
    const isolated = node(alone, { isolationScope: true });
    await send(new Workflow({ name: 'row', edges: [['START', isolated, writer]] }), guard);
    expect(actions()).toEqual(['nudge 3']);
    expect(worker.requests.at(-1)?.sent).toContain('has given the same result 3 times');
    expect(next.requests[0]?.sent).not.toContain('has given the same result 3 times');
  });
});

describe('Google ADK: one agent, many tasks', () => {
  it('a node that is run with another input has another task', async () => {
    const { guard, heard } = listening();
    const { agent, requests } = reader('classifier');
    const events = await send(each(agent, ITEMS), guard);
    expect([requests.length, heard]).toEqual([2 * ITEMS.length, []]);
    expect(events.at(-1)?.output).toEqual(ITEMS.map((_, index) => `Answer ${2 * index + 2}.`));
  });

  it('inputs that are objects are told apart as well', async () => {
    const { guard, heard } = listening();
    const { agent } = reader('classifier');
    await send(
      each(
        agent,
        ITEMS.map((text, id) => ({ text: text.slice(0, 8), id })),
      ),
      guard,
    );
    expect(heard).toEqual([]);
  });

  it('inputs that come once more later are tasks, too', async () => {
    const { guard, heard } = listening();
    const { agent } = reader('classifier');
    await send(each(agent, [...ITEMS, ...ITEMS]), guard);
    expect(heard).toEqual([]);
  });

  for (const [what, items] of [
    ['inputs', ITEMS],
    ['the same input', ITEMS.map(() => 'Vote.')],
  ] as const)
    it(`runs at once with ${what} have histories of their own`, async () => {
      const { guard, heard } = listening();
      const { agent, requests } = parallelReader('classifier');
      const list = () => items;
      const workers = node(agent, { parallelWorker: true, maxParallelWorkers: items.length });
      await send(new Workflow({ name: 'map', edges: [['START', list, workers]] }), guard);
      expect([requests.length, heard]).toEqual([2 * items.length, []]);
    });

  it('names of runs at once are taken again when these have ended', async () => {
    const { guard, heard } = listening();
    const { agent } = parallelReader('classifier');
    const list = () => ITEMS;
    const workers = node(agent, { parallelWorker: true, maxParallelWorkers: 3 });
    await send(new Workflow({ name: 'map', edges: [['START', list, workers]] }), guard);
    const names = guard.run('app/one/chat').state.guard.agents.map(({ agent: name }) => name);
    expect(names.filter((name) => name !== '').sort()).toEqual([
      'classifier',
      'classifier 2',
      'classifier 3',
    ]);
    expect(heard).toEqual([]);
  });

  /** Runs its agent once for each item, which it puts into the state. */
  class Each extends BaseAgent {
    readonly #items: readonly string[];

    constructor(items: readonly string[], agent: LlmAgent) {
      super({ name: 'each', subAgents: [agent] });
      this.#items = items;
    }

    override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void> {
      for (const item of this.#items) {
        context.session.state['item'] = item;
        for (const agent of this.subAgents) yield* agent.runAsync(context);
      }
    }

    override async *runLiveImpl(): AsyncGenerator<Event, void> {}
  }

  it('so has an agent with another instruction that reads nothing else', async () => {
    const { guard, heard } = listening();
    const { agent, requests } = reader('classifier', { includeContents: 'none', instruction: 'Now: {item}' });
    await send(new Each(ITEMS, agent), guard);
    expect([requests.length, heard]).toEqual([2 * ITEMS.length, []]);
  });

  it('with the same instruction it has not', async () => {
    const { guard, heard } = listening();
    const { agent } = reader('classifier', { includeContents: 'none', instruction: 'Now: {item}' });
    await send(
      new Each(
        ITEMS.map(() => 'It.'),
        agent,
      ),
      guard,
    );
    expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'classifier' });
  });

  it('a task that is stuck does not stop the next one', async () => {
    const { guard, heard } = listening();
    const { model } = script((n, { sent }) =>
      sent.includes('document 3') || n % 2 === 1 ? again(n) : { text: `Answer ${n}.` },
    );
    const agent = new LlmAgent({ name: 'classifier', model, tools: [look()] });
    const [output] = (await send(each(agent, ITEMS.slice(0, 6)), guard))
      .slice(-1)
      .map((event) => event.output);
    expect(heard.filter(({ decision }) => decision.action === 'halt')).toHaveLength(1);
    expect((output as string[]).map((text) => text.slice(0, 6))).toEqual([
      'Answer',
      'Answer',
      'Answer',
      'Report',
      'Answer',
      'Answer',
    ]);
  });
});

describe('Google ADK: workflows in circles', () => {
  for (const [what, says] of [
    ['the same words', () => 'Fix the tests.'],
    ['two words in turn', (round: number) => (round % 2 === 0 ? 'Fix the tests.' : 'Look at the tests.')],
  ] as const)
    for (const lastTurn of [true, false])
      it(`a stopped node that is run again with ${what} fails, and ends the workflow (last turn: ${lastTurn})`, async () => {
        const { guard, heard } = listening({ lastTurn });
        const { agent, requests } = reader('fixer');
        const { workflow, rounds } = circle(agent, says);
        await expect(send(workflow, guard)).rejects.toMatchObject({ code: 'LOOP_HALTED', nodeName: 'fixer' });
        expect(rounds()).toBeLessThan(20);
        expect(requests.length).toBeLessThan(40);
        expect(heard.at(-1)?.decision).toMatchObject({ action: 'halt', agent: 'fixer' });
        expect(guard.stopped?.agent).toBe('fixer');
      });

  it('so does a stopped agent within a node', async () => {
    const { guard } = listening();
    const { agent } = reader('fixer');
    const { workflow, rounds } = circle(
      new SequentialAgent({ name: 'steps', subAgents: [agent] }),
      () => 'Fix the tests.',
    );
    await expect(send(workflow, guard)).rejects.toMatchObject({ code: 'LOOP_HALTED' });
    expect(rounds()).toBeLessThan(20);
  });

  it('so does a node that was stopped whatever it was given', async () => {
    const { guard, heard } = listening();
    const { model } = script(again);
    const fixer = new LlmAgent({ name: 'fixer', model, tools: [look()] });
    const { workflow, rounds } = circle(fixer, (round) => `Fix test ${round}.`);
    await expect(send(workflow, guard)).rejects.toMatchObject({ code: 'LOOP_HALTED' });
    expect(rounds()).toBe(4);
    expect(heard.filter(({ decision }) => decision.action === 'halt')).toHaveLength(4);
  });

  it('a program that goes on all the same meets the same stop', async () => {
    const { guard, heard } = listening();
    const { agent, requests } = reader('fixer');
    let failed = 0;
    const workflow = new Workflow({
      name: 'stubborn',
      dynamicEntry: async (context: NodeContext) => {
        for (let n = 0; n < 30; n++)
          await context.runNode(agent, 'Fix the tests.').catch(() => {
            failed++;
          });
        return 'Done.';
      },
    });
    await send(workflow, guard);
    expect(failed).toBeGreaterThan(15);
    expect(requests.length).toBeLessThan(30);
    expect(heard.filter(({ decision }) => decision.action === 'halt')).toHaveLength(1);
  });

  it('a node whose work brings something new may go round', async () => {
    const { guard, heard } = listening();
    let failing = 30;
    const { model } = script((n) =>
      n % 2 === 1 ? { calls: [callOf(n, 'test', {})] } : { text: `Fixed ${n}.` },
    );
    const tools = [new PlainTool('test', () => ({ failing: --failing }))];
    const { workflow, rounds } = circle(
      new LlmAgent({ name: 'fixer', model, tools }),
      () => 'Fix the tests.',
      25,
    );
    await send(workflow, guard);
    expect([rounds(), heard]).toEqual([25, []]);
  });

  it('a new message lets it go on', async () => {
    const { guard } = listening();
    const { agent, requests } = reader('fixer');
    const { workflow } = circle(agent, () => 'Fix the tests.');
    const say = await session(workflow, guard);
    await expect(say({ text: 'Do it.' })).rejects.toThrow('LOOP_HALTED');
    const before = requests.length;
    await expect(say({ text: 'Once more.' })).rejects.toThrow('LOOP_HALTED');
    expect(requests.length).toBeGreaterThan(before + 4);
  });
});
