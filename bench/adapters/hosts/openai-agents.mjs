// run with the client of OpenAI over HTTP.
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { deloop } from '../../../dist/adapters/openai-agents/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

setTracingDisabled(true);

export function create({ url, call, options }) {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const model = new OpenAIChatCompletionsModel(client, 'fake');
  const guard = deloop(options);
  const tools = TOOLS.map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      strict: false,
      parameters: { ...parameters, additionalProperties: true },
      execute: (args) => call(name, args),
    }),
  );
  const plain = new Agent({ name: 'Finder', instructions: SYSTEM, model, tools });
  const watched = new Agent({
    name: 'Finder',
    instructions: SYSTEM,
    model: guard.model(model),
    tools: guard.tools(tools),
  });
  const guarded = guard.wrap(run);
  return {
    bare: async (prompt) => (await run(plain, prompt, { maxTurns: 1000 })).finalOutput,
    guarded: async (prompt) => (await guarded(watched, prompt, { maxTurns: 1000 })).finalOutput,
  };
}
