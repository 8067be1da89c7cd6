import { jsonSchema, streamText } from 'ai-6';
import { createOpenAICompatible } from 'openai-compatible-6';
import { aiSdkHost, streamed } from './ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost({ ask: streamed(streamText), jsonSchema, createOpenAICompatible, system: 'system' }, setup);
