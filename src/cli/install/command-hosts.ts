import { join } from 'node:path';
import { hookCommand, hookScript, type Shell } from './hook-command.ts';
import { type Installable, type TargetContext, THIS_MACHINE } from './install-target.ts';
import { readIfPossible } from './read-if-possible.ts';
import type { HookEntry } from './settings-file.ts';

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

const claudeCode: Installable = {
  agent: 'claude-code',
  title: 'Claude Code',
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

const codexHome = (context: TargetContext) => folderOf(context, 'CODEX_HOME', '.codex');

const codex: Installable = {
  agent: 'codex',
  title: 'Codex CLI',
  targets(context) {
    const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact'];
    const windows = hookCommand('codex', context.shadow, context, 'cmd');
    return [
      {
        kind: 'merged',
        path: join(codexHome(context), 'hooks.json'),
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
  // It keeps the hashes of what was trusted by file, event and number; whether one still fits, it alone knows.
  obstacles(context) {
    const trusted = readIfPossible(join(codexHome({ ...context, scope: 'user' }), 'config.toml'));
    if (trusted.includes('hooks.json:pre_tool_use:')) return [];
    return [
      'Codex was not told to trust its hooks, and passes over them: start codex, type /hooks, and look them through',
    ];
  },
};

/** Its own idea of home may be another. */
function geminiHome({ scope, home, cwd, env }: TargetContext): string {
  return scope === 'project' ? cwd : env['GEMINI_CLI_HOME'] || home;
}

const geminiCli: Installable = {
  agent: 'gemini-cli',
  title: 'Gemini CLI',
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
  title: 'Qwen Code',
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
  title: 'Copilot CLI',
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
  title: 'Cline',
  targets(context) {
    const { shadow, platform } = context;
    // Windows does not run scripts of PowerShell unless it was told to, so there it is Node.
    const windows = platform === 'win32';
    const text = windows
      ? hookScript('cline', shadow, context)
      : `#!/bin/sh\n${hookCommand('cline', shadow, context, 'sh')}\n`;
    const folder = join(folderOf(context, 'CLINE_DIR', '.cline'), 'hooks');
    return ['PreToolUse', 'PostToolUse', 'UserPromptSubmit'].map((event) => ({
      kind: 'own',
      path: join(folder, `${event}${windows ? '.cjs' : '.sh'}`),
      text,
      executable: !windows,
    }));
  },
  notes: (scope) => (scope === 'project' ? [THIS_MACHINE] : []),
};

const cursor: Installable = {
  agent: 'cursor',
  title: 'Cursor',
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

/** Every coding agent that runs a command of ours. */
export const COMMAND_HOSTS: readonly Installable[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilotCli,
  cline,
  cursor,
];
