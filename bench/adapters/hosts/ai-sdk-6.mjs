import { generateText, jsonSchema } from 'ai-6';
import { createOpenAICompatible } from 'openai-compatible-6';
import { aiSdkHost } from '../ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost({ generateText, jsonSchema, createOpenAICompatible, system: 'system' }, setup);
