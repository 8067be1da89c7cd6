import { filesUnder, writeJson } from './files.mjs';

export const geminiCli = {
  package: '@google/gemini-cli',
  version: '0.61.0',
  scenarios: ['varied', 'identical', 'guarded', 'failing', 'subagent'],
  examples: ['healthy'],
  // Its own guard refuses the fifth call and ends the run at the sixth; neither answer is recorded.
  answersKept: { guarded: 4 },

  tools: {
    shell: ({ command }) => ({ tool: 'run_shell_command', args: { command, description: 'Runs a command' } }),
    read: ({ path }) => ({ tool: 'read_file', args: { file_path: path } }),
    write: ({ path, content }) => ({ tool: 'write_file', args: { file_path: path, content } }),
    edit: ({ path, line, find, replace }) => ({
      tool: 'replace',
      args: {
        file_path: path,
        instruction: 'Multiply by the count',
        old_string: line,
        new_string: line.replace(find, replace),
      },
    }),
    delegate: ({ task }) => ({ tool: 'invoke_agent', args: { agent_name: 'generalist', prompt: task } }),
    report: ({ text }) => ({ tool: 'complete_task', args: { result: { response: text } } }),
  },

  prepare: ({ home, scenario }) =>
    writeJson(`${home}/.gemini/settings.json`, {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
      model: { name: 'gemini-2.5-flash', disableLoopDetection: scenario !== 'guarded' },
    }),

  command: ({ bin, url, task }) => ({
    command: bin('gemini'),
    args: ['-p', task, '--yolo', '--output-format', 'stream-json'],
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
  }),

  collect: ({ home }) =>
    filesUnder(`${home}/.gemini/tmp`, '.jsonl').map((text) => ({
      conversation: text.includes('"kind":"subagent"') ? 'child' : 'main',
      extension: 'jsonl',
      text,
    })),
};
