import { LOOP } from './loop.ts';

/** One thing that a host tells its hooks. */
export type Told = {
  /** The event, as the host's settings name it. */
  readonly event: string;
  readonly payload: object;
};

/** How a host words a loop: the same command, with the same result, again and again. */
export type HostScript = {
  /** Variables that its hooks find in their environment. */
  readonly env?: { readonly [name: string]: string };
  prompt(about: About): readonly Told[];
  before(about: About): readonly Told[];
  after(about: About): readonly Told[];
  /** Before the model is asked again, whatever became of the call. */
  next?(about: About): readonly Told[];
};

export type About = {
  readonly session: string;
  readonly cwd: string;
  /** The number of the call, from 1 on. */
  readonly call: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

const { prompt: PROMPT, command: COMMAND, output: OUTPUT, id: ID } = LOOP;

type Words = { readonly tool: string; readonly response: (output: string) => unknown };

/** The words of Claude Code, and of those who follow it. */
function claudeWords({ tool, response }: Words) {
  const common = ({ session, cwd }: About, event: string) => ({
    session_id: session,
    cwd,
    hook_event_name: event,
    prompt_id: `${session}-prompt`,
  });
  const call = ({ call: n }: About) => ({
    tool_name: tool,
    tool_input: { command: COMMAND },
    tool_use_id: `${ID}${n}`,
  });
  return {
    told: (about: About, event: string, more: object = {}): Told => ({
      event,
      payload: { ...common(about, event), ...more },
    }),
    before: (about: About, more: object = {}) => ({ ...call(about), ...more }),
    after: (about: About, more: object = {}) => ({
      ...call(about),
      tool_response: response(OUTPUT),
      ...more,
    }),
  };
}

const iso = ({ at }: About) => ({ timestamp: new Date(at).toISOString() });

function claudeCode(): HostScript {
  const words = claudeWords({
    tool: 'Bash',
    response: (stdout) => ({ stdout, stderr: '', interrupted: false }),
  });
  return {
    env: { CLAUDECODE: '1' },
    prompt: (about) => [words.told(about, 'UserPromptSubmit', { prompt: PROMPT })],
    before: (about) => [words.told(about, 'PreToolUse', words.before(about))],
    after: (about) => [words.told(about, 'PostToolUse', words.after(about))],
    next: (about) => [
      words.told(about, 'PostToolBatch', { tool_calls: [{ ...words.before(about), tool_response: OUTPUT }] }),
    ],
  };
}

function codex(): HostScript {
  const words = claudeWords({ tool: 'Bash', response: (output) => output });
  const turn = { turn_id: 'deloop-drill-turn' };
  return {
    prompt: (about) => [words.told(about, 'UserPromptSubmit', { ...turn, prompt: PROMPT })],
    before: (about) => [words.told(about, 'PreToolUse', words.before(about, turn))],
    after: (about) => [words.told(about, 'PostToolUse', words.after(about, turn))],
  };
}

function geminiCli(): HostScript {
  const words = claudeWords({
    tool: 'run_shell_command',
    response: (llmContent) => ({ llmContent: `Output: ${llmContent}`, returnDisplay: llmContent }),
  });
  return {
    prompt: (about) => [words.told(about, 'BeforeAgent', { ...iso(about), prompt: PROMPT })],
    before: (about) => [words.told(about, 'BeforeTool', words.before(about, iso(about)))],
    after: (about) => [words.told(about, 'AfterTool', words.after(about, iso(about)))],
  };
}

function qwenCode(): HostScript {
  const words = claudeWords({
    tool: 'run_shell_command',
    response: (llmContent) => ({ llmContent: `Output: ${llmContent}`, returnDisplay: llmContent }),
  });
  return {
    prompt: (about) => [words.told(about, 'UserPromptSubmit', { ...iso(about), prompt: PROMPT })],
    before: (about) => [words.told(about, 'PreToolUse', words.before(about, iso(about)))],
    after: (about) => [words.told(about, 'PostToolUse', words.after(about, iso(about)))],
    next: (about) => [words.told(about, 'UserPromptSubmit', { ...iso(about), prompt: '' })],
  };
}

function copilotCli(): HostScript {
  const common = ({ session, cwd, at }: About) => ({ sessionId: session, timestamp: at, cwd });
  const call = { toolName: 'bash', toolArgs: { command: COMMAND } };
  return {
    env: { COPILOT_CLI: '1' },
    prompt: (about) => [{ event: 'userPromptSubmitted', payload: { ...common(about), prompt: PROMPT } }],
    before: (about) => [
      { event: 'preToolUse', payload: { ...common(about), ...call } },
      {
        event: 'permissionRequest',
        payload: { ...common({ ...about, at: about.at + 1 }), ...call, permissionSuggestions: [] },
      },
    ],
    after: (about) => [
      {
        event: 'postToolUse',
        payload: {
          ...common(about),
          ...call,
          toolResult: { resultType: 'success', textResultForLlm: OUTPUT },
        },
      },
    ],
  };
}

function cline(): HostScript {
  const common = (about: About, hookName: string) => ({
    ...iso(about),
    hookName,
    taskId: about.session,
    workspaceRoots: [about.cwd],
    parent_agent_id: null,
    iteration: about.call,
  });
  const call = ({ call: n }: About) => ({
    id: `${ID}${n}`,
    name: 'run_commands',
    input: { commands: [COMMAND] },
  });
  const output = [{ query: COMMAND, result: OUTPUT, success: true }];
  return {
    prompt: (about) => [
      { event: 'UserPromptSubmit', payload: { ...common(about, 'prompt_submit'), prompt: PROMPT } },
    ],
    before: (about) => [
      { event: 'PreToolUse', payload: { ...common(about, 'tool_call'), tool_call: call(about) } },
    ],
    after: (about) => [
      {
        event: 'PostToolUse',
        payload: { ...common(about, 'tool_result'), tool_result: { ...call(about), output, durationMs: 9 } },
      },
    ],
  };
}

function cursor(): HostScript {
  const common = ({ session, cwd }: About, event: string) => ({
    conversation_id: session,
    generation_id: 'deloop-drill-turn',
    hook_event_name: event,
    workspace_roots: [cwd],
    cwd,
    cursor_version: 'drill',
  });
  const call = ({ call: n }: About) => ({
    tool_name: 'Shell',
    tool_input: { command: COMMAND },
    tool_use_id: `${ID}${n}`,
  });
  const told = (about: About, event: string, more: object): Told => ({
    event,
    payload: { ...common(about, event), ...more },
  });
  return {
    prompt: (about) => [told(about, 'beforeSubmitPrompt', { prompt: PROMPT })],
    before: (about) => [told(about, 'preToolUse', call(about))],
    after: (about) => [
      told(about, 'postToolUse', {
        ...call(about),
        tool_output: JSON.stringify({ output: OUTPUT, exitCode: 0 }),
      }),
    ],
  };
}

/** By agent. */
export const HOST_SCRIPTS: { readonly [agent: string]: HostScript } = {
  'claude-code': claudeCode(),
  codex: codex(),
  'gemini-cli': geminiCli(),
  'qwen-code': qwenCode(),
  'copilot-cli': copilotCli(),
  cline: cline(),
  cursor: cursor(),
};
