const MARK = '[deloop] ';

/** What an output has in it when the call really ran, by loop. */
const PROOF = { identical: 'total.js', pingpong: 'export const', cascade: 'No such file', spender: 'part ' };

/** What became of a loop, told by the side of the model: what it asked for, what it was given, what it was told. */
export function observed(requests, loop, played) {
  const main = requests.filter(({ conversation }) => conversation === 'main');
  const outputs = outputsIn(main.at(-1)?.messages ?? []);
  const proof = PROOF[loop.name];
  const told = requests.findIndex(({ messages }) => JSON.stringify(messages ?? []).includes(MARK));
  const before = (index) =>
    requests.slice(0, index).filter(({ conversation }) => conversation === 'main').length;
  const finished = main.length >= played.turns.length;
  return {
    /** Calls that the model asked for. */
    asked: main.reduce((sum, { answer }) => sum + answer.calls.length, 0),
    /** Those that ran, by what came of them. */
    ran: proof === undefined ? outputs.length : outputs.filter((output) => output.includes(proof)).length,
    /** The call after which the model was first told; null = never. */
    told: told < 0 ? null : before(told),
    words: told < 0 ? '' : wordsIn(requests[told].messages),
    /** The call at which the run was ended; null = it came to its own end. */
    ended: finished ? null : main.length,
    outputs,
  };
}

const outputsIn = (messages) => messages.flatMap(({ results = [] }) => results.map(({ output }) => output));

function wordsIn(messages) {
  const texts = messages.flatMap(({ text, results = [] }) => [text, ...results.map(({ output }) => output)]);
  const text = texts.find((one) => one?.includes(MARK)) ?? '';
  return text
    .slice(text.indexOf(MARK))
    .split('\n')[0]
    .replace(/<\/?hook_context[^>]*>/g, '');
}

/** What is not as it must be. */
export function differences(row, expected) {
  if (expected === undefined) return ['nothing is expected of it yet'];
  return Object.entries(expected).flatMap(([name, value]) =>
    [value].flat().includes(row[name])
      ? []
      : [`${name} is ${row[name]}; it must be ${[value].flat().join(' or ')}`],
  );
}

/** What the log of deloop says. */
export function loggedIn(lines) {
  const decisions = lines.filter(({ type }) => type !== 'problem');
  const halted = decisions.some(({ action, did }) => action === 'halt' || did === 'halt');
  return {
    decided: decisions.length,
    problems: lines.length - decisions.length,
    /** Who ended it. */
    by: halted ? 'deloop' : decisions.length > 0 ? 'itself' : null,
    steps: decisions.map(({ type, action, did, call }) => `${call}:${action ?? type}/${did}`),
  };
}

export function rowText({ agent, version, loop, asked, ran, told, ended, by, exit, steps }) {
  const end = ended === null ? 'not ended' : `ended at ${ended} by ${by}`;
  return `${agent} ${version} ${loop}: asked ${asked}, ran ${ran}, told after ${told}, ${end}, exit ${exit}; ${steps.join(' ')}`;
}
