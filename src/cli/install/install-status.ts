import { existsSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { isFields } from '../../transcripts/fields.ts';
import { isOurs, placesIn } from './hook-command.ts';
import type { Installable, Scope, Target, TargetContext } from './install-target.ts';
import { readIfPossible } from './read-if-possible.ts';
import { hooksIn } from './settings-file.ts';

/** How deloop stands with one agent, in one scope. */
export type InstallStatus = {
  readonly agent: string;
  readonly title: string;
  readonly scope: Scope;
  readonly installed: boolean;
  readonly shadow: boolean;
  readonly files: readonly string[];
  /** What the host runs: by event, where it is told so. */
  readonly hooks: readonly InstalledHook[];
  /** Why it does not work, or not as meant. */
  readonly problems: readonly string[];
};

export type InstalledHook = {
  readonly path: string;
  /** Empty = the file is for one event, or for all. */
  readonly event: string;
  /** The command, or the text of the file. */
  readonly text: string;
};

type Seen = { readonly target: Target; readonly hooks: readonly InstalledHook[] };

export function installStatus(installable: Installable, context: TargetContext): InstallStatus {
  const { agent, title } = installable;
  const seen = installable.targets(context).map((target): Seen => ({ target, hooks: hooksOf(target) }));
  const hooks = seen.flatMap((one) => one.hooks);
  const installed = hooks.length > 0;
  return {
    agent,
    title,
    scope: context.scope,
    installed,
    shadow: hooks.some(({ text }) => /--shadow|shadow: true/.test(text)),
    files: seen.map(({ target }) => target.path),
    hooks,
    problems: installed ? [...problemsOf(seen), ...(installable.obstacles?.(context) ?? [])] : [],
  };
}

function hooksOf({ kind, path }: Target): readonly InstalledHook[] {
  const text = readIfPossible(path);
  const found = hooksIn(text).map(({ event, command }) => ({ path, event, text: command }));
  if (kind === 'merged' || found.length > 0) return found;
  return isOurs(text) ? [{ path, event: '', text }] : [];
}

function problemsOf(seen: readonly Seen[]): readonly string[] {
  const problems: string[] = [];
  const wanted = ({ target }: Seen) => eventsOf(target).length;
  if (seen.some((one) => one.hooks.length < wanted(one)))
    problems.push('some of its hooks are gone: install it again');
  if (seen.some((one) => one.hooks.length > wanted(one)))
    problems.push('some of its hooks are there more than once: install it again');
  for (const { text } of seen.flatMap(({ hooks }) => hooks)) {
    const { node, code } = placesIn(text);
    if (code !== undefined && !existsSync(code))
      add(problems, `${code} is gone, so that nothing is guarded: install deloop again, or uninstall this`);
    if (node !== undefined && !existsSync(node))
      add(problems, `${node} is gone: the node of the path takes its place, if there is one`);
  }
  for (const { target } of seen)
    if (isSwitchedOff(target)) add(problems, `${target.path} switches all hooks off`);
  return problems;
}

/** The events that a file is to have hooks on. */
function eventsOf(target: Target): readonly string[] {
  if (target.kind === 'merged') return target.entries.map(({ event }) => event);
  const events = hooksIn(target.text).map(({ event }) => event);
  return events.length > 0 ? events : [''];
}

function isSwitchedOff({ kind, path }: Target): boolean {
  if (kind !== 'merged') return false;
  const value: unknown = parse(readIfPossible(path), [], { allowTrailingComma: true });
  if (!isFields(value)) return false;
  const { disableAllHooks, hooksConfig } = value;
  return disableAllHooks === true || (isFields(hooksConfig) && hooksConfig['enabled'] === false);
}

function add(problems: string[], problem: string): void {
  if (!problems.includes(problem)) problems.push(problem);
}
