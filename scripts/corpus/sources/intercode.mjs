// InterCode: shell, SQL, Python and capture-the-flag tasks, one JSON file an experiment.
import { cut } from '../trace.mjs';

const FILE =
  /^data\/results\/.*\/ic_(?<task>[a-z]+)_(?:multiturn_)?(?<who>.+)_(?<turns>\d+)_turns(?<rest>\w*)\.json$/;
const LONGEST_OUTPUT = 20_000;
const FAILED = /^Error executing|syntax error|command not found|No such file or directory/;

/** @type {import('../sources.mjs').Source} */
export const intercode = {
  name: 'intercode',
  origins: [
    {
      repository: 'princeton-nlp/intercode',
      branch: 'master',
      commit: 'c3e46d827cfc9d4c704ec078f7abf9f41e3191d8',
      runs,
    },
  ],
};

async function* runs(clone) {
  for (const file of clone.files) {
    const found = FILE.exec(file.path)?.groups;
    if (!found) continue;
    const { task, who, turns, rest } = found;
    for (const [item, record] of Object.entries(JSON.parse(await clone.text(file)))) {
      // Some files hold the settings of the experiment among its items.
      if (!record.turn_history) continue;
      yield { name: `ic-${task}_${who}_${turns}t${rest}-${item}`, ...converted(record, task, who) };
    }
  }
}

function converted({ query, turn_history: history, summary }, task, who) {
  const react = who === 'react';
  const events = [{ type: 'user', text: query }];
  for (const [index, action] of history.actions.entries()) {
    const thought = history.thoughts?.[index];
    events.push(thought ? { type: 'turn', text: thought } : { type: 'turn' });
    const id = `c${index + 1}`;
    const args = task === 'bash' ? { command: action } : { code: action };
    events.push({ type: 'tool-call', id, tool: task, args });
    const output = String(history.observations[index] ?? '');
    events.push({
      type: 'tool-result',
      id,
      ok: history.valid_action?.[index] !== false && !FAILED.test(output),
      output,
    });
  }
  return {
    session: {
      model: react ? 'gpt-3.5' : who,
      agentName: react ? 'InterCode ReAct' : 'InterCode try-again',
      outcome: summary.max_reward === 1,
      reward: summary.max_reward,
    },
    events: events.map((event) => cut(event, LONGEST_OUTPUT)),
  };
}
