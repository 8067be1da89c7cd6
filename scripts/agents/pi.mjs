import { filesUnder, writeJson } from './files.mjs';

export const pi = {
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  scenarios: ['varied', 'identical', 'failing'],
  examples: ['stuck'],

  tools: {
    shell: ({ command }) => ({ tool: 'bash', args: { command } }),
    read: ({ path }) => ({ tool: 'read', args: { path } }),
    write: ({ path, content }) => ({ tool: 'write', args: { path, content } }),
    edit: ({ path, find, replace }) => ({
      tool: 'edit',
      args: { path, edits: [{ oldText: find, newText: replace }] },
    }),
  },

  prepare: ({ home, url }) =>
    writeJson(`${home}/.pi/agent/models.json`, {
      providers: { anthropic: { baseUrl: url, apiKey: 'none' } },
    }),

  command: ({ bin, task }) => ({
    command: bin('pi'),
    args: ['--mode', 'json', '-p', '--model', 'anthropic/claude-sonnet-4-5', task],
    env: { PI_OFFLINE: '1' },
  }),

  collect: ({ home }) =>
    filesUnder(`${home}/.pi/agent/sessions`, '.jsonl').map((text) => ({
      conversation: 'main',
      extension: 'jsonl',
      text,
    })),
};
