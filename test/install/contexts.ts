import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChanges } from '../../src/cli/install/apply-changes.ts';
import type { Installable, TargetContext } from '../../src/cli/install/install-target.ts';
import { INSTALLABLE } from '../../src/cli/install/installables.ts';
import { type FileChange, planInstall, planUninstall } from '../../src/cli/install/plan-install.ts';

const HERE = { node: process.execPath, hook: '/opt/deloop/dist/hook.cjs' };

/** An empty home, with a project in it. */
export function newContext(more: Partial<TargetContext> = {}): TargetContext & { readonly state: string } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'deloop-install-')));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  return {
    ...HERE,
    scope: 'user',
    shadow: false,
    home,
    cwd,
    env: {},
    platform: 'linux',
    state: join(home, 'state'),
    ...more,
  };
}

type Context = ReturnType<typeof newContext>;

export function of(agent: string): Installable {
  return INSTALLABLE.find((one) => one.agent === agent) as Installable;
}

export const install = (agent: string, context: Context): readonly FileChange[] =>
  applyChanges(planInstall(of(agent), context, context.state), context.state);
export const uninstall = (agent: string, context: Context): readonly FileChange[] =>
  applyChanges(planUninstall(of(agent), context, context.state), context.state);
export const fileOf = (agent: string, context: Context): string =>
  of(agent).targets(context)[0]?.path as string;
