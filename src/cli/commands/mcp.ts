import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import { DeloopError } from '../../core/errors.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { HELP } from '../mcp/help.ts';
import { CLIENTS } from '../mcp/wrap/clients.ts';
import { type ConfigFile, orRefused, readConfigFile, writeConfigFile } from '../mcp/wrap/config-file.ts';
import { confirmed } from '../mcp/wrap/confirm.ts';
import { clientNamed } from '../mcp/wrap/find-client.ts';
import { type GuardFlags, guardWords } from '../mcp/wrap/guard-words.ts';
import { isPassing } from '../mcp/wrap/launcher.ts';
import { knownConfigs } from '../mcp/wrap/places.ts';
import { changeLines, serverLines } from '../mcp/wrap/print-change.ts';
import { standingOf } from '../mcp/wrap/standing.ts';
import { type Chosen, unwrappedText, wrappedText } from '../mcp/wrap/wrap-text.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

type FileFlags = {
  readonly client?: string;
  readonly server?: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
};
type WrapFlags = FileFlags & GuardFlags;

const KNOWN = CLIENTS.map(({ client }) => client).join(', ');
const EXAMPLES = `
Clients: ${KNOWN}

Examples:
  $ deloop mcp wrap                             the configs on this machine, and how their servers stand
  $ deloop mcp wrap .mcp.json                   show the change, ask, and make it
  $ deloop mcp wrap .mcp.json --shadow --yes    watch first: nothing is nudged or blocked
  $ deloop mcp unwrap .mcp.json                 as it was, to the byte
`;

const SIGN_IN =
  'Where a remote server wants a sign-in, it is deloop that signs in from now on: in a browser, or with deloop mcp login URL';

/** `deloop mcp`: the proxy itself has an entry of its own, which starts sooner. */
export function mcpCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  const command = new Command('mcp')
    .description('a guard in front of an MCP server, or of all the servers of a client')
    .usage('[options] -- COMMAND ARGS...');
  command.helpInformation = () => HELP;
  command.addCommand(wrapCommand(terminal, surroundings, leave));
  command.addCommand(unwrapCommand(terminal, surroundings, leave));
  return command;
}

function wrapCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return ofFile(new Command('wrap'))
    .description("put the servers of a client's MCP config behind the guard")
    .option('--preset <name>', 'the guard (see: deloop presets)')
    .option('--config <file>', "a config to use instead of the project's")
    .option('--shadow', 'decide, but let every call pass')
    .option('--log <file>', 'write decisions there, one JSON object a line')
    .option('--store <folder>', 'where the servers keep what they have seen together')
    .option('--no-share', 'each server on its own: loops across servers are not seen')
    .option('--npx', 'start deloop with npx, for a file that is used on other machines, too')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, flags: WrapFlags) => {
      const words = guardWords(flags, surroundings);
      if (file === undefined) {
        await listConfigs(terminal, surroundings, 'wrap');
        return;
      }
      const config = read(file, flags, surroundings);
      await serversShown(terminal, config);
      const next = orRefused(config.path, () =>
        wrappedText(config.text, config.client, chosen(config, flags), words),
      );
      for (const name of notWrapped(config, next, chosen(config, flags)))
        await terminal.out(
          `- ${printable(name)} stays as it is: its token has no line of its own. Write it as a table of its own, [mcp_servers.${printable(name)}]\n`,
        );
      if (next === config.text) {
        await terminal.out('There is nothing to wrap: nothing was changed.\n');
        return;
      }
      if (!(await change(terminal, config, next, flags, leave))) return;
      const again = config.path.includes(' ') ? JSON.stringify(config.path) : config.path;
      await terminal.out(
        `Done. Restart the client, or its servers. To undo it: deloop mcp unwrap ${printable(again)}\n`,
      );
      for (const note of notes(config, next, flags, surroundings)) await terminal.out(`- ${note}\n`);
    });
}

function unwrapCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return ofFile(new Command('unwrap'))
    .description("take the guard out of a client's MCP config, and leave it as it was, to the byte")
    .action(async (file: string | undefined, flags: FileFlags) => {
      if (file === undefined) {
        await listConfigs(terminal, surroundings, 'unwrap');
        return;
      }
      const config = read(file, flags, surroundings);
      await serversShown(terminal, config);
      const next = orRefused(config.path, () =>
        unwrappedText(config.text, config.client, chosen(config, flags)),
      );
      if (next === config.text) {
        await terminal.out('No server is behind the guard: nothing was changed.\n');
        return;
      }
      if (await change(terminal, config, next, flags, leave))
        await terminal.out('Done. Restart the client, or its servers.\n');
    });
}

function ofFile(command: Command): Command {
  return command
    .argument('[file]', "the client's config; without it, those that are found are listed")
    .option('--client <name>', `whose config it is, if that is not clear: ${KNOWN}`)
    .option('--server <name...>', 'these servers only')
    .option('--dry-run', 'show the change, and do not make it')
    .option('-y, --yes', 'make the change without asking');
}

function read(file: string, { client }: FileFlags, { cwd }: Surroundings): ConfigFile {
  return readConfigFile(resolve(cwd, file), client === undefined ? null : clientNamed(client));
}

/** Throws for a name that no server has. */
function chosen({ path, entries }: ConfigFile, { server }: FileFlags): Chosen {
  if (server === undefined) return () => true;
  const unknown = server.find((wanted) => entries.every(({ name }) => name !== wanted));
  if (unknown !== undefined) {
    const names = entries.map(({ name }) => name).join(', ');
    throw new UsageError(`--server is "${unknown}"; it must be one of those in ${path}: ${names}`);
  }
  return ({ name }) => server.includes(name);
}

async function serversShown(terminal: Terminal, config: ConfigFile): Promise<void> {
  await terminal.out(`${printable(config.path)} (${config.client.title})\n${serverLines(config, terminal)}`);
}

/** Servers somewhere else that are written in a way that leaves no place for the guard. */
function notWrapped({ client }: ConfigFile, next: string, isChosen: Chosen): readonly string[] {
  return client.notation
    .read(next, client.lists)
    .filter((entry) => isChosen(entry) && standingOf(entry, client).kind === 'remote')
    .map(({ name }) => name);
}

/** Shows the change, asks where there is somebody to ask, and makes it; false = it was not made. */
async function change(
  terminal: Terminal,
  config: ConfigFile,
  next: string,
  { yes = false, dryRun = false }: FileFlags,
  leave: (status: ExitStatus) => void,
): Promise<boolean> {
  await terminal.out(`\n${changeLines(config, next, terminal)}\n`);
  if (dryRun) {
    await terminal.out('Nothing was changed.\n');
    return false;
  }
  if (!yes && !(await confirmed())) {
    leave(EXIT.found);
    await terminal.out('Nothing was changed: run it with --yes to make this change.\n');
    return false;
  }
  writeConfigFile(config, next);
  return true;
}

/** The configs that are found, with their servers. */
async function listConfigs(terminal: Terminal, surroundings: Surroundings, verb: string): Promise<void> {
  const paths = knownConfigs(surroundings);
  if (paths.length === 0)
    await terminal.out(
      'No config of a client was found where they usually are. See: deloop mcp wrap --help\n',
    );
  for (const path of paths) {
    try {
      await serversShown(terminal, readConfigFile(path, null));
    } catch (error) {
      if (!(error instanceof DeloopError)) throw error;
      await terminal.out(`${printable(path)}\n  ${printable(error.message.replace(`${path}: `, ''))}\n`);
    }
  }
  if (paths.length > 0) await terminal.out(`\nTo change one: deloop mcp ${verb} FILE\n`);
}

/** What to know about a file that has just been changed. */
function notes(
  { path, client }: ConfigFile,
  next: string,
  { npx = false }: WrapFlags,
  { cwd, home }: Surroundings,
): readonly string[] {
  const isRemote = client.notation
    .read(next, client.lists)
    .some((entry) => standingOf(entry, client).kind === 'wrapped-remote');
  const within = !relative(cwd, path).startsWith('..') && relative(home, cwd) !== '';
  return [
    ...(isRemote ? [SIGN_IN] : []),
    ...(isPassing() && !npx
      ? ['This deloop lies in the cache of npx, which is emptied now and then, so npx will start it.']
      : within && !npx
        ? ['It names places on this machine. For a file that others use, too: deloop mcp wrap --npx']
        : []),
  ];
}
