// createAgent with ChatOpenAI over HTTP.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { deloop } from '../../../dist/adapters/langchain/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

export function create({ url, call, options }) {
  const model = new ChatOpenAI({
    model: 'fake',
    apiKey: 'none',
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });
  const tools = TOOLS.map(({ name, description, parameters }) =>
    tool((args) => call(name, args), { name, description, schema: parameters }),
  );
  const plain = createAgent({ model, tools, systemPrompt: SYSTEM });
  const watched = createAgent({ model, tools, systemPrompt: SYSTEM, middleware: [deloop(options)] });
  const text = async (agent, prompt) => {
    const { messages } = await agent.invoke({ messages: prompt }, { recursionLimit: 1000 });
    return messages.at(-1).text;
  };
  return { bare: (prompt) => text(plain, prompt), guarded: (prompt) => text(watched, prompt) };
}
