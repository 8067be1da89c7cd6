import { filesUnder, writeJson } from './files.mjs';

export const qwenCode = {
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  node: '22',
  scenarios: ['varied', 'identical', 'failing', 'subagent'],
  // Its own guard, which cannot be switched off, ends the run at the fifth call and does not record it.
  answersKept: { identical: 4 },

  tools: {
    shell: ({ command }) => ({ tool: 'run_shell_command', args: { command, is_background: false } }),
    read: ({ path }, { project }) => ({ tool: 'read_file', args: { file_path: `${project}/${path}` } }),
    write: ({ path, content }, { project }) => ({
      tool: 'write_file',
      args: { file_path: `${project}/${path}`, content },
    }),
    edit: ({ path, find, replace }, { project }) => ({
      tool: 'edit',
      args: { file_path: `${project}/${path}`, old_string: find, new_string: replace },
    }),
    delegate: ({ task }) => ({
      tool: 'agent',
      args: {
        description: 'Count exports',
        prompt: task,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    }),
  },

  prepare: ({ home }) =>
    writeJson(`${home}/.qwen/settings.json`, {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
    }),

  command: ({ bin, url, task }) => ({
    command: bin('qwen'),
    args: ['-p', task, '--yolo', '--output-format', 'stream-json'],
    env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'qwen3-coder-plus' },
  }),

  collect: ({ home }) =>
    filesUnder(`${home}/.qwen/projects`, '.jsonl').map((text) => ({
      conversation: text.includes('"agentId"') && text.startsWith('{"uuid"') ? 'child' : 'main',
      extension: 'jsonl',
      text,
    })),
};
