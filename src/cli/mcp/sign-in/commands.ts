import { createInterface } from 'node:readline/promises';
import { EXIT, UsageError } from '../../exit.ts';
import type { Surroundings } from '../../surroundings.ts';
import { createConnection } from '../http/connection.ts';
import { whyUnreached } from '../http/why-unreached.ts';
import { parsedWords } from '../parse-words.ts';
import { createAsk } from '../remote/ask.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../remote/remote.ts';
import { browserOf, openPage } from './browser.ts';
import type { Credentials } from './credentials.ts';
import { credentialsOf } from './sign-in.ts';

const LOGIN_HELP = `Usage: deloop mcp login URL [options]
       deloop mcp logout URL

Signs in to a server over HTTP in a browser, so that deloop mcp --url can speak to it, and forgets that again.

  --scope <scopes>             what to ask for, if not what the server says
  --client-id <id>             a client that is registered with the authorization server, where it registers none itself
  --client-secret-env <name>   its secret, in a variable of the environment
  --callback-port <number>     the port of 127.0.0.1 to come back to, at /callback, that it is registered with

  -h, --help                   show this help

Tokens are kept in deloop's state folder, for you alone. Without a browser on this machine, open the address in any other,
sign in, and paste the address that it ends up at.

Exit status: 0 signed in, or no sign-in is needed; 1 it did not work; 2 wrong usage.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  scope: { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret-env': { type: 'string' },
  'callback-port': { type: 'string' },
} as const;
const PROBE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'deloop', version: '1' } },
};
const PATIENCE_MS = 30_000;

/** `deloop mcp login` and `logout`; gives the exit status. */
export async function loginOrLogout(
  verb: 'login' | 'logout',
  argv: readonly string[],
  process: NodeJS.Process,
  surroundings: Surroundings,
): Promise<number> {
  const { values, positionals } = parsedWords(argv, OPTIONS, 'deloop mcp login --help');
  if (values.help === true) {
    process.stdout.write(LOGIN_HELP);
    return EXIT.ok;
  }
  const url = addressIn(verb, positionals);
  const credentials = credentialsOf(url, surroundings);
  const where = `${url.origin}${url.pathname}`;
  const tell = (text: string) => process.stdout.write(`${text}\n`);
  if (verb === 'logout') {
    tell(
      credentials.forget() ? `The sign-in to ${where} is forgotten.` : `There was no sign-in to ${where}.`,
    );
    return EXIT.ok;
  }
  const challenge = await challengeOf(url);
  if (challenge === null) {
    tell(`${where} wants no sign-in.`);
    return EXIT.ok;
  }
  return credentials.alone(async () => {
    keepGiven(values, credentials, surroundings);
    const browser = browserOf(surroundings);
    const { signIn } = await import('./flow.ts');
    try {
      await signIn({
        url,
        credentials,
        challenge: challenge.words,
        isFresh: true,
        show(page) {
          tell(`Sign in here${browser === null ? '' : ', if no browser opens'}: ${page.href}`);
          if (browser !== null) openPage(browser, page);
        },
        pasted: process.stdin.isTTY === true ? (signal) => pastedIn(process, signal) : undefined,
      });
      tell(`Signed in to ${where}. To forget it: deloop mcp logout ${where}`);
      return EXIT.ok;
    } catch (error) {
      process.stderr.write(`deloop: ${where}: ${(error as Error).message}\n`);
      return EXIT.found;
    }
  });
}

function addressIn(verb: string, positionals: readonly string[]): URL {
  const [address, ...more] = positionals;
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
  if (more.length > 0 || (url?.protocol !== 'http:' && url?.protocol !== 'https:'))
    throw new UsageError(
      `mcp ${verb} needs the address of one server: deloop mcp ${verb} https://mcp.example.com/mcp`,
    );
  return url;
}

/** What the server says when nobody has signed in; null = it lets everybody in. */
async function challengeOf(url: URL): Promise<{ readonly words: string | undefined } | null> {
  const connection = createConnection(url);
  const headers = { 'Content-Type': JSON_TYPE, Accept: `${JSON_TYPE}, ${EVENTS_TYPE}` };
  try {
    const answer = await createAsk(
      url,
      connection,
      {},
      null,
    )({
      method: 'POST',
      headers,
      body: Buffer.from(JSON.stringify(PROBE)),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    answer.destroy();
    return answer.statusCode === 401 ? { words: answer.headers['www-authenticate'] } : null;
  } catch (error) {
    throw new UsageError(whyUnreached(url, error));
  } finally {
    connection.close();
  }
}

/** Takes down what the user has said of the client. */
function keepGiven(values: Values, credentials: Credentials, { env }: Surroundings): void {
  const { scope, 'client-id': id, 'client-secret-env': variable, 'callback-port': port } = values;
  if (port !== undefined && !/^[1-9]\d{0,4}$/.test(port))
    throw new UsageError(`--callback-port is "${port}"; it must be a port, from 1 to 65535`);
  const secret = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && secret === undefined)
    throw new UsageError(`--client-secret-env: the environment has no variable ${variable}`);
  credentials.forget();
  credentials.keep({
    ...(scope === undefined ? {} : { scope }),
    ...(port === undefined ? {} : { redirect: `http://127.0.0.1:${port}/callback` }),
    ...(id === undefined
      ? {}
      : {
          client: { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) },
          isGiven: true,
        }),
  });
}

async function pastedIn({ stdin, stdout }: NodeJS.Process, signal: AbortSignal): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stdout });
  try {
    return await prompt.question('Or paste the address that the browser ends up at: ', { signal });
  } finally {
    prompt.close();
  }
}

type Values = ReturnType<typeof parsedWords<typeof OPTIONS>>['values'];
