import type { Surroundings } from '../surroundings.ts';
import type { Installable, Scope } from './install-target.ts';
import { allStatuses, whose } from './placements.ts';

/** Who runs the hooks of Claude Code's settings beside its own, of which scopes, and when. */
const CLAUDE_READERS: readonly {
  readonly agent: string;
  readonly scopes: readonly Scope[];
  readonly text: string;
}[] = [
  {
    agent: 'copilot-cli',
    scopes: ['project'],
    text: 'Copilot CLI, in a repository that it trusts, runs the hooks of .claude/settings.json, too',
  },
  {
    agent: 'cursor',
    scopes: ['user', 'project'],
    text: "Cursor, where third-party hooks are enabled, runs the hooks of Claude Code's settings, too",
  },
];
const ONCE =
  'deloop answers only one of the two, so that nothing is counted twice; the other costs a moment.';

/** What would make a hook run twice, or not for long; `scope` = where it is about to be installed. */
export function warningsOf(
  { agent }: Installable,
  scope: Scope,
  hook: string,
  surroundings: Surroundings,
): readonly string[] {
  const installed = allStatuses(surroundings).filter((one) => one.installed);
  const warnings: string[] = [];
  const elsewhere = installed.find((one) => one.agent === agent && one.scope !== scope);
  if (elsewhere !== undefined)
    warnings.push(
      `It is installed ${whose(elsewhere.scope)} already: every hook will run twice. Uninstall one of them.`,
    );
  if (hook.includes('_npx'))
    warnings.push(
      'This deloop lies in the cache of npx, which is emptied now and then: npm install -g deloop',
    );
  const about = ['claude-code', ...CLAUDE_READERS.map((reader) => reader.agent)].includes(agent);
  return about ? [...warnings, ...twice([...installed, { agent, scope }])] : warnings;
}

/** What runs the hooks of another agent beside its own. */
export function twice(
  installed: readonly { readonly agent: string; readonly scope: Scope }[],
): readonly string[] {
  const has = (name: string, scopes: readonly Scope[]) =>
    installed.some(({ agent, scope }) => agent === name && scopes.includes(scope));
  return CLAUDE_READERS.filter(
    ({ agent, scopes }) => has(agent, ['user', 'project']) && has('claude-code', scopes),
  ).map(({ text }) => `${text}: ${ONCE}`);
}
