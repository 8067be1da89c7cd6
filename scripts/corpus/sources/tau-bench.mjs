// tau-bench: customer service at an airline, one list of conversations in the shape of chat completions.
import { distinctIds } from '../trace.mjs';

const FILE = 'historical_trajectories/gpt-4o-airline.json';

/** @type {import('../sources.mjs').Source} */
export const tauBench = {
  name: 'tau-bench-gpt4o-airline',
  origins: [
    {
      repository: 'sierra-research/tau-bench',
      branch: 'main',
      commit: '59a200c6d575d595120f1cb70fea53cef0632f6b',
      runs,
    },
  ],
};

async function* runs(clone) {
  const file = clone.files.find(({ path }) => path === FILE);
  if (!file) return;
  for (const { task_id: task, trial, reward, traj } of JSON.parse(await clone.text(file))) {
    yield {
      name: `taub-air-${task}-t${trial}`,
      session: { model: 'gpt-4o', agentName: 'tau-bench tool-calling', outcome: reward === 1, reward },
      events: distinctIds(traj.flatMap(converted)),
    };
  }
}

function converted({ role, content, tool_calls: calls, tool_call_id: id }) {
  if (role === 'user') return [{ type: 'user', text: content }];
  if (role === 'tool') return [{ type: 'tool-result', id, ok: !/^error/i.test(content), output: content }];
  if (role !== 'assistant') return [];
  return [
    content ? { type: 'turn', text: content } : { type: 'turn' },
    ...(calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      type: 'tool-call',
      id,
      tool: name,
      args: JSON.parse(text),
    })),
  ];
}
