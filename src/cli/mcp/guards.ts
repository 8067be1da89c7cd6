import { checkedGuards, type Hooks } from '../../core/checked-guard.ts';
import { createLearnedTools } from '../../mcp/learned-tools.ts';
import { createOrders } from '../../mcp/orders.ts';
import { serverName } from '../../mcp/server-name.ts';
import { createSession, type Session } from '../../mcp/session.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import { detectorKinds } from '../../presets/registry.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';
import type { DecisionLog } from './decision-log.ts';
import { flagsConfig, type McpFlags } from './flags.ts';
import { createSharedGuard, type SharedGuardOptions } from './share/shared-guard.ts';
import { createSharedOrders } from './share/shared-orders.ts';
import { sharingOf } from './share/sharing.ts';

/** Makes a session with a guard of its own; `name` tells it from others in the log. */
export type NewSession = (name?: string) => Session;

/** Checks the settings once, for all sessions. */
export function sessionFactory(
  flags: McpFlags,
  surroundings: Surroundings,
  say: (text: string) => void,
  log: DecisionLog,
): NewSession {
  const {
    where: _,
    notes,
    ...settings
  } = loadConfig(surroundings, {
    flags: flagsConfig(flags),
    file: flags.config,
  });
  for (const note of [...notes, ...overruled(flags, settings)]) say(note);
  const makeGuard = checkedGuards({ ...settings, described: detectorKinds, digestText: fastDigestText });
  const server = flags.name === undefined ? null : serverName(flags.name);
  const sharing = settings.mode === 'off' ? null : sharingOf(flags, surroundings, process.ppid, say);
  return (name) => {
    const learned = createLearnedTools();
    const hooks: Pick<Hooks, 'onDecision' | 'onError'> = {
      onDecision: (decision, event) => log.decision(decision, 'tool' in event ? event.tool : undefined, name),
      onError: (error) => say(`the guard could not take a call: ${String(error)}`),
    };
    const open = (state: unknown, told: typeof hooks) =>
      makeGuard({
        ...told,
        state,
        rulesOver: (declared) => {
          const rules = learned.rulesOver(declared);
          return server === null ? rules : server.rulesOver(rules);
        },
      });
    return createSession({
      ...(sharing === null
        ? { guard: open(undefined, hooks), orders: createOrders() }
        : {
            guard: createSharedGuard({
              ...sharing,
              ...hooks,
              open,
              now: Date.now,
              onProblem: notShared(say),
            }),
            orders: createSharedOrders(sharing.files, sharing.session),
          }),
      joined: sharing !== null,
      learned,
      nameOf: server?.nameOf,
      now: Date.now,
      unique: crypto.randomUUID(),
      onApproval: (approval, call) => log.approval(approval, call, name),
    });
  };
}

function notShared(say: (text: string) => void): SharedGuardOptions['onProblem'] {
  return (problem, anew) => {
    const what = anew
      ? 'what the servers have seen together begins anew'
      : 'this server is guarded on its own';
    say(`${what}: ${problem instanceof Error ? problem.message : problem}`);
  };
}

/** A flag that a lock overrules must not be overruled silently. */
function overruled(
  { preset, shadow }: McpFlags,
  settings: { readonly preset: { readonly name: string }; readonly mode: string },
): readonly string[] {
  const notes: string[] = [];
  if (preset !== undefined && settings.preset.name !== preset)
    notes.push(`--preset ${preset} is overruled by the managed config: ${settings.preset.name} it is`);
  if (shadow && settings.mode !== 'shadow')
    notes.push(`--shadow is overruled by the managed config: the mode is ${settings.mode}`);
  return notes;
}
