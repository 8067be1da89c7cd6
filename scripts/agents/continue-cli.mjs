import { readFileSync } from 'node:fs';
import { pathsUnder, writeText } from './files.mjs';

export const continueCli = {
  package: '@continuedev/cli',
  version: '1.5.47',
  // Its helpers, still behind a flag, find no session when nobody sits before the terminal.
  scenarios: ['varied', 'identical', 'failing'],

  tools: {
    shell: ({ command }) => ({ tool: 'Bash', args: { command } }),
    read: ({ path }, { project }) => ({ tool: 'Read', args: { filepath: `${project}/${path}` } }),
    write: ({ path, content }, { project }) => ({
      tool: 'Write',
      args: { filepath: `${project}/${path}`, content },
    }),
    edit: ({ path, find, replace }, { project }) => ({
      tool: 'MultiEdit',
      args: { file_path: `${project}/${path}`, edits: [{ old_string: find, new_string: replace }] },
    }),
  },

  prepare: ({ home, url }) =>
    writeText(
      `${home}/config.yaml`,
      [
        'name: Recorder',
        'version: 0.0.1',
        'schema: v1',
        'models:',
        ...['- name: Worker', '  roles: [chat]'],
        ...['  provider: openai', '  model: claude-sonnet-4-5', `  apiBase: ${url}/v1`, '  apiKey: none'],
        '  capabilities: [tool_use]',
        '',
      ].join('\n'),
    ),

  command: ({ bin, home, task }) => ({
    command: bin('cn'),
    args: ['-p', '--auto', '--config', `${home}/config.yaml`, task],
    env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' },
  }),

  collect: ({ home }) =>
    pathsUnder(`${home}/.continue/sessions`, '.json')
      .filter((path) => !path.endsWith('/sessions.json'))
      .map((path) => ({ conversation: 'main', extension: 'json', text: readFileSync(path, 'utf8') })),
};
