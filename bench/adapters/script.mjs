// What the agent is, and what the scripted model does: sessions as long and as wide as those of coding agents, each other work.
import { createTexts } from '../scan/texts.mjs';

/** Responses of the model in one run, the last one without a call. */
export const STEPS = 50;
/** So many different sessions are made up, and taken in turn. */
const SESSIONS = 24;
/** Characters of a tool's output. */
const OUTPUT = [1000, 3000];

/**
 * Characters that a session begins with: instructions and rules of a project, the description of each of sixteen tools, a task with a file.
 * Together they are what coding agents begin with (`contexts.mjs` tells of your own); small agents begin with a tenth.
 */
const [INSTRUCTIONS, DESCRIPTION, TASK] =
  process.env.CONTEXT === 'small' ? [4_000, 400, 1_000] : [80_000, 3_000, 32_000];
const texts = createTexts(20260101);

export const SYSTEM = texts.text('prose', INSTRUCTIONS);

/** Sixteen tools are offered; the model calls three of them. */
const NAMES = [
  'read_file',
  'search',
  'run_command',
  ...Array.from({ length: 13 }, (_, n) => `tool_${n + 1}`),
];
export const TOOLS = NAMES.map((name) => ({
  name,
  description: `${name}: ${texts.text('prose', DESCRIPTION)}`,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to look for, as plain text, as a path or as a command.' },
      path: { type: 'string', description: 'The folder or the file to look in; default: the whole project.' },
      limit: { type: 'number', description: 'The most lines that are given back.' },
    },
    required: ['query'],
  },
}));

const FILE = texts.text('code', TASK);

/** `text` = what the model says, `tool` and `args` = what it calls, `output` = what comes back. */
const sessions = createSessions();

export function stepOf(run, step) {
  return sessions[run % SESSIONS][step];
}

export function promptOf(run) {
  return `Do task ${run}.\n\n${FILE}`;
}

function createSessions() {
  const { dice, word, camel, path, sentence, text } = texts;
  const kinds = {
    read_file: () => [{ query: path(), limit: dice.whole(100, 900) }, 'code'],
    search: () => [{ query: camel(), path: `src/${word()}` }, 'search'],
    run_command: () => [
      { query: `npx vitest run ${path()} --reporter=${word()}` },
      dice.of(['tests', 'log']),
    ],
  };
  const stepOf = () => {
    const tool = dice.of(['read_file', 'read_file', 'search', 'run_command']);
    const [args, kind] = kinds[tool]();
    return { text: `${sentence()} ${sentence()}`, tool, args, output: text(kind, dice.whole(...OUTPUT)) };
  };
  return Array.from({ length: SESSIONS }, () => Array.from({ length: STEPS - 1 }, stepOf));
}
