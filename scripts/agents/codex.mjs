import { filesUnder, writeText } from './files.mjs';

const patch = (path, lines) => ['*** Begin Patch', `*** ${path}`, ...lines, '*** End Patch', ''].join('\n');

// Only models of its own catalogue are offered `apply_patch`.
const FULL_TOOLS = 'gpt-5.5';
const KNOWN_PRICE = 'gpt-5-codex';

export const codex = {
  package: '@openai/codex',
  version: '0.166.0',
  scenarios: ['varied', 'identical', 'failing', 'subagent'],
  examples: ['stuck'],
  reportsLate: true,

  tools: {
    shell: ({ command }) => ({ tool: 'exec_command', args: { cmd: command } }),
    read: ({ path }) => ({ tool: 'exec_command', args: { cmd: `cat ${path}` } }),
    write: ({ path, content }) => ({
      tool: 'apply_patch',
      input: patch(
        `Add File: ${path}`,
        content
          .trimEnd()
          .split('\n')
          .map((line) => `+${line}`),
      ),
    }),
    edit: ({ path, line, find, replace }) => ({
      tool: 'apply_patch',
      input: patch(`Update File: ${path}`, ['@@', `-${line}`, `+${line.replace(find, replace)}`]),
    }),
    delegate: ({ task }) => ({ tool: 'spawn_agent', namespace: 'multi_agent_v1', args: { message: task } }),
  },

  prepare: ({ home, url, scenario }) =>
    writeText(
      `${home}/.codex/config.toml`,
      [
        `model = "${scenario === 'stuck' ? KNOWN_PRICE : FULL_TOOLS}"`,
        'model_provider = "fake"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[features]',
        'multi_agent = true',
        '[model_providers.fake]',
        'name = "fake"',
        `base_url = "${url}/v1"`,
        'env_key = "FAKE_KEY"',
        'wire_api = "responses"',
        'supports_websockets = false',
        '',
      ].join('\n'),
    ),

  command: ({ bin, home, task }) => ({
    command: bin('codex'),
    args: ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    env: { CODEX_HOME: `${home}/.codex`, FAKE_KEY: 'none' },
  }),

  collect: ({ home }) =>
    filesUnder(`${home}/.codex/sessions`, '.jsonl').map((text, index) => ({
      conversation: index === 0 ? 'main' : 'child',
      extension: 'jsonl',
      text,
    })),

  // What repeats on every line and says nothing.
  trimExample: ({ metadata, ...record }) => {
    const {
      internal_chat_message_metadata_passthrough: passed,
      rate_limits: limits,
      ...payload
    } = record.payload;
    return { ...record, payload };
  },
};
