// A hand-written loop around the official client of OpenAI, over HTTP.
import OpenAI from 'openai';
import { deloop } from '../../../dist/adapters/generic/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

export function create({ url, call, options }) {
  const guard = deloop(options);
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const offered = TOOLS.map((tool) => ({ type: 'function', function: tool }));
  const tools = Object.fromEntries(TOOLS.map(({ name }) => [name, async (args) => call(name, args)]));

  async function loop(prompt, run) {
    const own = run === null ? tools : run.tools(tools);
    const messages = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: prompt },
    ];
    for (;;) {
      const { choices } = await client.chat.completions.create({ model: 'fake', messages, tools: offered });
      const [{ message }] = choices;
      messages.push(message);
      run?.turn({ text: message.content ?? '' });
      if (!message.tool_calls?.length) return message.content;
      for (const { id, function: called } of message.tool_calls) {
        const content = await own[called.name](JSON.parse(called.arguments));
        messages.push({ role: 'tool', tool_call_id: id, content });
      }
    }
  }

  return {
    bare: (prompt) => loop(prompt, null),
    guarded: async (prompt) => (await guard.run((run) => loop(prompt, run))).value,
  };
}
