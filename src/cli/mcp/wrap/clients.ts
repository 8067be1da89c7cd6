import { jsoncNotation, jsonNotation } from './json-notation.ts';
import type { ListPath, Notation } from './server-entry.ts';
import { tomlNotation } from './toml-notation.ts';

/** A client of MCP servers, and how it writes them down. */
export type Client = {
  readonly client: string;
  readonly title: string;
  /** How the path of its config ends; `*` stands for any name. */
  readonly files: readonly string[];
  readonly lists: readonly ListPath[];
  readonly notation: Notation;
  /** The command of a server is a list, with the arguments in it. */
  readonly commandList: boolean;
  /** How it names what differs between a server somewhere else and a command. */
  readonly words: ClientWords;
};

/** The field with the headers of a server somewhere else, the one with the environment of a command, and the type of a command. */
type ClientWords = { readonly headers: string; readonly env: string; readonly type: string };

const USUAL: ClientWords = { headers: 'headers', env: 'env', type: 'stdio' };

/** Those that know their servers by a key of their own stand before those that share one. */
export const CLIENTS: readonly Client[] = [
  {
    client: 'claude-desktop',
    title: 'Claude Desktop',
    files: ['claude_desktop_config.json'],
    lists: [['mcpServers']],
    notation: jsonNotation,
    commandList: false,
    words: USUAL,
  },
  {
    client: 'claude-code',
    title: 'Claude Code',
    files: ['.mcp.json', '.claude.json'],
    lists: [['mcpServers'], ['projects', '*', 'mcpServers']],
    notation: jsonNotation,
    commandList: false,
    words: USUAL,
  },
  {
    client: 'cursor',
    title: 'Cursor',
    files: ['.cursor/mcp.json'],
    lists: [['mcpServers']],
    notation: jsoncNotation,
    commandList: false,
    words: USUAL,
  },
  {
    client: 'vscode',
    title: 'VS Code',
    files: [
      '.vscode/mcp.json',
      'User/mcp.json',
      'User/settings.json',
      '.vscode/settings.json',
      '*.code-workspace',
    ],
    lists: [['servers'], ['mcp', 'servers'], ['settings', 'mcp', 'servers']],
    notation: jsoncNotation,
    commandList: false,
    words: USUAL,
  },
  {
    client: 'gemini-cli',
    title: 'Gemini CLI',
    files: ['.gemini/settings.json'],
    lists: [['mcpServers']],
    notation: jsoncNotation,
    commandList: false,
    words: USUAL,
  },
  {
    client: 'codex',
    title: 'Codex',
    files: ['*.toml'],
    lists: [['mcp_servers']],
    notation: tomlNotation,
    commandList: false,
    words: { headers: 'http_headers', env: 'env', type: 'stdio' },
  },
  {
    client: 'opencode',
    title: 'opencode',
    files: ['opencode.json', 'opencode.jsonc'],
    lists: [['mcp'], ['mcp', 'servers']],
    notation: jsoncNotation,
    commandList: true,
    words: { headers: 'headers', env: 'environment', type: 'local' },
  },
  {
    client: 'other',
    title: 'another client',
    files: [],
    lists: [['mcpServers']],
    notation: jsoncNotation,
    commandList: false,
    words: USUAL,
  },
];
