// AI SDK of either major: generateText with the provider of OpenAI-compatible servers, over HTTP.
import { deloop } from '../../dist/adapters/ai-sdk/index.js';
import { SYSTEM, TOOLS } from './script.mjs';

export function aiSdkHost({ generateText, jsonSchema, createOpenAICompatible, system }, { url, look }) {
  const guard = deloop();
  const model = createOpenAICompatible({ name: 'fake', baseURL: `${url}/v1` })('fake');
  const tools = Object.fromEntries(
    TOOLS.map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: jsonSchema(parameters), execute: async (args) => look(args) },
    ]),
  );
  const settings = (prompt) => ({
    model,
    tools,
    [system]: SYSTEM,
    prompt,
    stopWhen: () => false,
    maxRetries: 0,
  });
  return {
    bare: async (prompt) => (await generateText(settings(prompt))).text,
    guarded: async (prompt) => (await generateText(guard(settings(prompt)))).text,
  };
}
