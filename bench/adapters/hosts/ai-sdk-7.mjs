import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema } from 'ai';
import { aiSdkHost, generated } from './ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost(
    { ask: generated(generateText), jsonSchema, createOpenAICompatible, system: 'instructions' },
    setup,
  );
