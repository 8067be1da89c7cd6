// HotpotQA runs of Reflexion: a search agent, all runs of an experiment in one text file.

const FOLDER = 'hotpotqa_runs/root/ReAct';
const EXPERIMENTS = [
  { name: 'base', agentName: 'ReAct' },
  { name: 'reflexion', agentName: 'ReAct+Reflexion' },
];
const STEP =
  /^Thought \d+: ?(?<thought>.*?)\nAction \d+: ?(?<tool>\w+)\[(?<query>.*?)\]?\nObservation \d+: ?(?<output>.*)/s;
const FAILED = /^(Could not find|The last page Searched was not found|Invalid Action)/;

/** @type {import('../sources.mjs').Source} */
export const hotpotqa = {
  name: 'hotpotqa-react',
  origins: [
    {
      repository: 'noahshinn/reflexion',
      branch: 'main',
      commit: '218cf0ef1df84b05ce379dd4a8e47f17766733a0',
      runs,
    },
  ],
};

async function* runs(clone) {
  for (const { name, agentName } of EXPERIMENTS) {
    const file = clone.files.find(({ path }) => path === `${FOLDER}/${name}/100_questions_5_trials.txt`);
    if (!file) continue;
    for (const { trial, group, number, lines } of recorded(await clone.text(file))) {
      yield {
        name: `hp-${name}-t${trial}-${group}${number}`,
        session: { model: 'text-davinci-003', agentName, outcome: group === 'c' },
        events: converted(lines.join('\n')),
      };
    }
  }
}

/** Runs are numbered through a trial; `group` is the first letter of correct, incorrect or halted. */
function* recorded(text) {
  let trial = '';
  let group = '';
  let number = 0;
  let lines = [];
  for (const line of [...text.split('\n'), 'Question:']) {
    const heading = /^BEGIN TRIAL (\d+)|^-+ BEGIN (\w)|^#+$|^Question:/.exec(line);
    if (!heading) {
      lines.push(line);
      continue;
    }
    if (lines[0]?.startsWith('Question:')) yield { trial, group, number, lines };
    lines = [line];
    if (heading[1]) {
      trial = heading[1];
      number = 0;
    } else if (heading[2]) group = heading[2].toLowerCase();
    else if (line.startsWith('Question:')) number += 1;
  }
}

function converted(text) {
  const [question, ...steps] = text.replace(/\nCorrect answer:.*/s, '').split(/\n(?=Thought \d+:)/);
  const events = [{ type: 'user', text: question }];
  for (const [index, step] of steps.entries()) {
    const found = STEP.exec(step)?.groups;
    if (!found) continue;
    const id = `c${index + 1}`;
    const output = found.output.trim();
    events.push({ type: 'turn', text: found.thought });
    events.push({ type: 'tool-call', id, tool: found.tool, args: { q: found.query } });
    events.push({ type: 'tool-result', id, ok: !FAILED.test(output), output });
  }
  return events;
}
