import { filesUnder } from './files.mjs';

export const cline = {
  package: 'cline',
  version: '3.0.65',
  daemon: true,
  scenarios: ['varied', 'identical', 'failing', 'subagent'],
  // Its own guard aborts the fifth call and ends the run; the call is recorded as failed.
  cutOff: ['identical'],

  tools: {
    shell: ({ command }) => ({ tool: 'run_commands', args: { commands: [command] } }),
    read: ({ path }, { project }) => ({
      tool: 'read_files',
      args: { files: [{ path: `${project}/${path}` }] },
    }),
    write: ({ path, content }, { project }) => ({
      tool: 'editor',
      args: { path: `${project}/${path}`, new_text: content },
    }),
    edit: ({ path, find, replace }, { project }) => ({
      tool: 'editor',
      args: { path: `${project}/${path}`, old_text: find, new_text: replace },
    }),
    delegate: ({ task }) => ({ tool: 'spawn_agent', args: { systemPrompt: 'You count things.', task } }),
  },

  prepare: ({ bin, url, run }) =>
    run(
      {
        command: bin('cline'),
        args: ['auth', '-p', 'openai', '-k', 'none', '-m', 'claude-sonnet-4-5', '-b', `${url}/v1`],
        env: { CLINE_TELEMETRY_DISABLED: '1' },
      },
      'auth',
    ),

  command: ({ bin, task }) => ({
    command: bin('cline'),
    args: ['--json', '--auto-approve', 'true', task],
    env: { CLINE_TELEMETRY_DISABLED: '1' },
  }),

  collect: ({ home }) =>
    filesUnder(`${home}/.cline/data/sessions`, '.messages.json').map((text) => ({
      conversation: JSON.parse(text).agent === 'subagent' ? 'child' : 'main',
      extension: 'messages.json',
      text,
    })),
};
