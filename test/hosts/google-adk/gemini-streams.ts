import { Gemini, InMemoryRunner, LlmAgent, node, StreamingMode, Workflow } from '@google/adk';
import type { GenerateContentParameters, GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/google-adk/index.ts';
import { type Preset, presets } from '../../../src/index.ts';
import { listeningTo } from '../driver.ts';
import { PlainTool } from './host.ts';

const TOKENS = 1000;

/** What the API sends: words in pieces, then each call by itself, and with each what the response has come to so far. */
function piecesOf(words: string, calls: readonly object[]): GenerateContentResponse[] {
  const all = [...(words.match(/.{1,7}/gs) ?? []).map((text) => ({ text })), ...calls, { text: '' }];
  return all.map((part, index) => ({
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        ...(index === all.length - 1 && { finishReason: 'STOP' }),
      },
    ],
    usageMetadata: { promptTokenCount: TOKENS - all.length, candidatesTokenCount: index + 1 },
  })) as never;
}

/** ADK's own model, with a script in the place of the API. */
class ScriptedGemini extends Gemini {
  requests = 0;
  readonly #calls: (n: number, sent: string) => readonly object[];
  readonly #words: (n: number) => string;

  constructor(words: (n: number) => string, calls: (n: number, sent: string) => readonly object[]) {
    super({ model: 'gemini-2.5-flash', apiKey: 'none' });
    this.#words = words;
    this.#calls = calls;
  }

  override get apiClient(): GoogleGenAI {
    const answer = ({ config, contents }: GenerateContentParameters) => {
      const n = ++this.requests;
      return config?.tools
        ? piecesOf(this.#words(n), this.#calls(n, JSON.stringify(contents)))
        : piecesOf('Report.', []);
    };
    const generateContent = async (request: GenerateContentParameters) => {
      const pieces = answer(request);
      const parts = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      return { ...pieces.at(-1), candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
    };
    const generateContentStream = async (request: GenerateContentParameters) =>
      (async function* stream() {
        yield* answer(request);
      })();
    return { models: { generateContent, generateContentStream } } as never;
  }
}

const look = (query: number) => ({ functionCall: { name: 'look', args: { query } } });
const budgetOf = (tokens: number): Preset => ({
  ...presets.recommended,
  detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens } },
});

async function run(
  streamingMode: StreamingMode,
  model: ScriptedGemini,
  { preset = presets.recommended, tool = () => 'Nothing.' }: { preset?: Preset; tool?: () => string } = {},
) {
  const { guard, actions } = listeningTo(deloop, { preset });
  const agent = new LlmAgent({ name: 'main', model, tools: [new PlainTool('look', tool)] });
  const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
  const newMessage = { role: 'user', parts: [{ text: 'Find it.' }] };
  for await (const _ of runner.runEphemeral({ userId: 'one', newMessage, runConfig: { streamingMode } }));
  return { actions: actions(), stopped: guard.stopped?.detector, requests: model.requests };
}

describe('Google ADK: streams of Gemini', () => {
  const inBoth = async (drive: (mode: StreamingMode) => Promise<unknown>) => {
    const whole = await drive(StreamingMode.NONE);
    expect(await drive(StreamingMode.SSE)).toEqual(whole);
    return whole;
  };

  for (const [what, calls] of [
    ['the same call', () => [look(1)]],
    ['the same calls at once', () => [look(1), look(1), look(1)]],
    ['two calls in turn', (n: number) => [look(n % 2)]],
  ] as const)
    it(`${what} after some words are judged as in a whole response`, async () => {
      const words = (n: number) => `Let me look at page ${n}.`;
      const ended = await inBoth((mode) => run(mode, new ScriptedGemini(words, calls)));
      expect(ended).toMatchObject({ stopped: expect.any(String) });
    });

  it('words before calls that fail are no responses of their own', async () => {
    const tool = () => {
      throw new Error('ENOENT: no such file');
    };
    const calls = (n: number) => (n <= 4 ? [look(n)] : []);
    const model = () => new ScriptedGemini((n) => `Let me look at page ${n}.`, calls);
    expect(await inBoth((mode) => run(mode, model(), { tool }))).toMatchObject({
      requests: 5,
      stopped: undefined,
    });
  });

  it('tokens are counted once', async () => {
    let found = 0;
    const tool = () => `Found ${'x'.repeat(++found)}.`;
    const calls = (n: number) => (n <= 10 ? [look(n)] : []);
    const model = () => new ScriptedGemini((n) => `Let me look at page ${n}.`, calls);
    const enough = { preset: budgetOf(15 * TOKENS), tool };
    expect(await inBoth((mode) => run(mode, model(), enough))).toEqual({
      actions: [],
      stopped: undefined,
      requests: 11,
    });
    const scarce = { preset: budgetOf(4.5 * TOKENS), tool };
    expect(await inBoth((mode) => run(mode, model(), scarce))).toMatchObject({ stopped: 'budget' });
  });

  it('words before a call do not end the run of a node: others at once are not taken for it', async () => {
    const stuck: number[] = [];
    const calls = (n: number, sent: string) => {
      if (!sent.includes('stuck')) return sent.includes('functionResponse') ? [] : [look(n)];
      stuck.push(n);
      return [look(0)];
    };
    const { guard, heard } = listeningTo(deloop, {});
    const model = new ScriptedGemini((n) => `Let me look at page ${n}.`, calls);
    const worker = new LlmAgent({ name: 'worker', model, tools: [new PlainTool('look', () => 'Nothing.')] });
    const list = () => ['stuck', ...Array.from({ length: 30 }, (_, index) => `Item ${index}.`)];
    const workers = node(worker, { parallelWorker: true, maxParallelWorkers: 2 });
    const agent = new Workflow({ name: 'map', edges: [['START', list, workers]] });
    const runner = new InMemoryRunner({ agent, appName: 'app', plugins: [guard] });
    const newMessage = { role: 'user', parts: [{ text: 'Do it.' }] };
    const runConfig = { streamingMode: StreamingMode.SSE };
    for await (const _ of runner.runEphemeral({ userId: 'one', newMessage, runConfig }));
    expect(stuck).toHaveLength(7);
    expect(heard.map(({ decision }) => decision.agent).filter((name) => name !== 'worker')).toEqual([]);
    expect(heard.at(-1)?.decision.action).toBe('halt');
  });
});
