import { Command } from 'commander';
import { type Drill, drill } from '../drill/drill.ts';
import { drillText } from '../drill/print-drill.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { AGENTS, installableOf, statusesOf } from '../install/placements.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `
It plays an agent that goes round in circles: the payloads of that agent go through the very command that is in its settings, in the
shell that the agent uses. The agent itself is not needed, and state and log are of the drill alone.

Exit status: 0 the hook stepped in, 1 it did not, 2 wrong usage.
`;

/** `deloop drill AGENT` */
export function drillCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('drill')
    .description('prove that what is installed works, by a loop that is known')
    .argument('<agent>', AGENTS)
    .option('--json', 'print JSON only')
    .addHelpText('after', HELP)
    .action(async (name: string, { json = false }: { json?: boolean }) => {
      const installed = statusesOf(installableOf(name), surroundings).filter((one) => one.installed);
      if (installed.length === 0)
        throw new UsageError(
          `${name} is not guarded here, so there is nothing to try: deloop install ${name}`,
        );
      const results: Drill[] = [];
      for (const status of installed) results.push(await drill(status, surroundings));
      if (results.some(({ works }) => !works)) leave(EXIT.found);
      if (json) await terminal.out(`${JSON.stringify({ drills: results }, null, 2)}\n`);
      else for (const result of results) await terminal.out(drillText(result, terminal));
    });
}
