// A hand-written loop over fetch.
import { deloop } from '../../../dist/adapters/generic/index.js';
import { SYSTEM, TOOLS } from '../script.mjs';

export function create({ url, look }) {
  const guard = deloop();
  const tools = TOOLS.map((tool) => ({ type: 'function', function: tool }));

  async function ask(messages) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake', messages, tools }),
    });
    const { choices } = await response.json();
    return choices[0].message;
  }

  async function loop(prompt, guarded) {
    const search = guarded ? guarded.tool('look', look) : look;
    const messages = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: prompt },
    ];
    for (;;) {
      const nudge = guarded?.takeNudge();
      if (nudge) throw new Error(nudge.text);
      const message = await ask(messages);
      messages.push(message);
      guarded?.turn({ text: message.content ?? '' });
      if (!message.tool_calls?.length) return message.content;
      for (const { id, function: called } of message.tool_calls)
        messages.push({
          role: 'tool',
          tool_call_id: id,
          content: await search(JSON.parse(called.arguments)),
        });
    }
  }

  return {
    bare: (prompt) => loop(prompt, null),
    async guarded(prompt) {
      const ended = await guard.run((run) => loop(prompt, run));
      return ended.value;
    },
  };
}
