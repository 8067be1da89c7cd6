import { relative } from 'node:path';
import { UsageError } from '../exit.ts';
import type { Surroundings } from '../surroundings.ts';
import { hookPath } from './hook-path.ts';
import { type InstallStatus, installStatus } from './install-status.ts';
import type { Installable, Scope, TargetContext } from './install-target.ts';
import { INSTALLABLE } from './installables.ts';

/** The names of all agents, for people. */
export const AGENTS: string = INSTALLABLE.map(({ agent }) => agent).join(', ');

export function installableOf(name: string): Installable {
  const found = INSTALLABLE.find(({ agent }) => agent === name);
  if (found === undefined) throw new UsageError(`agent is "${name}"; it must be one of ${AGENTS}`);
  return found;
}

/** At home, a folder of its own has no settings of its own. */
export function scopesOf({ cwd, home }: Surroundings): readonly Scope[] {
  return relative(home, cwd) === '' ? ['user'] : ['user', 'project'];
}

export function contextOf(surroundings: Surroundings, scope: Scope, shadow: boolean): TargetContext {
  return { ...surroundings, scope, shadow, node: process.execPath, hook: hookPath() };
}

/** How deloop stands with an agent, for the user and in this folder. */
export function statusesOf(installable: Installable, surroundings: Surroundings): readonly InstallStatus[] {
  const both = scopesOf(surroundings).map((scope) =>
    installStatus(installable, contextOf(surroundings, scope, false)),
  );
  const twice = both.length > 1 && both.every(({ installed }) => installed);
  const problem =
    'it is installed for you and for this folder, so that every hook runs twice: uninstall one of them';
  return both.map((one) => (twice ? { ...one, problems: [...one.problems, problem] } : one));
}

/** How deloop stands with every agent. */
export function allStatuses(surroundings: Surroundings): readonly InstallStatus[] {
  return INSTALLABLE.flatMap((installable) => statusesOf(installable, surroundings));
}

/** For people. */
export function whose(scope: Scope): string {
  return scope === 'user' ? 'for you' : 'for this folder';
}
