// What the agents need beside their recipes when they are run under guard: how to show a screen for people, what else to prepare.
import { cpSync } from 'node:fs';
import { cline } from './cline.mjs';
import { codex } from './codex.mjs';
import { geminiCli } from './gemini-cli.mjs';
import { add } from './install.mjs';
import { openclaw } from './openclaw.mjs';
import { opencode } from './opencode.mjs';
import { pi } from './pi.mjs';
import { qwenCode } from './qwen-code.mjs';

const without = (args, ...gone) => args.filter((arg) => !gone.includes(arg));
const same = (args) => args;

export const GUARDED = {
  'gemini-cli': {
    ...geminiCli,
    // Its own detector stays on: the guard has to come first.
    scenario: 'guarded',
    forPeople: (args) => without(args, '--output-format', 'stream-json'),
  },
  codex: {
    ...codex,
    // A person trusts hooks on the screen; nobody is there to do it.
    flags: (args) => [...args.slice(0, -1), '--dangerously-bypass-hook-trust', args.at(-1)],
    forPeople: (args) => without(args, '--json'),
  },
  opencode: {
    ...opencode,
    /** It installs the types of plugins beside its settings, and waits for a network, unless a lockfile says that they are there. */
    beside: ({ installs, node }) =>
      add(`${installs}/opencode-settings`, '@opencode-ai/plugin', opencode.version, node),
    settle: ({ installs, home }) =>
      cpSync(`${installs}/opencode-settings`, `${home}/.config/opencode`, { recursive: true }),
    forPeople: (args) => without(args, '--format', 'json'),
  },
  'qwen-code': { ...qwenCode, forPeople: (args) => without(args, '--output-format', 'stream-json') },
  cline: { ...cline, forPeople: (args) => without(args, '--json') },
  openclaw: {
    ...openclaw,
    // As `deloop install` tells the user to.
    enable: ({ bin }) => ({ command: bin('openclaw'), args: ['plugins', 'enable', 'deloop'] }),
    forPeople: (args) => without(args, '--json'),
  },
  pi: { ...pi, forPeople: (args) => without(args, '--mode', 'json') },
};

export const flagsOf = (agent, args) => (agent.flags ?? same)(args);
