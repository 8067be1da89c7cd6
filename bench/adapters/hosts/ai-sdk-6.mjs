import { generateText, jsonSchema } from 'ai-6';
import { createOpenAICompatible } from 'openai-compatible-6';
import { aiSdkHost, generated } from './ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost({ ask: generated(generateText), jsonSchema, createOpenAICompatible, system: 'system' }, setup);
