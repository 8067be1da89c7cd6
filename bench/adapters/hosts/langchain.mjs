// createAgent with ChatOpenAI over HTTP.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware, tool } from 'langchain';
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
  const pass = (request, handler) => handler(request);
  const empty = createMiddleware({ name: 'empty', wrapModelCall: pass, wrapToolCall: pass });
  const agentWith = (...middleware) => createAgent({ model, tools, systemPrompt: SYSTEM, middleware });
  const plain = agentWith();
  const hooked = agentWith(empty);
  const watched = agentWith(deloop(options));
  const text = async (agent, prompt) => {
    const { messages } = await agent.invoke({ messages: prompt }, { recursionLimit: 1000 });
    return messages.at(-1).text;
  };
  return {
    bare: (prompt) => text(plain, prompt),
    hooked: (prompt) => text(hooked, prompt),
    guarded: (prompt) => text(watched, prompt),
  };
}
