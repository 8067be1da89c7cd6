import { checkedGuards } from '../../core/checked-guard.ts';
import type { Guard } from '../../core/guard.ts';
import { createLearnedTools } from '../../mcp/learned-tools.ts';
import { createSession, type Session } from '../../mcp/session.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import { detectorKinds } from '../../presets/registry.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';
import type { DecisionLog } from './decision-log.ts';
import { flagsConfig, type McpFlags } from './flags.ts';

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
  return (name) => {
    const learned = createLearnedTools();
    const guard: Guard = makeGuard({
      rulesOver: learned.rulesOver,
      onDecision: (decision, event) => log.decision(decision, 'tool' in event ? event.tool : undefined, name),
      onError: (error) => say(`the guard could not take a call: ${String(error)}`),
    });
    return createSession({
      guard,
      learned,
      now: Date.now,
      unique: crypto.randomUUID(),
      onApproval: (approval, call) => log.approval(approval, call, name),
    });
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
