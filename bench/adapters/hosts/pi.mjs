// An agent of pi of either version with its own client of OpenAI-compatible servers, over HTTP and in a stream, as it always is.
import { deloop } from '../../../dist/adapters/pi/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

export function piHost({ Agent, streamFn }, { url, call, options }) {
  const guard = deloop(options);
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: 'fake',
    name: 'fake',
    api: 'openai-completions',
    provider: 'fake',
    baseUrl: `${url}/v1`,
    reasoning: false,
    input: ['text'],
    cost: free,
    contextWindow: 200_000,
    maxTokens: 10_000,
  };
  const tools = TOOLS.map(({ name, description, parameters }) => ({
    name,
    label: name,
    description,
    parameters,
    execute: async (_id, args) => ({
      content: [{ type: 'text', text: await call(name, args) }],
      details: {},
    }),
  }));
  // An agent keeps its conversation, so each run has its own.
  const agentOf = () =>
    new Agent({ streamFn, getApiKey: () => 'none', initialState: { systemPrompt: SYSTEM, model, tools } });
  const text = async (agent, prompt) => {
    await agent.prompt(prompt);
    return agent.state.messages.at(-1).content.at(-1)?.text;
  };
  return {
    bare: (prompt) => text(agentOf(), prompt),
    guarded: (prompt) => text(guard(agentOf()), prompt),
  };
}
