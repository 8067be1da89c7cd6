/**
 * `files` = a session a file; `folder` = a session a folder, of one file an event; the others hold many sessions at
 * the path itself.
 */
export type PlaceKind = 'files' | 'folder' | 'opencode-storage' | 'opencode-database' | 'openclaw-database';

/** A folder, told by an environment variable, or else by the home folder. */
type Base = { readonly variable?: string; readonly below: readonly string[] };

/** Where an agent keeps its sessions unless it is told otherwise. */
export type KnownPlace = {
  /** The name of the format it writes. */
  readonly agent: string;
  /** The name of the program, for people. */
  readonly title: string;
  readonly kind: PlaceKind;
  /** How the names of the files end; of a `folder`, what it must hold. None = the path itself is the file. */
  readonly pattern: readonly string[];
  /** Where the place holds more than sessions: the names of folders of which one must be above a session. */
  readonly inside?: readonly string[];
  /** Names of files that end like a session and are none. */
  readonly except?: readonly string[];
  /** The first of which the variable is set, or that needs none. */
  readonly at: readonly Base[];
};

const JSON_LINES: readonly string[] = ['.jsonl'];

/** Each from the agent's own documentation or source, which the comments name. */
export const KNOWN_PLACES: readonly KnownPlace[] = [
  {
    // code.claude.com/docs/en/claude-directory; beside sub-agents' sessions there is a journal of them.
    agent: 'claude-code',
    title: 'Claude Code',
    kind: 'files',
    pattern: JSON_LINES,
    except: ['journal.jsonl'],
    at: [{ variable: 'CLAUDE_CONFIG_DIR', below: ['projects'] }, { below: ['.claude', 'projects'] }],
  },
  // openai/codex: codex-rs/utils/home-dir/src/lib.rs, codex-rs/rollout/src/lib.rs.
  ...['sessions', 'archived_sessions'].map(
    (folder): KnownPlace => ({
      agent: 'codex',
      title: 'Codex',
      kind: 'files',
      pattern: JSON_LINES,
      at: [{ variable: 'CODEX_HOME', below: [folder] }, { below: ['.codex', folder] }],
    }),
  ),
  {
    // google-gemini/gemini-cli: docs/reference/configuration.md, docs/cli/session-management.md; `.json` until 2026.
    agent: 'gemini-cli',
    title: 'Gemini CLI',
    kind: 'files',
    pattern: ['.jsonl', '.json'],
    inside: ['chats'],
    at: [{ variable: 'GEMINI_CLI_HOME', below: ['.gemini', 'tmp'] }, { below: ['.gemini', 'tmp'] }],
  },
  {
    // QwenLM/qwen-code: packages/core/src/config/storage.ts, packages/core/src/agents/agent-transcript.ts.
    agent: 'qwen-code',
    title: 'Qwen Code',
    kind: 'files',
    pattern: JSON_LINES,
    inside: ['chats', 'subagents'],
    at: [
      { variable: 'QWEN_RUNTIME_DIR', below: ['projects'] },
      { variable: 'QWEN_HOME', below: ['projects'] },
      { below: ['.qwen', 'projects'] },
    ],
  },
  {
    // docs.github.com: Copilot CLI configuration directory; github/copilot-sdk: docs/setup/multi-tenancy.md.
    agent: 'copilot-cli',
    title: 'Copilot CLI',
    kind: 'files',
    pattern: ['events.jsonl'],
    at: [{ variable: 'COPILOT_HOME', below: ['session-state'] }, { below: ['.copilot', 'session-state'] }],
  },
  {
    // anomalyco/opencode: packages/core/src/global.ts, packages/opencode/src/storage/storage.ts.
    agent: 'opencode',
    title: 'opencode',
    kind: 'opencode-storage',
    pattern: [],
    at: [
      { variable: 'XDG_DATA_HOME', below: ['opencode', 'storage'] },
      { below: ['.local', 'share', 'opencode', 'storage'] },
    ],
  },
  {
    // anomalyco/opencode: packages/core/src/database/database.ts.
    agent: 'opencode',
    title: 'opencode',
    kind: 'opencode-database',
    pattern: [],
    at: [
      { variable: 'XDG_DATA_HOME', below: ['opencode', 'opencode.db'] },
      { below: ['.local', 'share', 'opencode', 'opencode.db'] },
    ],
  },
  {
    // earendil-works/pi: packages/coding-agent/src/config.ts.
    agent: 'pi',
    title: 'pi',
    kind: 'files',
    pattern: JSON_LINES,
    at: [{ variable: 'PI_CODING_AGENT_DIR', below: ['sessions'] }, { below: ['.pi', 'agent', 'sessions'] }],
  },
  {
    // cline/cline: sdk/packages/shared/src/storage/paths.ts, sdk/packages/core/src/services/session-artifacts.ts.
    agent: 'cline',
    title: 'Cline',
    kind: 'files',
    pattern: ['.messages.json'],
    at: [
      { variable: 'CLINE_SESSION_DATA_DIR', below: [] },
      { variable: 'CLINE_DATA_DIR', below: ['sessions'] },
      { variable: 'CLINE_DIR', below: ['data', 'sessions'] },
      { below: ['.cline', 'data', 'sessions'] },
    ],
  },
  {
    // cline/cline: apps/vscode/src/sdk/legacy-state-reader.ts.
    agent: 'cline',
    title: 'Cline',
    kind: 'files',
    pattern: ['api_conversation_history.json'],
    at: [
      { variable: 'CLINE_DATA_DIR', below: ['tasks'] },
      { variable: 'CLINE_DIR', below: ['data', 'tasks'] },
      { below: ['.cline', 'data', 'tasks'] },
    ],
  },
  {
    // continuedev/continue: core/util/paths.ts; `sessions.json` is the list of them.
    agent: 'continue',
    title: 'Continue',
    kind: 'files',
    pattern: ['.json'],
    except: ['sessions.json'],
    at: [{ variable: 'CONTINUE_GLOBAL_DIR', below: ['sessions'] }, { below: ['.continue', 'sessions'] }],
  },
  // openclaw/openclaw: src/config/paths.ts, docs/help/environment.md; files until 2026.7, a database an agent since.
  ...(['files', 'openclaw-database'] as const).map(
    (kind): KnownPlace => ({
      agent: 'openclaw',
      title: 'OpenClaw',
      kind,
      pattern: kind === 'files' ? JSON_LINES : ['openclaw-agent.sqlite'],
      inside: kind === 'files' ? ['sessions'] : ['agent'],
      at: [
        { variable: 'OPENCLAW_STATE_DIR', below: ['agents'] },
        { variable: 'OPENCLAW_HOME', below: ['.openclaw', 'agents'] },
        { below: ['.openclaw', 'agents'] },
      ],
    }),
  ),
  {
    // OpenHands/OpenHands-CLI: openhands_cli/locations.py.
    agent: 'openhands',
    title: 'OpenHands',
    kind: 'folder',
    pattern: ['events'],
    at: [
      { variable: 'OPENHANDS_CONVERSATIONS_DIR', below: [] },
      { variable: 'OPENHANDS_PERSISTENCE_DIR', below: ['conversations'] },
      { below: ['.openhands', 'conversations'] },
    ],
  },
  {
    // OpenHands/OpenHands of 2025: openhands/storage/locations.py, openhands/core/config/openhands_config.py.
    agent: 'openhands-v0',
    title: 'OpenHands',
    kind: 'folder',
    pattern: ['events'],
    at: [{ variable: 'FILE_STORE_PATH', below: ['sessions'] }, { below: ['.openhands', 'sessions'] }],
  },
  {
    // SWE-agent/SWE-agent: docs/config/env.md; without it they lie in the folder of the program.
    agent: 'swe-agent',
    title: 'SWE-agent',
    kind: 'files',
    pattern: ['.traj'],
    at: [{ variable: 'SWE_AGENT_TRAJECTORY_DIR', below: [] }],
  },
  {
    // SWE-agent/mini-swe-agent: src/minisweagent/__init__.py, src/minisweagent/run/mini.py.
    agent: 'mini-swe-agent',
    title: 'mini-SWE-agent',
    kind: 'files',
    pattern: ['.traj.json'],
    at: [{ variable: 'MSWEA_GLOBAL_CONFIG_DIR', below: [] }],
  },
];

/** Editors that are built on VS Code, as their folders are called. */
export const EDITORS: readonly string[] = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor'];

/** Extensions of those that keep their tasks as Cline does: cline/cline, apps/vscode/src/core/storage/disk.ts. */
export const EXTENSIONS: readonly { readonly id: string; readonly title: string }[] = [
  { id: 'saoudrizwan.claude-dev', title: 'Cline' },
  { id: 'rooveterinaryinc.roo-cline', title: 'Roo Code' },
];
