import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText } from 'ai';
import { aiSdkHost, streamed } from './ai-sdk.mjs';

export const create = (setup) =>
  aiSdkHost({ ask: streamed(streamText), jsonSchema, createOpenAICompatible, system: 'instructions' }, setup);
