import { setImmediate } from 'node:timers/promises';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deloop } from '../../../src/adapters/mastra/index.ts';
import { listeningTo, UNFINISHED } from '../driver.ts';

type Rest = readonly (object | null)[];

const error = { type: 'error', error: new Error('overloaded') };
const usage = { inputTokens: 9, outputTokens: 9, totalTokens: 18 };
const end = (finishReason: string) => ({ type: 'finish', finishReason, usage });
const looking = (n: number) => ({
  type: 'tool-call',
  toolCallId: `call-${n}`,
  toolName: 'look',
  input: `{"pod":${n}}`,
});
const words = [
  { type: 'text-start', id: '0' },
  ...(UNFINISHED.match(/.{1,9}/gs) ?? []).map((delta) => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
];

/** What comes after the words; null = the connection breaks. */
const BREAKS: Record<string, (n: number) => Rest> = {
  'the connection': () => [null],
  'an error': () => [error],
  'an error, and then its end': () => [error, end('error')],
  'calls, and then the connection': (n) => [looking(n), null],
  'calls, and then an error': (n) => [looking(n), error, end('error')],
};

/** Looks, then breaks so many times, and then says it all; without `rest` it rejects the requests instead. */
function breaking(times: number, rest: ((n: number) => Rest) | null) {
  const asked: string[] = [];
  const model = {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not here')),
    async doStream({ prompt }: { readonly prompt: unknown }) {
      const n = asked.push(JSON.stringify(prompt));
      const isBroken = n > 1 && n <= times + 1;
      if (isBroken && rest === null) throw new Error('overloaded');
      const parts: (object | null)[] = [
        { type: 'stream-start', warnings: [] },
        ...(n === 1 ? [looking(n), end('tool-calls')] : words),
        ...(n === 1 ? [] : isBroken ? (rest?.(n) ?? []) : [end('stop')]),
      ];
      const stream = new ReadableStream({
        async pull(controller) {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else if (part !== null) controller.enqueue(part);
          else {
            // As a connection breaks, by itself: otherwise it depends on the engine how much of what was sent before is still read.
            await setImmediate();
            controller.error(new Error('socket hang up'));
          }
        },
      });
      return { stream };
    },
  };
  return { model, asked };
}

/** An agent whose model breaks, with the guard or without. */
function agentOf(model: unknown, isGuarded: boolean, more: object) {
  const { guard, heard } = listeningTo(deloop, { session: 'one' });
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}).loose(),
    execute: async (args) => `Nothing is wrong with ${JSON.stringify(args)}.`,
  });
  const settings = { id: 'main', name: 'main', instructions: 'x', tools: { look }, model, ...more };
  const bare = new Agent(settings as never) as Agent;
  const agent = isGuarded ? guard(bare) : bare;
  new Mastra({ agents: { main: agent }, storage: new InMemoryStore(), logger: false });
  return { agent, heard, guard };
}

type Breaking = { readonly times: number; readonly rest: ((n: number) => Rest) | null };
type Outcome = {
  readonly text: string;
  readonly asked: readonly string[];
  readonly heard: readonly unknown[];
};
type Retry = (breaks: Breaking, isGuarded: boolean) => Promise<Outcome>;

const ASKING_AGAIN = {
  errorProcessors: [{ id: 'again', processAPIError: () => ({ retry: true }) }],
  maxProcessorRetries: 10,
  maxRetries: 0,
};
const IN_EVERY_STEP = { inputProcessors: [{ id: 'own', processInputStep: () => ({}) }] };

async function said(agent: Agent, messages: unknown = 'Find it.'): Promise<string> {
  const output = await agent.stream(messages as never, { maxSteps: 30 });
  const result = await output.getFullOutput().catch((thrown) => ({ text: `${thrown}` }));
  return result.text;
}

/** One call of the agent is enough, because of what it is made with. */
const within =
  (settings: (model: unknown, times: number) => object): Retry =>
  async ({ times, rest }, isGuarded) => {
    const { model, asked } = breaking(times, rest);
    const { agent, heard } = agentOf(model, isGuarded, settings(model, times));
    return { text: await said(agent), asked, heard };
  };

/** Who asks the model again. */
const RETRIES: Record<string, Retry> = {
  'an error processor asks': within(() => ASKING_AGAIN),
  'an error processor asks, and others prepare the steps': within(() => ({
    ...ASKING_AGAIN,
    ...IN_EVERY_STEP,
  })),
  'models are fallen back on': within((model, times) => ({
    model: Array.from({ length: times + 1 }, () => ({ model, maxRetries: 0 })),
  })),
  async 'the program asks'({ times, rest }, isGuarded) {
    const { model, asked } = breaking(times, rest);
    const { agent, heard } = agentOf(model, isGuarded, { maxRetries: 0 });
    const call = { toolCallId: 'call-1', toolName: 'look' };
    const history: object[] = [
      { role: 'user', content: 'Find it.' },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, args: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, result: 'Nothing is wrong.' }] },
    ];
    let text = '';
    for (let n = 0; n <= times; n++) text = await said(agent, [...history]);
    return { text, asked, heard };
  },
};

const unstamped = ({ asked, ...rest }: Outcome) => ({
  ...rest,
  asked: asked.map((sent) => sent.replaceAll(/"createdAt":\d+/g, '"createdAt":0')),
});

describe('Mastra: streams that break', () => {
  for (const [who, retry] of Object.entries(RETRIES))
    it.each([...Object.entries(BREAKS), ['the request', null] as const])(
      `are no responses where ${who} again: %s`,
      async (_, rest) => {
        const breaks = { times: 9, rest };
        expect(unstamped(await retry(breaks, true))).toEqual(unstamped(await retry(breaks, false)));
      },
    );

  it('again and again end the run as they do without the guard', async () => {
    const breaks = { times: 99, rest: () => [null] };
    const retry = RETRIES['an error processor asks'] as Retry;
    const { asked, ...bare } = unstamped(await retry(breaks, false));
    expect(unstamped(await retry(breaks, true))).toEqual({ asked, ...bare });
    expect(asked).toHaveLength(12);
  });
});
