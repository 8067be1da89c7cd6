// A small agent framework, as it might be yours: a loop with hooks.

/** Runs until the model calls no tool, or until a hook ends it. Gives the last text and the errors of tools. */
export async function runAgent({ model, tools, messages, hooks = {} }) {
  const toolErrors = [];
  let text = '';
  for (;;) {
    const step = (await hooks.beforeModel?.(messages)) ?? {};
    if (step.end) return { text, toolErrors };
    const response = await model({ messages, tools: step.tools !== false });
    ({ text = '' } = response);
    const { calls = [] } = response;
    messages.push({ role: 'assistant', text, calls });
    await hooks.afterModel?.(response);
    if (calls.length === 0) return { text, toolErrors };
    const results = await Promise.all(calls.map((call) => callTool(call, tools, hooks, toolErrors)));
    messages.push(...results);
  }
}

async function callTool(call, tools, hooks, toolErrors) {
  const instead = await hooks.beforeTool?.(call);
  if (instead !== undefined) return { role: 'tool', id: call.id, content: instead };
  const execute = tools[call.tool];
  if (execute === undefined) {
    await hooks.afterTool?.(call, 'no such tool', 'unknown-tool');
    return { role: 'tool', id: call.id, content: 'no such tool' };
  }
  try {
    const content = await execute(call.args);
    await hooks.afterTool?.(call, content, 'ok');
    return { role: 'tool', id: call.id, content };
  } catch (error) {
    toolErrors.push(error);
    await hooks.onToolError?.(call, error);
    return { role: 'tool', id: call.id, content: `error: ${error.message}` };
  }
}
