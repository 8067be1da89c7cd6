import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { isFields } from '../../transcripts/fields.ts';
import { isHookCommand, placesIn } from './hook-command.ts';
import type { Installable, Scope, Target, TargetContext } from './install-targets.ts';
import { hooksIn } from './settings-file.ts';

/** How deloop stands with one agent, in one scope. */
export type InstallStatus = {
  readonly agent: string;
  readonly scope: Scope;
  readonly installed: boolean;
  readonly shadow: boolean;
  readonly files: readonly string[];
  /** Why it does not work, or not as meant. */
  readonly problems: readonly string[];
};

type Seen = { readonly target: Target; readonly commands: readonly string[]; readonly wanted: number };

export function installStatus(installable: Installable, context: TargetContext): InstallStatus {
  const { agent } = installable;
  const seen = installable.targets(context).map((target): Seen => {
    const text = readable(target.path);
    if (target.kind === 'merged')
      return { target, commands: hooksIn(text).map(({ command }) => command), wanted: target.entries.length };
    if (target.path.endsWith('.json')) {
      const [first] = hooksIn(text);
      return { target, commands: first === undefined ? [] : [first.command], wanted: 1 };
    }
    return { target, commands: isHookCommand(text) ? [commandIn(text)] : [], wanted: 1 };
  });
  const commands = seen.flatMap((one) => one.commands);
  const installed = commands.length > 0;
  return {
    agent,
    scope: context.scope,
    installed,
    shadow: commands.some((command) => command.includes(' --shadow')),
    files: seen.map(({ target }) => target.path),
    problems: installed ? problemsOf(seen, commands) : [],
  };
}

function problemsOf(seen: readonly Seen[], commands: readonly string[]): readonly string[] {
  const problems: string[] = [];
  const [missing, extra] = [seen.some(isShort), seen.some(isLong)];
  if (missing) problems.push('some of its hooks are gone: install it again');
  if (extra) problems.push('some of its hooks are there more than once: install it again');
  for (const { node, hook } of commands.map(placesIn)) {
    if (hook !== undefined && !existsSync(hook))
      add(problems, `${hook} is gone, so that nothing is guarded: install deloop again, or uninstall this`);
    if (node !== undefined && !existsSync(node))
      add(problems, `${node} is gone: the node of the path takes its place, if there is one`);
  }
  for (const { target } of seen)
    if (isSwitchedOff(target)) add(problems, `${target.path} switches all hooks off`);
  return problems;
}

function isShort({ commands, wanted }: Seen): boolean {
  return commands.length < wanted;
}

function isLong({ commands, wanted }: Seen): boolean {
  return commands.length > wanted;
}

function isSwitchedOff({ kind, path }: Target): boolean {
  if (kind !== 'merged') return false;
  const value: unknown = parse(readable(path), [], { allowTrailingComma: true });
  if (!isFields(value)) return false;
  const { disableAllHooks, hooksConfig } = value;
  return disableAllHooks === true || (isFields(hooksConfig) && hooksConfig['enabled'] === false);
}

function commandIn(text: string): string {
  return text.split('\n').find((line) => line.includes('hook.cjs')) ?? '';
}

function add(problems: string[], problem: string): void {
  if (!problems.includes(problem)) problems.push(problem);
}

function readable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
