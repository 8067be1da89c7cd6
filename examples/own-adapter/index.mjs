// The suite that every adapter of deloop runs, on an adapter of one's own, with the test runner of Node.
import { describe, it } from 'node:test';
import { testAdapter } from 'deloop/testing';
import { guardAgents } from './adapter.mjs';
import { runAgent } from './host.mjs';

/** How the suite drives the host: it brings a scripted model, tools and options. */
const host = {
  name: 'own host',
  cannot: { hold: 'this host has no way of its own to ask' },
  open({ model, tools, options, onOwnHook }) {
    const guard = options && guardAgents(options);
    const session = options?.session ?? 'one';
    const messages = [];
    const own = onOwnHook && {
      beforeModel: () => onOwnHook('beforeModel'),
      afterModel: () => onOwnHook('afterModel'),
      beforeTool: ({ tool }) => onOwnHook(`beforeTool ${tool}`),
      afterTool: ({ tool }) => onOwnHook(`afterTool ${tool}`),
      onToolError: ({ tool }) => onOwnHook(`onToolError ${tool}`),
    };

    async function go() {
      const { text, toolErrors } = await runAgent({
        model: (request) => model({ sent: JSON.stringify(request.messages), tools: request.tools }),
        tools,
        messages,
        hooks: guard === null ? own : guard.hooks(session, own),
      });
      const reason = guard?.run(session).stopped ?? null;
      return { ended: reason === null ? 'done' : 'stopped', text, reason, toolErrors };
    }

    return {
      async send(prompt) {
        messages.push({ role: 'user', content: prompt });
        await guard?.run(session).begin();
        guard?.run(session).user(prompt);
        return go();
      },
      resume() {
        guard.run(session).resume();
        return go();
      },
      state: () => guard.run(session).state,
    };
  },
};

testAdapter(host, { describe, it });
