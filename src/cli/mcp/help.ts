export const HELP = `Usage: deloop mcp [options] -- COMMAND ARGS...

A guard in front of any MCP server: every message passes unchanged, tool calls are watched.

Options:
  --preset <name>   the guard (see: deloop presets)
  --config <file>   a config to use instead of the project's
  --shadow          decide, but let every call pass
  --log <file>      write decisions there, one JSON object a line; without it they are told on stderr
  -h, --help        show this help

Examples:
  $ deloop mcp -- npx -y @modelcontextprotocol/server-filesystem .
  $ deloop mcp --shadow --log decisions.jsonl -- node my-server.js

Exit status: the server's own (128 and more: ended by a signal), 2 wrong usage, or a server that could not be started.
`;
