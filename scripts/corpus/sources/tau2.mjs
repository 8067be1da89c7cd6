// tau2-bench: customer service where the customer may have tools too, one JSON file a batch of simulations.
import { distinctIds } from '../trace.mjs';

const BATCH = /^runs\/(?<batch>[\d-]+)\/tau2_output\/results\.json$/;
const REDUNDANCY_FILE = 'LLM_judge/airline_resultstest.json';

/** @type {import('../sources.mjs').Source} */
export const tau2 = {
  name: 'tau2-misc',
  origins: [
    {
      repository: 'yoheinakajima/activegraph-tau2-bench',
      branch: 'main',
      commit: '2d8e2c2518523e13f981c5fa6f1a1547cae33400',
      runs: activegraphRuns,
    },
    {
      repository: 'hu-my/RedundancyBench',
      branch: 'main',
      commit: 'a0f8a41c70adea2538e11092f93307398be135f1',
      runs: redundancyRuns,
    },
  ],
};

async function* activegraphRuns(clone) {
  for (const file of clone.files) {
    const batch = BATCH.exec(file.path)?.groups.batch;
    if (batch) yield* simulations(await clone.text(file), `t2ag-${batch}`, 'tau2 activegraph');
  }
}

async function* redundancyRuns(clone) {
  const file = clone.files.find(({ path }) => path === REDUNDANCY_FILE);
  if (file) yield* simulations(await clone.text(file), 't2red', 'tau2 llm_agent');
}

function* simulations(text, prefix, agentName) {
  const { info, simulations } = JSON.parse(text);
  for (const { id, task_id: task, trial, reward_info: rewarded, messages } of simulations) {
    const reward = rewarded?.reward;
    yield {
      name: `${prefix}-${String(task).replace(/[^\w-]+/g, '_')}-${trial}-${id.slice(0, 6)}`,
      session: { model: info.agent_info.llm, agentName, outcome: reward === 1, reward },
      events: distinctIds((messages ?? []).flatMap(converted)),
    };
  }
}

function converted(message) {
  const { role, content, tool_calls: calls, usage, id, error, requestor } = message;
  const at = Date.parse(`${message.timestamp}Z`);
  if (role === 'tool') {
    return [{ type: 'tool-result', at, ...actor(requestor), id, ok: !error, output: content ?? '' }];
  }
  const events = [];
  if (role === 'user' && content) events.push({ type: 'user', at, text: content });
  if (role === 'assistant' || calls?.length) events.push({ type: 'turn', at, ...actor(role) });
  if (role === 'assistant' && content) events[0].text = content;
  if (role === 'assistant' && usage) {
    events[0].usage = { input: usage.prompt_tokens, output: usage.completion_tokens };
  }
  for (const { id, name, arguments: args } of calls ?? []) {
    events.push({ type: 'tool-call', at, ...actor(role), id, tool: name, args });
  }
  return events;
}

function actor(role) {
  return role === 'user' ? { agent: 'user_sim' } : {};
}
