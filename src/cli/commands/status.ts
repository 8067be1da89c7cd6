import { Command } from 'commander';
import { EXIT, type ExitStatus } from '../exit.ts';
import type { InstallStatus } from '../install/install-status.ts';
import { allStatuses, whose } from '../install/placements.ts';
import { twice } from '../install/warnings.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `
Exit status: 0 all is well, 1 something is wrong, 2 wrong usage.
`;

/** `deloop status` */
export function statusCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('status')
    .description('which agents are guarded, and what is wrong with it')
    .option('--json', 'print JSON only')
    .addHelpText('after', HELP)
    .action(async ({ json = false }: { json?: boolean }) => {
      const all = allStatuses(surroundings);
      const installed = all.filter((one) => one.installed);
      const notes = twice(installed);
      if (all.some(({ problems }) => problems.length > 0)) leave(EXIT.found);
      if (json) {
        const agents = all.map(({ hooks, ...rest }) => rest);
        await terminal.out(`${JSON.stringify({ agents, notes }, null, 2)}\n`);
        return;
      }
      if (installed.length === 0) await terminal.out('No agent is guarded. See: deloop install --help\n');
      for (const one of installed) await terminal.out(statusText(one, terminal));
      for (const note of notes) await terminal.out(`- ${note}\n`);
    });
}

function statusText(
  { title, scope, shadow, files, problems }: InstallStatus,
  { outColors }: Terminal,
): string {
  const lines = [
    `${outColors.bold(title)} ${whose(scope)}${shadow ? ', in shadow' : ''}`,
    ...files.map((file) => `  ${file}`),
    ...problems.map((problem) => outColors.red(`  ! ${problem}`)),
  ];
  return `${lines.join('\n')}\n`;
}
