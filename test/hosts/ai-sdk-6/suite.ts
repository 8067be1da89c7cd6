import {
  APICallError,
  generateObject,
  generateText,
  jsonSchema,
  Output,
  pruneMessages,
  streamObject,
  streamText,
  ToolLoopAgent,
} from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, it } from 'vitest';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { aiSdkHost, WAYS, type WholeAiSdk } from '../ai-sdk.ts';
import { testAiSdk } from '../ai-sdk-cases.ts';

const sdk: WholeAiSdk = {
  name: 'AI SDK 6',
  generateText: (settings) => generateText(settings as never) as never,
  streamText: (settings) => streamText(settings as never) as never,
  generateObject: (settings) => generateObject(settings as never),
  streamObject: (settings) => streamObject(settings as never),
  ToolLoopAgent: ToolLoopAgent as never,
  jsonSchema,
  pruneMessages: (options) => pruneMessages(options as never),
  listOf: (element) => Output.array({ element: element as never }),
  mockModel: (functions) => new MockLanguageModelV3(functions as never),
  APICallError,
};

for (const way of WAYS) testAdapter(aiSdkHost(sdk, way), { describe, it });
testAiSdk(sdk);
