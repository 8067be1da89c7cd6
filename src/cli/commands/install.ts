import { Command, Option } from 'commander';
import { confirmed } from '../confirm.ts';
import { applyChanges } from '../install/apply-changes.ts';
import type { Installable, Scope } from '../install/install-target.ts';
import { AGENTS, contextOf, installableOf, scopesOf, whose } from '../install/placements.ts';
import { type FileChange, planInstall, planUninstall } from '../install/plan-install.ts';
import { changeText } from '../install/print-changes.ts';
import { warningsOf } from '../install/warnings.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

type Flags = {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly shadow?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
};

const HELP = `
Agents: ${AGENTS}

It shows what it will change and asks before it does, unless nobody is there to ask.

Examples:
  $ deloop install claude-code              guard every session of yours
  $ deloop install codex --project          only in this folder
  $ deloop install gemini-cli --shadow      watch first: log what would have been done, and do nothing
  $ deloop install qwen-code --dry-run      show every line that would be changed, and change nothing

Then: deloop drill AGENT proves that it works. deloop uninstall AGENT leaves everything as it was.
`;

/** `deloop install AGENT` */
export function installCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return changing(new Command('install'))
    .description('guard a coding agent: add the hook to its settings')
    .option('--shadow', 'log what would have been done, and do nothing')
    .addHelpText('after', HELP)
    .action(async (name: string, flags: Flags) => {
      const installable = installableOf(name);
      const scope: Scope = flags.project === true ? 'project' : 'user';
      const context = contextOf(surroundings, scope, flags.shadow === true);
      const state = stateFolder(surroundings);
      const planned = planInstall(installable, context, state).filter(({ now, next }) => now !== next);
      const notes = [
        ...warningsOf(installable, scope, context.hook, surroundings),
        ...installable.notes(scope),
      ];
      await make(terminal, flags, installable, scope, planned, notes, 'installed', state);
    });
}

/** `deloop uninstall AGENT` */
export function uninstallCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return changing(new Command('uninstall'))
    .description('take the hook out of the settings of a coding agent, and leave them as they were')
    .action(async (name: string, flags: Flags) => {
      const installable = installableOf(name);
      const state = stateFolder(surroundings);
      const plans = scopesOf(surroundings)
        .filter((scope) => flags[scope === 'user' ? 'project' : 'user'] !== true)
        .map((scope) => ({
          scope,
          planned: planUninstall(installable, contextOf(surroundings, scope, false), state),
        }));
      const some = plans.filter(({ planned }) => planned.length > 0);
      for (const { scope, planned } of some.length > 0 ? some : plans.slice(0, 1))
        await make(terminal, flags, installable, scope, planned, [], 'uninstalled', state);
    });
}

function changing(command: Command): Command {
  return command
    .argument('<agent>', AGENTS)
    .addOption(new Option('--user', 'for every session of yours (the default)').conflicts('project'))
    .addOption(new Option('--project', 'for this folder alone'))
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON only, and do not ask');
}

/** Shows changes, asks, makes them, and tells. */
async function make(
  terminal: Terminal,
  { json = false, dryRun = false, yes = false }: Flags,
  { agent, title }: Installable,
  scope: Scope,
  changes: readonly FileChange[],
  notes: readonly string[],
  done: 'installed' | 'uninstalled',
  state: string,
): Promise<void> {
  if (json) {
    if (!dryRun) applyChanges(changes, state);
    const files = changes.map(({ path, now, next }) => ({ path, change: changeName(now, next) }));
    const told = { agent, scope, done: dryRun ? 'nothing' : done, files, notes };
    await terminal.out(`${JSON.stringify(told)}\n`);
    return;
  }
  if (changes.length === 0) {
    const how = done === 'installed' ? 'is installed already' : 'is not installed';
    await terminal.out(`${title}: deloop ${how} ${whose(scope)}.\n`);
  } else {
    await terminal.out(`${title}, ${whose(scope)}:\n`);
    for (const change of changes) await terminal.out(changeText(change, dryRun, terminal));
    const go = !dryRun && (yes || (await confirmed(terminal, 'Go on?')));
    if (go) applyChanges(changes, state);
    const word = done === 'installed' ? 'Installed' : 'Uninstalled';
    await terminal.out(go ? `${word}.\n` : 'Nothing was changed.\n');
    if (!go && !dryRun) return;
  }
  for (const note of notes) await terminal.out(`- ${note}\n`);
  if (done === 'installed' && !dryRun) await terminal.out(`Try it: deloop drill ${agent}\n`);
}

function changeName(now: string | null, next: string | null): string {
  if (next === null) return 'removed';
  return now === null ? 'made' : 'changed';
}
