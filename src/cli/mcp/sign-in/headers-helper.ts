import { execFile } from 'node:child_process';
import { isFields } from '../../../mcp/fields.ts';
import type { SignIn } from '../remote/ask.ts';
import { checkHeader, type Headers } from '../remote/headers.ts';

/** As long as Claude Code waits for one: https://code.claude.com/docs/en/mcp */
const PATIENCE_MS = 10_000;
const MAX_BYTES = 1_000_000;

/** A command that prints headers as JSON: it is run when the first request is sent, and again when the server refuses what it gave. */
export function createHeadersHelper(
  command: string,
  url: URL,
  server: string | undefined,
  say: (text: string) => void,
): SignIn {
  let made: Promise<Headers> | null = null;

  function run(): Promise<Headers> {
    // What Claude Code tells its helpers.
    const told = { CLAUDE_CODE_MCP_SERVER_NAME: server ?? '', CLAUDE_CODE_MCP_SERVER_URL: url.href };
    const options = {
      timeout: PATIENCE_MS,
      maxBuffer: MAX_BYTES,
      env: { ...process.env, ...told },
      windowsHide: true,
    };
    const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c'];
    return new Promise((resolve) => {
      execFile(shell, [flag, command], options, (error, printed) => {
        const headers = error === null ? headersIn(printed) : null;
        if (headers === null)
          say(
            `--headers-helper ${error === null ? 'has printed no headers: they must be JSON, a name and a text each' : 'has failed'}`,
          );
        resolve(headers ?? {});
      });
    });
  }

  return {
    proof() {
      made ??= run();
      return made;
    },
    async refused(_answer, sent) {
      const known = await made;
      // Another request may have had it run again.
      if (known !== null && JSON.stringify(known) !== JSON.stringify(sent)) return true;
      made = run();
      return JSON.stringify(await made) !== JSON.stringify(sent);
    },
  };
}

function headersIn(printed: string): Headers | null {
  try {
    const value: unknown = JSON.parse(printed);
    if (!isFields(value)) return null;
    for (const [name, text] of Object.entries(value)) {
      if (typeof text !== 'string') return null;
      checkHeader('--headers-helper', name, text);
    }
    return value as Headers;
  } catch {
    return null;
  }
}
