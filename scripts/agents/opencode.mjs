import { writeJson } from './files.mjs';

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
};
const binary = (place) => `${place}/node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`;

export const opencode = {
  package: 'opencode-ai',
  version: '1.18.33',
  scenarios: ['varied', 'identical', 'failing', 'subagent'],

  tools: {
    shell: ({ command }) => ({ tool: 'bash', args: { command, description: 'Runs a command' } }),
    read: ({ path }, { project }) => ({ tool: 'read', args: { filePath: `${project}/${path}` } }),
    write: ({ path, content }, { project }) => ({
      tool: 'write',
      args: { filePath: `${project}/${path}`, content },
    }),
    edit: ({ path, find, replace }, { project }) => ({
      tool: 'edit',
      args: { filePath: `${project}/${path}`, oldString: find, newString: replace },
    }),
    delegate: ({ task }) => ({
      tool: 'task',
      args: { description: 'Count exports', prompt: task, subagent_type: 'general' },
    }),
  },

  prepare: ({ home, url }) =>
    writeJson(`${home}/.config/opencode/opencode.json`, {
      share: 'disabled',
      autoupdate: false,
      model: 'fake/claude-sonnet-4-5',
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { 'claude-sonnet-4-5': { limit: { context: 200_000, output: 64_000 } } },
        },
      },
    }),

  command: ({ place, task }) => ({
    command: binary(place),
    args: ['run', '--format', 'json', task],
    env: QUIET,
  }),

  collect: async ({ place, run }) => {
    const ask = async (...args) =>
      JSON.parse((await run({ command: binary(place), args, env: QUIET }, args[0])).text);
    const [{ id }] = await ask('session', 'list', '--format', 'json');
    const main = await ask('export', id);
    const started = main.messages.flatMap(({ parts }) =>
      parts.map(({ state }) => state?.metadata?.sessionId),
    );
    const files = [{ conversation: 'main', extension: 'json', text: JSON.stringify(main) }];
    for (const child of started.filter((found) => found !== undefined)) {
      const text = JSON.stringify(await ask('export', child));
      files.push({ conversation: 'child', extension: 'json', text });
    }
    return files;
  },
};
