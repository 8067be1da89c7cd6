export const HELP = `Usage: deloop mcp [options] -- COMMAND ARGS...
       deloop mcp [options] --url URL
       deloop mcp [options] --url URL --port N
       deloop mcp wrap FILE | unwrap FILE
       deloop mcp login URL | logout URL

A guard in front of any MCP server: every message passes unchanged, tool calls are watched.

The guard:
  --preset <name>        the guard (see: deloop presets)
  --config <file>        a config to use instead of the project's
  --shadow               decide, but let every call pass
  --log <file>           write decisions there, one JSON object a line; without it they are told on stderr

Several servers of one client:
  --share                judge them together, so that loops across servers are seen
  --name <name>          what this server is called, so that tools of the same name are told apart
  --session <name>       who belongs together, if not the servers that one client has started (or: DELOOP_SESSION)
  --store <folder>       where they keep what they have seen

A server over HTTP, for a client that starts commands:
  --url <url>            its address
  --url-env <variable>   the same, in a variable of the environment: an address may be a secret
  --header <header>      a header to send, such as "X-Region: eu"
  --header-env <name=variable>
                         a header whose value is in a variable of the environment
  --bearer-env <variable>
                         a token in a variable of the environment, for Authorization: Bearer
  --headers-helper <command>
                         a command that prints headers to send, as JSON; it is run again when the server refuses them
  --no-login             never sign in to it (see: deloop mcp login --help)
  --via <name>           http (Streamable HTTP), sse (the one before it), or auto, the default

A server over HTTP, for clients that speak HTTP, too:
  --port <number>        where to listen; 0 is any that is free
  --host <address>       on which address; 127.0.0.1 without it
  --allow-host <name>    a name that clients may use for this machine, beside localhost
  --allow-origin <url>   a web page that may talk to it

  -h, --help             show this help

Examples:
  $ deloop mcp -- npx -y @modelcontextprotocol/server-filesystem .
  $ deloop mcp --shadow --log decisions.jsonl -- node my-server.js
  $ deloop mcp --url https://mcp.example.com/mcp --header-env Authorization=EXAMPLE_AUTHORIZATION
  $ deloop mcp --url http://localhost:3001/mcp --port 4001
  $ deloop mcp wrap .mcp.json          all servers of a client, in its own config (see: deloop mcp wrap --help)

Exit status: the server's own (128 and more: ended by a signal), 2 wrong usage, or a server that could not be started.
`;
