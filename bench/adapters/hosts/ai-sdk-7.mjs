import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema } from 'ai';
import { aiSdkHost } from '../ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost({ generateText, jsonSchema, createOpenAICompatible, system: 'instructions' }, setup);
