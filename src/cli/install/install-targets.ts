import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { type HookPlace, hookCommand, type Shell } from './hook-command.ts';
import type { Dialect, HookEntry } from './settings-file.ts';

export type Scope = 'user' | 'project';

export type TargetContext = HookPlace & {
  readonly scope: Scope;
  readonly shadow: boolean;
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly platform: string;
};

/** A file to be merged into, which others write too. */
type Merged = {
  readonly kind: 'merged';
  readonly path: string;
  readonly dialect: Dialect;
  /** What the file needs beside `hooks`. */
  readonly skeleton: { readonly [name: string]: unknown };
  readonly entries: readonly HookEntry[];
};
/** A file of our own. */
type Own = {
  readonly kind: 'own';
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
};

export type Target = Merged | Own;

/** A coding agent as the installer knows it. */
export type Installable = {
  readonly agent: string;
  targets(context: TargetContext): readonly Target[];
  /** What a person has to do, or to know, once it is installed. */
  notes(scope: Scope): readonly string[];
};

const SECONDS = 30;
/** Events about a tool, for which groups name the tools they are for. */
const ABOUT_TOOLS = /Tool(?:Use|UseFailure)?$/;

/** Groups of hooks, as Claude Code has them, and those who follow it. */
function groups(
  context: TargetContext,
  agent: string,
  events: readonly string[],
  shell: Shell,
  more: { readonly [field: string]: unknown },
): readonly HookEntry[] {
  const command = hookCommand(agent, context.shadow, context, shell);
  return events.map((event) => ({
    event,
    entry: {
      ...(ABOUT_TOOLS.test(event) ? { matcher: '*' } : {}),
      hooks: [{ type: 'command', command, ...more }],
    },
  }));
}

function folderOf({ scope, home, cwd, env }: TargetContext, variable: string, name: string): string {
  if (scope === 'project') return join(cwd, name);
  return env[variable] || join(home, name);
}

const onWindows = ({ platform }: TargetContext, shell: Shell): Shell => (platform === 'win32' ? shell : 'sh');
const THIS_MACHINE = 'The file names places of this machine: do not share it with others.';

const claudeCode: Installable = {
  agent: 'claude-code',
  targets(context) {
    const folder = folderOf(context, 'CLAUDE_CONFIG_DIR', '.claude');
    const events = [
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'PreCompact',
    ];
    return [
      {
        kind: 'merged',
        // What is personal in a project has a file of its own, which git leaves out.
        path: join(folder, context.scope === 'project' ? 'settings.local.json' : 'settings.json'),
        dialect: 'json',
        skeleton: {},
        // It runs hooks in bash on every system.
        entries: groups(context, 'claude-code', events, 'sh', { timeout: SECONDS }),
      },
    ];
  },
  notes: () => ['Sessions that run already keep their hooks: start a new one.'],
};

const codex: Installable = {
  agent: 'codex',
  targets(context) {
    const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact'];
    const windows = hookCommand('codex', context.shadow, context, 'cmd');
    return [
      {
        kind: 'merged',
        path: join(folderOf(context, 'CODEX_HOME', '.codex'), 'hooks.json'),
        dialect: 'json',
        skeleton: {},
        entries: groups(context, 'codex', events, 'sh', {
          ...(context.platform === 'win32' ? { commandWindows: windows } : {}),
          timeout: SECONDS,
        }),
      },
    ];
  },
  notes: (scope) => [
    'Codex passes over hooks that you have not trusted, without a word: start codex, type /hooks, and look them through.',
    ...(scope === 'project'
      ? ['Hooks of a project run only where you trust the project.', THIS_MACHINE]
      : []),
  ],
};

/** Its own idea of home may be another. */
function geminiHome({ scope, home, cwd, env }: TargetContext): string {
  return scope === 'project' ? cwd : env['GEMINI_CLI_HOME'] || home;
}

const geminiCli: Installable = {
  agent: 'gemini-cli',
  targets(context) {
    const events = ['BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent'];
    return [
      {
        kind: 'merged',
        path: join(geminiHome(context), '.gemini', 'settings.json'),
        dialect: 'jsonc',
        skeleton: {},
        entries: groups(context, 'gemini-cli', events, onWindows(context, 'powershell'), {
          name: 'deloop',
          timeout: SECONDS * 1000,
        }),
      },
    ];
  },
  notes: (scope) =>
    scope === 'project' ? ['Gemini CLI asks before it runs hooks of a project.', THIS_MACHINE] : [],
};

const qwenCode: Installable = {
  agent: 'qwen-code',
  targets(context) {
    const events = [
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'PreCompact',
    ];
    return [
      {
        kind: 'merged',
        path: join(folderOf(context, 'QWEN_HOME', '.qwen'), 'settings.json'),
        dialect: 'jsonc',
        skeleton: {},
        entries: groups(context, 'qwen-code', events, onWindows(context, 'powershell'), {
          name: 'deloop',
          timeout: SECONDS * 1000,
        }),
      },
    ];
  },
  notes: (scope) => (scope === 'project' ? [THIS_MACHINE] : []),
};

const copilotCli: Installable = {
  agent: 'copilot-cli',
  targets(context) {
    const events = [
      'userPromptSubmitted',
      'preToolUse',
      'permissionRequest',
      'postToolUse',
      'postToolUseFailure',
    ];
    const { scope, home, cwd, env, shadow } = context;
    const folder =
      scope === 'project'
        ? join(cwd, '.github', 'hooks')
        : join(env['COPILOT_HOME'] || join(home, '.copilot'), 'hooks');
    const entry = {
      type: 'command',
      bash: hookCommand('copilot-cli', shadow, context, 'sh'),
      powershell: hookCommand('copilot-cli', shadow, context, 'powershell'),
      timeoutSec: SECONDS,
    };
    const hooks = Object.fromEntries(events.map((event) => [event, [entry]]));
    const text = `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
    return [{ kind: 'own', path: join(folder, 'deloop.json'), text, executable: false }];
  },
  notes: (scope) =>
    scope === 'project' ? ['Hooks of a project run only where you trust the folder.', THIS_MACHINE] : [],
};

const cline: Installable = {
  agent: 'cline',
  targets(context) {
    const { shadow, platform } = context;
    const windows = platform === 'win32';
    const command = hookCommand('cline', shadow, context, windows ? 'powershell' : 'sh');
    const text = windows ? `${command}\r\n` : `#!/bin/sh\n${command}\n`;
    const folder = join(folderOf(context, 'CLINE_DIR', '.cline'), 'hooks');
    return ['PreToolUse', 'PostToolUse', 'UserPromptSubmit'].map((event) => ({
      kind: 'own',
      path: join(folder, `${event}${windows ? '.ps1' : '.sh'}`),
      text,
      executable: !windows,
    }));
  },
  notes: (scope) => (scope === 'project' ? [THIS_MACHINE] : []),
};

const cursor: Installable = {
  agent: 'cursor',
  targets(context) {
    const { scope, home, cwd, shadow } = context;
    const command = hookCommand('cursor', shadow, context, onWindows(context, 'powershell'));
    const events = ['beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'preCompact'];
    return [
      {
        kind: 'merged',
        path: join(scope === 'project' ? cwd : home, '.cursor', 'hooks.json'),
        dialect: 'json',
        skeleton: { version: 1 },
        entries: events.map((event) => ({ event, entry: { command, timeout: SECONDS } })),
      },
    ];
  },
  notes: (scope) => [
    'Cursor could not be run where deloop is made: what it answers follows its documentation.',
    ...(scope === 'project' ? [THIS_MACHINE] : []),
  ],
};

export const INSTALLABLE: readonly Installable[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilotCli,
  cline,
  cursor,
];
