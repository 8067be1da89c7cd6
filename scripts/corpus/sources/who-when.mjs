// Who&When: multi-agent teams, one JSON file a conversation.

const FILE = /^Who&When\/(?<team>Algorithm-Generated|Hand-Crafted)\/(?<number>\d+)\.json$/;
const CODE = /```(?:python|py|sh|bash)?\n(.*?)```/s;

/** @type {import('../sources.mjs').Source} */
export const whoWhen = {
  name: 'who-when-multiagent',
  origins: [
    {
      repository: 'mingyin1/Agents_Failure_Attribution',
      branch: 'main',
      commit: '3d9d568840f004b389638f97adf3e0ab8b5a9514',
      runs,
    },
  ],
};

async function* runs(clone) {
  for (const file of clone.files) {
    const found = FILE.exec(file.path)?.groups;
    if (!found) continue;
    const { history, is_correct: correct, is_corrected: corrected } = JSON.parse(await clone.text(file));
    const { short, agentName, converted } = teams[found.team];
    yield {
      name: `ww-${short}-${found.number}`,
      session: { model: 'gpt-4o', agentName, outcome: correct ?? corrected ?? false },
      events: converted(history),
    };
  }
}

const teams = {
  'Algorithm-Generated': { short: 'alg', agentName: 'AG2 CaptainAgent', converted: groupChat },
  'Hand-Crafted': { short: 'hand', agentName: 'Magentic-One', converted: orchestrated },
};

/** A message with code that the terminal answers is a call. */
function groupChat(history) {
  const events = [];
  let calls = 0;
  let open = false;
  for (const [index, { name: agent, content }] of history.entries()) {
    if (open) {
      events.push({
        type: 'tool-result',
        id: `c${calls}`,
        ok: !/^exitcode: [1-9]/.test(content),
        output: content,
      });
      open = false;
      continue;
    }
    events.push({ type: 'turn', agent, text: content });
    const code = CODE.exec(content)?.[1];
    open = code !== undefined && history[index + 1]?.name === 'Computer_terminal';
    if (!open) continue;
    calls += 1;
    events.push({ type: 'tool-call', agent, id: `c${calls}`, tool: 'run_code', args: { code } });
  }
  return events;
}

/** An instruction of the orchestrator is a call, and what its agent says next is the result: nothing, if it says nothing. */
function orchestrated(history) {
  const events = [];
  let calls = 0;
  let open = '';
  for (const { role, content } of history) {
    const [, agent, to] = /^(\S+)(?: \(-> (\S+)\))?/.exec(role);
    if (role === 'human') events.push({ type: 'user', text: content });
    else if (to) {
      if (open) events.push({ type: 'tool-result', id: `c${calls}`, ok: true, output: '' });
      calls += 1;
      open = to;
      events.push({ type: 'turn', agent });
      events.push({
        type: 'tool-call',
        agent,
        id: `c${calls}`,
        tool: `delegate:${to}`,
        args: { instruction: content },
      });
    } else if (agent === open) {
      events.push({ type: 'tool-result', agent, id: `c${calls}`, ok: true, output: content });
      open = '';
    } else events.push({ type: 'turn', agent, text: content });
  }
  return events;
}
