import { Command } from 'commander';
import { type Finding, note, ok, wrong } from '../doctor/finding.ts';
import { lookAtNode, lookAtSettings, lookAtState, lookForAgents } from '../doctor/look.ts';
import { lookAtSwarm } from '../doctor/look-at-swarm.ts';
import { drill } from '../drill/drill.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import type { InstallStatus } from '../install/install-status.ts';
import { allStatuses, whose } from '../install/placements.ts';
import { twice } from '../install/warnings.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

const HELP = `
It looks at Node, at deloop's own settings, at where state and log lie, at the store of the swarm, and at every agent: what is installed, and whether it steps in
(see: deloop drill). It changes nothing.

Exit status: 0 all is well, 1 something is wrong, 2 wrong usage.
`;

/** `deloop doctor` */
export function doctorCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('doctor')
    .description('what is wrong with the guards of coding agents here, and what to do about it')
    .option('--json', 'print JSON only')
    .addHelpText('after', HELP)
    .action(async ({ json = false }: { json?: boolean }) => {
      const findings: Finding[] = [];
      const tell = async (found: readonly Finding[]) => {
        findings.push(...found);
        if (!json) await terminal.out(found.map((finding) => findingText(finding, terminal)).join(''));
      };
      const installed = allStatuses(surroundings).filter((one) => one.installed);
      const settings = lookAtSettings(surroundings);
      await tell([...lookAtNode(installed), ...settings, ...lookAtState(surroundings, Date.now())]);
      await tell(await lookAtSwarm(surroundings));
      // What is wrong for all is not told once more for each.
      const guarded = settings.every(({ level }) => level !== 'wrong');
      for (const status of installed) await tell(await lookAt(status, guarded, surroundings));
      await tell([...twice(installed).map((text) => note(text)), ...lookForAgents(surroundings, installed)]);
      if (installed.length === 0) await tell([note('no agent is guarded', 'deloop install --help')]);
      if (findings.some(({ level }) => level === 'wrong')) leave(EXIT.found);
      if (json) await terminal.out(`${JSON.stringify({ findings }, null, 2)}\n`);
    });
}

/** One agent: what is wrong with how it is installed, and whether it steps in. */
async function lookAt(
  status: InstallStatus,
  guarded: boolean,
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const { agent, title, scope, shadow, problems } = status;
  const name = `${title} ${whose(scope)}`;
  const found = problems.map((problem) => wrong(`${name}: ${problem}`, ''));
  if (!guarded) return found;
  const { works, problems: faults } = await drill(status, surroundings);
  if (works) {
    const done = shadow ? 'noticed; in shadow, nothing is done' : 'stopped';
    return [ok(`${name}: a known loop is ${done}`), ...found];
  }
  const more = faults.filter((fault) => !problems.includes(fault));
  const told = [...more, ...(found.length + more.length === 0 ? ['it does not answer to a known loop'] : [])];
  return [...found, ...told.map((fault) => wrong(`${name}: ${fault}`, `deloop drill ${agent} shows more`))];
}

function findingText({ level, text, remedy }: Finding, { outColors }: Terminal): string {
  const marks = {
    ok: outColors.green('ok   '),
    note: outColors.yellow('note '),
    wrong: outColors.red('WRONG'),
  };
  const line = `${marks[level]} ${printable(text)}\n`;
  return remedy === '' ? line : `${line}      -> ${printable(remedy)}\n`;
}
