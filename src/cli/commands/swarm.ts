import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { DeloopError } from '../../core/errors.ts';
import { isWholeNumber, wrong } from '../../core/options.ts';
import type { Board } from '../../stores/board.ts';
import { parseSwarm } from '../../stores/board-of.ts';
import { aclRules } from '../../stores/redis-acl.ts';
import { statusOf } from '../../swarm/swarm-status.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import type { Surroundings } from '../surroundings.ts';
import { type BoardFlags, openBoard } from '../swarm/open-board.ts';
import { metricsText, statusText } from '../swarm/print-status.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import { whyNot } from '../why-not.ts';

type Flags = BoardFlags & {
  readonly json?: boolean;
  readonly metrics?: boolean;
  readonly why?: string;
  readonly by?: string;
  readonly poll: string;
};
type Act = (
  board: Board,
  flags: Flags & { readonly tenant: string },
  name: string,
  file: string,
) => Promise<ExitStatus>;

const HELP = `
The store is named with --redis URL or --folder DIR; DELOOP_REDIS_URL stands in for --redis, DELOOP_TENANT for --tenant, and "store" in
your config for all of them.

Examples:
  $ deloop swarm status                            every swarm of the tenant
  $ deloop swarm watch nightly                     one of them, again and again; Ctrl-C ends it
  $ deloop swarm halt nightly --why "wrong branch" every worker stops at its next call
  $ deloop swarm release nightly                   and may go on
  $ deloop swarm clear nightly                     forgets its tallies; a halt stays
  $ deloop swarm save nightly swarm.json           a checkpoint; \`restore\` puts it back, into any store
  $ deloop swarm status --metrics                  for Prometheus
  $ deloop swarm acl --tenant acme                 the rights of a Redis user who may reach one tenant alone

Exit status: 0 done, 1 there is no such swarm, 2 wrong usage, 3 the store cannot be reached or the file cannot be read.
`;
const [MIN_POLL, MAX_POLL] = [10, 600_000];

export function swarmCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  const swarm = new Command('swarm')
    .description('see what swarms do, stop one at once, and let it go on')
    .addHelpText('after', HELP);

  function add(usage: string, about: string, act: Act): Command {
    const command = new Command(usage.split(' ')[0]).description(about);
    for (const argument of usage.split(' ').slice(1)) command.argument(argument);
    command
      .option('--redis <url>', 'the Redis of the swarm, like redis://user:password@host:6379/0')
      .option('--folder <dir>', 'the folder of its file store')
      .option('--tenant <name>', 'whose swarms; else "default"')
      .option('--prefix <text>', 'what all keys in Redis begin with; else "deloop"')
      .action(async (...given: readonly unknown[]) => {
        const flags = given.at(-2) as Flags;
        const [name = '', file = ''] = given.slice(0, -2) as readonly string[];
        const { board, tenant, close } = openBoard(flags, surroundings);
        try {
          leave(await act(board, { ...flags, tenant }, name, file));
        } catch (error) {
          if (!(error instanceof Error) || isUsage(error)) throw error;
          const why = 'syscall' in error ? whyNot(error) : error.message;
          terminal.err(`deloop: ${printable(why)}\n`);
          leave(EXIT.unreadable);
        } finally {
          close();
        }
      });
    swarm.addCommand(command);
    return command;
  }

  async function show(
    board: Board,
    flags: Flags & { readonly tenant: string },
    name: string,
  ): Promise<ExitStatus> {
    const names = name === '' ? (await board.swarms()).map((one) => one.swarm) : [name];
    const found: (readonly [string, ReturnType<typeof statusOf>])[] = [];
    for (const each of names) {
      const state = await board.read(each);
      if (state !== null) found.push([each, statusOf(state, Date.now())]);
    }
    const { tenant } = flags;
    if (flags.metrics === true) await terminal.out(metricsText(tenant, found));
    else if (flags.json === true)
      for (const [each, status] of found)
        await terminal.out(`${JSON.stringify({ tenant, swarm: each, ...status })}\n`);
    else
      for (const [each, status] of found)
        await terminal.out(statusText(each, status, terminal.width, terminal.outColors));
    if (found.length > 0 || name === '') return EXIT.ok;
    terminal.err(
      `deloop: there is no swarm ${JSON.stringify(name)} of the tenant ${JSON.stringify(tenant)}\n`,
    );
    return EXIT.found;
  }

  async function steer(
    board: Board,
    { why = '', by }: Flags,
    name: string,
    halt: boolean,
  ): Promise<ExitStatus> {
    const { at } = await board.steer(name, { halt, why, by: by ?? whoAmI() });
    const what = halt ? 'is halted: every worker stops at its next call' : 'may go on';
    terminal.err(`deloop: the swarm ${printable(name)} ${what} (${new Date(at).toISOString()})\n`);
    return EXIT.ok;
  }

  add('status [name]', 'what one swarm, or every swarm of the tenant, has come to', show)
    .option('--json', 'print JSON Lines only')
    .option('--metrics', 'print what Prometheus reads');
  add('watch [name]', 'the same, again and again', async (board, flags, name) => {
    const pollMs = Number(flags.poll);
    if (!isWholeNumber(pollMs, MIN_POLL, MAX_POLL))
      throw wrong('--poll', flags.poll, `a whole number of milliseconds from ${MIN_POLL} to ${MAX_POLL}`);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    while (!stopped.signal.aborted) {
      await show(board, flags, name);
      await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
    return EXIT.ok;
  })
    .option('--poll <ms>', 'how often to look, in milliseconds', '2000')
    .option('--json', 'print JSON Lines only');
  add('clear <name>', 'forget the tallies of a swarm; a halt stays', async (board, _, name) => {
    await board.clear(name);
    return EXIT.ok;
  });
  add('halt <name>', 'stop every worker of a swarm at its next call', (board, flags, name) =>
    steer(board, flags, name, true),
  )
    .requiredOption('--why <text>', 'what the workers are told')
    .option('--by <name>', 'who stops it; default the name of the user');
  add('release <name>', 'let a swarm go on', (board, flags, name) => steer(board, flags, name, false)).option(
    '--by <name>',
    'who lets it go on',
  );
  add('save <name> <file>', 'write a checkpoint of a swarm', async (board, flags, name, file) => {
    const state = await board.read(name);
    if (state === null) return show(board, flags, name);
    writeFileSync(resolve(surroundings.cwd, file), `${JSON.stringify(state)}\n`, { mode: 0o600 });
    return EXIT.ok;
  });
  add(
    'restore <name> <file>',
    'put a checkpoint in place of whatever a swarm has',
    async (board, _, name, file) => {
      const state = parseSwarm(JSON.parse(readFileSync(resolve(surroundings.cwd, file), 'utf8')));
      if (state !== null) await board.write(name, state);
      return EXIT.ok;
    },
  );
  swarm.addCommand(
    new Command('acl')
      .description("print the rules of a Redis user who may reach one tenant's keys and no others")
      .option('--tenant <name>', 'whose', 'default')
      .option('--prefix <text>', 'what all keys in Redis begin with', 'deloop')
      .action(({ tenant, prefix }: { readonly tenant: string; readonly prefix: string }) =>
        terminal.out(`${aclRules(tenant, prefix)}\n`),
      ),
  );
  return swarm;
}

/** What is wrong with the words, not with the store or a file. */
function isUsage(error: Error): boolean {
  return error instanceof UsageError || (error instanceof DeloopError && error.code !== 'store');
}

function whoAmI(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody';
  }
}
