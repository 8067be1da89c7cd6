import { pathsUnder, writeJson } from './files.mjs';

const MODEL = 'claude-sonnet-4-5';

// The events of each session, the oldest session first; Node 20 has neither SQLite nor Zstandard.
const DUMP = `
const { DatabaseSync } = require('node:sqlite');
const { zstdDecompressSync } = require('node:zlib');
const rows = new DatabaseSync(process.argv[1], { readOnly: true })
  .prepare('select * from transcript_events order by created_at, seq').all();
const sessions = Map.groupBy(rows, (row) => row.session_id);
const lineOf = (row) => row.event_json ?? zstdDecompressSync(row.event_zstd).toString('utf8');
console.log(JSON.stringify([...sessions.values()].map((events) => events.map(lineOf))));
`;

export const openclaw = {
  package: 'openclaw',
  version: '2026.9.6',
  node: '24',
  // Helpers need its gateway, which is not running here.
  scenarios: ['varied', 'identical', 'failing'],

  tools: {
    shell: ({ command }) => ({ tool: 'exec', args: { command } }),
    read: ({ path }) => ({ tool: 'read', args: { path } }),
    write: ({ path, content }) => ({ tool: 'write', args: { path, content } }),
    edit: ({ path, find, replace }) => ({
      tool: 'edit',
      args: { path, edits: [{ oldText: find, newText: replace }] },
    }),
  },

  prepare: ({ home, project, url }) =>
    writeJson(`${home}/.openclaw/openclaw.json`, {
      models: {
        mode: 'replace',
        providers: {
          fake: {
            baseUrl: `${url}/v1`,
            apiKey: 'none',
            api: 'openai-completions',
            models: [{ id: MODEL, name: MODEL, input: ['text'], contextWindow: 200_000, maxTokens: 8_192 }],
          },
        },
      },
      agents: { defaults: { workspace: project, skipBootstrap: true, model: { primary: `fake/${MODEL}` } } },
      tools: { exec: { host: 'gateway', security: 'full', ask: 'off' } },
    }),

  command: ({ bin, task }) => ({
    command: bin('openclaw'),
    args: ['agent', '--local', '--agent', 'main', '--json', '-m', task],
  }),

  collect: async ({ home, node, run }) => {
    const [database] = pathsUnder(`${home}/.openclaw/agents/main`, 'openclaw-agent.sqlite');
    const { text } = await run(
      { command: `${node}/node`, args: ['--no-warnings', '-e', DUMP, database] },
      'dump',
    );
    return JSON.parse(text).map((lines, index) => ({
      conversation: index === 0 ? 'main' : 'child',
      extension: 'jsonl',
      text: lines.join('\n'),
    }));
  },
};
