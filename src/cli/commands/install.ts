import { relative } from 'node:path';
import { Command, Option } from 'commander';
import { hostOf } from '../../hooks/hosts.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { applyChanges } from '../install/apply-changes.ts';
import { hookPath } from '../install/hook-path.ts';
import { type InstallStatus, installStatus } from '../install/install-status.ts';
import { INSTALLABLE, type Installable, type Scope, type TargetContext } from '../install/install-targets.ts';
import { type FileChange, planInstall, planUninstall } from '../install/plan-install.ts';
import { hooksIn } from '../install/settings-file.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

type Flags = {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly shadow?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

const AGENTS = INSTALLABLE.map(({ agent }) => agent).join(', ');
const EXAMPLES = `
Agents: ${AGENTS}

Examples:
  $ deloop install claude-code              guard every session of yours
  $ deloop install codex --project          only in this folder
  $ deloop install gemini-cli --shadow      watch first: log what would have been done, and do nothing
  $ deloop install qwen-code --dry-run      show what would be changed, and change nothing
`;

/** `deloop install AGENT` */
export function installCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return scoped(new Command('install'))
    .description('guard a coding agent: add the hook to its settings')
    .argument('<agent>', AGENTS)
    .option('--shadow', 'log what would have been done, and do nothing')
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--json', 'print JSON only')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, flags: Flags) => {
      const installable = installableOf(name);
      const scope: Scope = flags.project === true ? 'project' : 'user';
      const context = contextOf(surroundings, scope, flags.shadow === true);
      const state = stateFolder(surroundings);
      const planned = planInstall(installable, context, state).filter(({ now, next }) => now !== next);
      const notes = [...warnings(installable, context), ...installable.notes(scope)];
      if (flags.dryRun !== true) applyChanges(planned, state);
      await report(terminal, flags, name, scope, planned, notes, 'installed');
    });
}

/** `deloop uninstall AGENT` */
export function uninstallCommand(terminal: Terminal, surroundings: Surroundings): Command {
  return scoped(new Command('uninstall'))
    .description('take the hook out of the settings of a coding agent, and leave them as they were')
    .argument('<agent>', AGENTS)
    .option('--dry-run', 'show what would be changed, and change nothing')
    .option('--json', 'print JSON only')
    .action(async (name: string, flags: Flags) => {
      const installable = installableOf(name);
      const state = stateFolder(surroundings);
      for (const scope of scopesOf(surroundings)) {
        if (flags.user === true && scope !== 'user') continue;
        if (flags.project === true && scope !== 'project') continue;
        const planned = planUninstall(installable, contextOf(surroundings, scope, false), state);
        if (planned.length === 0 && flags.user !== true && flags.project !== true && scope === 'project')
          continue;
        if (flags.dryRun !== true) applyChanges(planned, state);
        await report(terminal, flags, name, scope, planned, [], 'uninstalled');
      }
    });
}

/** `deloop status` */
export function statusCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('status')
    .description('which agents are guarded, and what is wrong with it')
    .option('--json', 'print JSON only')
    .action(async ({ json = false }: { json?: boolean }) => {
      const all = statuses(surroundings);
      if (all.some(({ problems }) => problems.length > 0)) leave(EXIT.found);
      if (json) {
        await terminal.out(`${JSON.stringify({ agents: all }, null, 2)}\n`);
        return;
      }
      const installed = all.filter((one) => one.installed);
      if (installed.length === 0) await terminal.out('No agent is guarded. See: deloop install --help\n');
      for (const one of installed) await terminal.out(statusText(terminal, one));
    });
}

/** How deloop stands with every agent, for the user and in this folder. */
export function statuses(surroundings: Surroundings): readonly InstallStatus[] {
  return INSTALLABLE.flatMap((installable) => {
    const both = scopesOf(surroundings).map((scope) =>
      installStatus(installable, contextOf(surroundings, scope, false)),
    );
    const twice = both.length > 1 && both.every(({ installed }) => installed);
    const problem =
      'it is installed for you and for this folder, so that every hook runs twice: uninstall one of them';
    return both.map((one) => (twice ? { ...one, problems: [...one.problems, problem] } : one));
  });
}

/** At home, a folder of its own has no settings of its own. */
function scopesOf({ cwd, home }: Surroundings): readonly Scope[] {
  return relative(home, cwd) === '' ? ['user'] : ['user', 'project'];
}

export function contextOf(surroundings: Surroundings, scope: Scope, shadow: boolean): TargetContext {
  return { ...surroundings, scope, shadow, node: process.execPath, hook: hookPath() };
}

export function installableOf(name: string): Installable {
  const found = INSTALLABLE.find(({ agent }) => agent === name);
  if (found === undefined) throw new UsageError(`agent is "${name}"; it must be one of ${AGENTS}`);
  return found;
}

function scoped(command: Command): Command {
  return command
    .addOption(new Option('--user', 'for every session of yours (the default)').conflicts('project'))
    .addOption(new Option('--project', 'for this folder alone'));
}

/** What would make it run twice, or not at all. */
function warnings(installable: Installable, context: TargetContext): readonly string[] {
  const other = { ...context, scope: context.scope === 'user' ? ('project' as const) : ('user' as const) };
  const found: string[] = [];
  if (relative(context.home, context.cwd) !== '' && installStatus(installable, other).installed)
    found.push(
      `It is installed ${whose(other.scope)} already: every hook will run twice. Uninstall one of them.`,
    );
  if (context.hook.includes('_npx'))
    found.push('This deloop lies in the cache of npx, which is emptied now and then: npm install -g deloop');
  return found;
}

async function report(
  terminal: Terminal,
  { json = false, dryRun = false }: Flags,
  agent: string,
  scope: Scope,
  changes: readonly FileChange[],
  notes: readonly string[],
  done: 'installed' | 'uninstalled',
): Promise<void> {
  if (json) {
    const files = changes.map(({ path, now, next }) => ({
      path,
      change: next === null ? 'removed' : now === null ? 'made' : 'changed',
    }));
    await terminal.out(
      `${JSON.stringify({ agent, scope, done: dryRun ? 'nothing' : done, files, notes })}\n`,
    );
    return;
  }
  const title = hostOf(agent)?.title ?? agent;
  if (changes.length === 0) {
    await terminal.out(
      `${title}: deloop ${done === 'installed' ? 'is installed already' : 'is not installed'} ${whose(scope)}.\n`,
    );
  } else {
    await terminal.out(`${title}, ${whose(scope)}:\n${changes.map(changeText).join('')}`);
    await terminal.out(
      dryRun ? 'Nothing was changed.\n' : `${done === 'installed' ? 'Installed' : 'Uninstalled'}.\n`,
    );
  }
  for (const note of notes) await terminal.out(`- ${note}\n`);
  if (done === 'installed' && !dryRun) await terminal.out(`Try it: deloop drill ${agent}\n`);
}

function changeText({ path, now, next }: FileChange): string {
  if (next === null) return `  ${path}: removed\n`;
  const before = hooksIn(now ?? '{}').map(({ event }) => event);
  const after = hooksIn(next);
  if (after.length === 0 && before.length === 0) return `  ${path}: ${now === null ? 'made' : 'changed'}\n`;
  if (after.length === 0) return `  ${path}: without the hooks on ${before.join(', ')}\n`;
  const events = after.map(({ event }) => event).join(', ');
  return `  ${path}${now === null ? ' (new)' : ''}: hooks on ${events}\n    ${after[0]?.command}\n`;
}

function whose(scope: Scope): string {
  return scope === 'user' ? 'for you' : 'for this folder';
}

function statusText(
  { outColors }: Terminal,
  { agent, scope, shadow, files, problems }: InstallStatus,
): string {
  const head = `${outColors.bold(hostOf(agent)?.title ?? agent)} ${whose(scope)}${shadow ? ', in shadow' : ''}`;
  const lines = [
    ...files.map((file) => `  ${file}`),
    ...problems.map((problem) => outColors.red(`  ! ${problem}`)),
  ];
  return `${head}\n${lines.join('\n')}\n`;
}
