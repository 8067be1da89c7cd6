import { Command, CommanderError } from 'commander';
import { DeloopError } from '../core/errors.ts';
import { allowCommand } from './commands/allow.ts';
import { compareCommand } from './commands/compare.ts';
import { doctorCommand } from './commands/doctor.ts';
import { drillCommand } from './commands/drill.ts';
import { evalCommand } from './commands/eval.ts';
import { exportCommand } from './commands/export.ts';
import { hookCommand } from './commands/hook.ts';
import { installCommand, uninstallCommand } from './commands/install.ts';
import { logCommand } from './commands/log.ts';
import { mcpCommand } from './commands/mcp.ts';
import { pauseCommand, resumeCommand } from './commands/pause.ts';
import { presetsCommand } from './commands/presets.ts';
import { purgeCommand } from './commands/purge.ts';
import { replayCommand } from './commands/replay.ts';
import { runCommand } from './commands/run.ts';
import { scanCommand } from './commands/scan.ts';
import { statusCommand } from './commands/status.ts';
import { swarmCommand } from './commands/swarm.ts';
import { tuneCommand } from './commands/tune.ts';
import { watchCommand } from './commands/watch.ts';
import { EXIT, type ExitStatus, UsageError } from './exit.ts';
import type { Surroundings } from './surroundings.ts';
import type { Terminal } from './terminal.ts';
import { printable } from './text.ts';
import { VERSION } from './version.ts';

const ABOUT = 'Notices when an AI agent is going round in circles, and steps in: nudge, block, ask or halt.';
const HELP = `
Start here:
  $ deloop scan                    the loops in this machine's agent sessions, and what they cost
  $ deloop install claude-code     guard a coding agent; deloop doctor tells whether all is well
  $ deloop mcp wrap                guard the MCP servers of a client
  $ deloop watch                   a line when a running session begins to go round in circles
  $ deloop replay --demo           what guards do, on a recording that comes with deloop
  $ deloop replay run.jsonl        what a guard would have done in your own run
  $ deloop presets                 the guards to choose from
`;

/** Runs one command line; whatever goes wrong is one line on `err` and an exit status. */
export async function run(
  argv: readonly string[],
  terminal: Terminal,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.ok;
  const program = programOf(terminal, surroundings, (chosen) => {
    status = chosen;
  });
  if (argv.length === 0) {
    await terminal.out(program.helpInformation() + HELP);
    return EXIT.ok;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof UsageError || error instanceof DeloopError)) throw error;
    terminal.err(`deloop: ${printable(error.message)}\n`);
    return EXIT.usage;
  }
}

function programOf(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  const program = new Command('deloop')
    .description(ABOUT)
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .enablePositionalOptions()
    .addHelpText('after', HELP);
  program.addCommand(scanCommand(terminal, surroundings, leave));
  program.addCommand(replayCommand(terminal, surroundings, leave));
  program.addCommand(evalCommand(terminal, surroundings, leave));
  program.addCommand(compareCommand(terminal, surroundings, leave));
  program.addCommand(exportCommand(terminal, leave));
  program.addCommand(watchCommand(terminal, surroundings, leave));
  program.addCommand(tuneCommand(terminal, surroundings, leave));
  program.addCommand(swarmCommand(terminal, surroundings, leave));
  program.addCommand(presetsCommand(terminal));
  program.addCommand(mcpCommand(terminal, surroundings, leave));
  program.addCommand(installCommand(terminal, surroundings));
  program.addCommand(uninstallCommand(terminal, surroundings));
  program.addCommand(statusCommand(terminal, surroundings, leave));
  program.addCommand(drillCommand(terminal, surroundings, leave));
  program.addCommand(doctorCommand(terminal, surroundings, leave));
  program.addCommand(logCommand(terminal, surroundings, leave));
  program.addCommand(runCommand(terminal, surroundings, leave));
  program.addCommand(pauseCommand(terminal, surroundings));
  program.addCommand(resumeCommand(terminal, surroundings));
  program.addCommand(allowCommand(terminal, surroundings));
  program.addCommand(purgeCommand(terminal, surroundings, leave));
  program.addCommand(hookCommand());
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command
      .exitOverride()
      .allowExcessArguments(false)
      .configureOutput({
        writeOut: (text) => terminal.out(text),
        writeErr: (text) => terminal.err(text),
        outputError: (text, write) => write(oneLine(text)),
      });
  }
  return program;
}

/** The error and the suggestion, which commander puts on a line of its own. */
function oneLine(text: string): string {
  return `deloop: ${printable(text.trim().replace(/^error: /, ''))} (see: deloop --help)\n`;
}
