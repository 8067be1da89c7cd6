import { DeloopError } from '../../core/errors.ts';
import { EXIT, UsageError } from '../exit.ts';
import { surroundingsOf } from '../surroundings.ts';
import { printable } from '../text.ts';
import { createDecisionLog } from './decision-log.ts';
import { type McpFlags, parseFlags } from './flags.ts';
import { sessionFactory } from './guards.ts';
import { HELP } from './help.ts';
import { addressOf, placeOf } from './http/place.ts';
import { proxyStdio } from './stdio-proxy.ts';

/** Runs `deloop mcp`; gives the exit status. It has an entry of its own, because every start of a server waits for it. */
export async function mcp(argv: readonly string[], process: NodeJS.Process): Promise<number> {
  // Whoever started us may be gone; there is nobody to tell, then.
  process.stderr.on('error', () => {});
  const say = (text: string) => {
    process.stderr.write(`deloop: ${printable(text)}\n`);
  };
  try {
    const [verb, ...rest] = argv;
    if (verb === 'login' || verb === 'logout') {
      const { loginOrLogout } = await import('./sign-in/commands.ts');
      return await loginOrLogout(verb, rest, process, surroundingsOf(process));
    }
    const flags = parseFlags(argv);
    if (flags.help) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    return await chosen(flags, process, say);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof DeloopError)) throw error;
    say(error.message);
    return EXIT.usage;
  }
}

async function chosen(
  flags: McpFlags,
  process: NodeJS.Process,
  say: (text: string) => void,
): Promise<number> {
  const { command } = flags;
  const surroundings = surroundingsOf(process);
  const url = addressOf(flags, surroundings.env);
  if (url === null && command.length === 0)
    throw new UsageError(
      'mcp needs the command of a server, or its address: deloop mcp -- npx some-server, deloop mcp --url http://localhost:3001/mcp',
    );
  const place = placeOf(flags);
  const log = createDecisionLog(flags.log, say);
  const newSession = sessionFactory(flags, surroundings, say, log);
  if (url === null) return proxyStdio({ command, session: newSession(), process, say });
  if (place !== null) {
    const { proxyHttp } = await import('./http/proxy.ts');
    return proxyHttp({ ...place, url, newSession, process, say });
  }
  const { runFront, frontOptions } = await import('./remote/front.ts');
  const options = frontOptions(url, flags, surroundings, say);
  if (process.stdin.isTTY === true)
    say('a client speaks here, on standard input and output; for one that speaks HTTP there is --port');
  return runFront({ ...options, url, session: newSession(), process, say });
}
