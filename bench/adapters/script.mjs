// What the agent is, and what the scripted model does: in every run the same work, other arguments each time.

export const STEPS = 40;
/** Instructions as coding agents have them: about eight kilobytes. */
export const SYSTEM = Array.from(
  { length: 100 },
  (_, n) => `${n + 1}. Look before you change anything, say what you found, and keep to the task at hand.`,
).join('\n');
/** Sixteen tools are offered; the model calls the first. */
export const TOOLS = ['look', ...Array.from({ length: 15 }, (_, n) => `tool_${n + 1}`)].map((name) => ({
  name,
  description: `${name}: finds what is asked for in the files of the project, and gives the lines in which it stands.`,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for, as plain text or as a regular expression.' },
      path: { type: 'string', description: 'The folder or the file to look in; default: the whole project.' },
      limit: { type: 'number', description: 'The most lines that are given back.' },
    },
    required: ['query'],
  },
}));

/** What a tool gives back: about a kilobyte, different every time. */
export function resultOf(query) {
  const lines = Array.from(
    { length: 14 },
    (_, n) => `src/${query}/file-${n}.ts:${n * 7}: the ${n}th line about ${query}`,
  );
  return lines.join('\n');
}

/** `runs` conversations, each known by its number in the prompt. */
export function scriptOf(runs) {
  return {
    conversations: Array.from({ length: runs + 1 }, (_, run) => ({
      name: `run ${run}`,
      ...(run < runs && { when: promptOf(run) }),
      turns: [
        ...Array.from({ length: STEPS - 1 }, (_unused, step) => ({
          text: `Step ${step + 1}.`,
          calls: [{ tool: 'look', args: { query: queryOf(run, step) } }],
          usage: { input: 500 + step * 300, output: 40 },
        })),
        { text: 'Done.', usage: { input: 9000, output: 5 } },
      ],
    })),
  };
}

export function promptOf(run) {
  return `Look for number ${run}.`;
}

export function queryOf(run, step) {
  return `topic-${run}-${step * 7919}`;
}
