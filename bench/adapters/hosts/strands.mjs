// An agent with the SDK's model of OpenAI, over HTTP and in a stream, as it always is.
import { Agent, FunctionTool, NullConversationManager } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { deloop } from '../../../dist/adapters/strands/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

export function create({ url, call, options }) {
  const model = new OpenAIModel({
    api: 'chat',
    modelId: 'fake',
    apiKey: 'none',
    clientConfig: { baseURL: `${url}/v1`, maxRetries: 0 },
  });
  const tools = TOOLS.map(
    ({ name, description, parameters }) =>
      new FunctionTool({ name, description, inputSchema: parameters, callback: (args) => call(name, args) }),
  );
  const guard = deloop(options);
  const proceed = async () => ({ type: 'proceed' });
  const empty = {
    name: 'empty',
    beforeInvocation: () => ({ type: 'proceed' }),
    beforeModelCall: proceed,
    afterModelCall: proceed,
    beforeToolCall: proceed,
    afterToolCall: proceed,
  };
  const conversationManager = new NullConversationManager();
  const settings = { model, tools, systemPrompt: SYSTEM, printer: false, conversationManager };
  // An agent keeps its conversation, so each run has its own.
  const text = async (interventions, prompt) =>
    String(await new Agent({ ...settings, interventions }).invoke(prompt));
  return {
    bare: (prompt) => text([], prompt),
    hooked: (prompt) => text([empty], prompt),
    guarded: (prompt) => text([guard], prompt),
  };
}
