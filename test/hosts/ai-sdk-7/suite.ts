import { experimental_createSteering, generateText, jsonSchema, streamText, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/ai-sdk/index.ts';
import type { AgentEvent } from '../../../src/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { type AiSdk, aiSdkHost, scriptedModel, WAYS } from '../ai-sdk.ts';
import { testAiSdk } from '../ai-sdk-cases.ts';

const sdk: AiSdk = {
  name: 'AI SDK 7',
  generateText: (settings) => generateText(settings as never) as never,
  streamText: (settings) => streamText(settings as never) as never,
  ToolLoopAgent: ToolLoopAgent as never,
  jsonSchema,
  mockModel: (functions) => new MockLanguageModelV4(functions as never),
};

for (const way of WAYS) testAdapter(aiSdkHost(sdk, way), { describe, it });
testAiSdk(sdk);

describe('AI SDK 7: steering', () => {
  it('is a person who speaks: what was done before counts no longer', async () => {
    for (const own of [undefined, () => undefined])
      for (const streamed of [false, true]) {
        const actions: string[] = [];
        const guard = deloop({ onDecision: ({ action, call }) => actions.push(`${action} ${call}`) });
        const steering = experimental_createSteering();
        for (let n = 1; n <= 10; n++) steering.queue(`Message ${n}: run the tests again.`);
        let requests = 0;
        const model = scriptedModel(sdk, () => {
          requests += 1;
          return requests % 2 === 1 ? { calls: [callOf(requests, 'test', {})] } : { text: `${requests}` };
        });
        let ran = 0;
        const test = {
          inputSchema: jsonSchema({ type: 'object' }),
          async execute() {
            ran += 1;
            return '3 failed';
          },
        };
        const settings = {
          ...guard({ model, tools: { test }, prompt: 'x', stopWhen: () => false, prepareStep: own }),
          experimental_steering: steering,
        };
        if (streamed) await sdk.streamText(settings).consumeStream();
        else await sdk.generateText(settings);
        expect([actions, ran > 7, guard.stopped]).toEqual([[], true, null]);
      }
  });
});

describe('AI SDK 7: toolApproval', () => {
  const look = {
    inputSchema: jsonSchema({ type: 'object' }),
    execute: async () => 'Nothing was found.',
  };

  /** The statuses of the approvals, step by step. */
  async function approvals(toolApproval: object | undefined, needsApproval?: boolean) {
    let n = 0;
    const events: AgentEvent[] = [];
    const guard = deloop({ attended: true, onDecision: (_decision, event) => events.push(event) });
    const model = scriptedModel(sdk, () => {
      n += 1;
      return { calls: [callOf(n, 'look', { query: 'x' })] };
    });
    const { steps } = await sdk.generateText(
      guard({
        model,
        tools: { look: { ...look, ...(needsApproval && { needsApproval }) } },
        toolApproval,
        prompt: 'x',
        stopWhen: ({ steps: all }: { steps: readonly unknown[] }) => all.length === 9,
      }),
    );
    const last = steps.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
    return { steps: steps.length, asked: last?.isAutomatic !== true && last !== undefined, last, events };
  }

  it('asks in words of the guard where nobody else does', async () => {
    for (const own of [
      undefined,
      {},
      () => undefined,
      { look: () => 'not-applicable' },
      { look: 'approved' },
    ]) {
      const { steps, asked, last } = await approvals(own);
      expect([steps, asked]).toEqual([7, true]);
      expect((last as { reason?: string }).reason).toMatch(/^Stopped: look was to run again/);
    }
  });

  it("asks where the user's own rule asks", async () => {
    for (const own of [
      () => 'user-approval',
      { look: 'user-approval' },
      { look: async () => ({ type: 'user-approval' }) },
    ])
      expect(await approvals(own)).toMatchObject({ steps: 1, asked: true });
    expect(await approvals(undefined, true)).toMatchObject({ steps: 1, asked: true });
    expect(await approvals({ look: 'not-applicable' }, true)).toMatchObject({ steps: 7, asked: true });
  });

  it("lets the user's own rule deny, and counts it", async () => {
    const { steps, asked, events } = await approvals({ look: { type: 'denied', reason: 'No.' } });
    expect([steps, asked]).toEqual([9, false]);
    expect(events[0]).toMatchObject({ type: 'tool-result', status: 'denied' });
  });
});
