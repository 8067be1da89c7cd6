// An agent with the provider of OpenAI-compatible servers, over HTTP.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { deloop } from '../../../dist/adapters/mastra/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

const inputSchema = z.object({
  query: z.string().describe('What to look for, as plain text, as a path or as a command.'),
  path: z.string().optional().describe('The folder or the file to look in; default: the whole project.'),
  limit: z.number().optional().describe('The most lines that are given back.'),
});

export function create({ url, call, options }) {
  const model = createOpenAICompatible({ name: 'fake', baseURL: `${url}/v1` })('fake');
  const tools = Object.fromEntries(
    TOOLS.map(({ name, description }) => [
      name,
      createTool({ id: name, description, inputSchema, execute: async (args) => call(name, args) }),
    ]),
  );
  const settings = { id: 'finder', name: 'finder', instructions: SYSTEM, model, tools };
  const empty = { id: 'empty', name: 'empty', processInputStep: async () => ({}) };
  const plain = new Agent(settings);
  const hooked = new Agent({ ...settings, inputProcessors: [empty] });
  const watched = deloop(options)(new Agent(settings));
  const text = async (agent, prompt) => (await agent.generate(prompt, { maxSteps: 1000 })).text.slice(-5);
  return {
    bare: (prompt) => text(plain, prompt),
    hooked: (prompt) => text(hooked, prompt),
    guarded: (prompt) => text(watched, prompt),
  };
}
