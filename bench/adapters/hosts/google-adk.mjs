// A runner with the SDK's model of Gemini, over HTTP.
import {
  BasePlugin,
  FunctionTool,
  Gemini,
  InMemoryRunner,
  LlmAgent,
  LogLevel,
  setLogLevel,
} from '@google/adk';
import { deloop } from '../../../dist/adapters/google-adk/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

setLogLevel(LogLevel.ERROR);

export function create({ url, call, options }) {
  process.env['GOOGLE_GEMINI_BASE_URL'] = url;
  const model = new Gemini({ model: 'gemini-fake', apiKey: 'none' });
  const tools = TOOLS.map(
    ({ name, description, parameters: { type, properties, required } }) =>
      new FunctionTool({
        name,
        description,
        parameters: {
          type: type.toUpperCase(),
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, of]) => [key, { ...of, type: of.type.toUpperCase() }]),
          ),
          required,
        },
        execute: (args) => call(name, args),
      }),
  );
  const agent = new LlmAgent({ name: 'finder', model, instruction: SYSTEM, tools });
  const runnerOf = (plugins) => new InMemoryRunner({ agent, appName: 'bench', plugins });
  const plain = runnerOf([]);
  const hooked = runnerOf([new BasePlugin('empty')]);
  const watched = runnerOf([deloop(options)]);

  async function text(runner, prompt) {
    const session = await runner.sessionService.createSession({ appName: 'bench', userId: 'one' });
    const newMessage = { role: 'user', parts: [{ text: prompt }] };
    let last = '';
    for await (const { content } of runner.runAsync({ userId: 'one', sessionId: session.id, newMessage }))
      last = content?.parts?.at(-1)?.text ?? last;
    return last;
  }

  return {
    bare: (prompt) => text(plain, prompt),
    hooked: (prompt) => text(hooked, prompt),
    guarded: (prompt) => text(watched, prompt),
  };
}
