import { checkedPlan } from './core/check-preset.ts';
import { type CheckedOptions, checkedGuards, type Hooks } from './core/checked-guard.ts';
import type { Guard } from './core/guard.ts';
import { refuseUnknown } from './core/options.ts';
import type { Plan } from './core/plan.ts';
import type { Preset } from './core/preset.ts';
import { fastDigestText } from './platform/digest-text.ts';
import { DEFAULT_PRESET, detectorKinds, type PresetName, presetOf } from './presets/registry.ts';

export type Options = Omit<CheckedOptions, 'preset' | 'described' | 'digestText' | 'plan'> & {
  /** A preset's name or the preset itself. */
  readonly preset?: PresetName | Preset | undefined;
};

/** What `createGuard` can be given. */
export const KNOWN: readonly string[] = [
  'preset',
  'mode',
  'state',
  'tools',
  'attended',
  'messages',
  'swarm',
  'detectors',
  'onDecision',
  'onError',
] satisfies (keyof Options)[];

/** The options checked once, for any number of runs. Throws when one can never work. */
export function guardsOf(options: Options): (hooks: Hooks) => Guard {
  refuseUnknown(options, KNOWN, 'createGuard');
  const { preset = DEFAULT_PRESET, ...rest } = options;
  const given = { ...rest, preset: presetOf(preset), described: detectorKinds, digestText: fastDigestText };
  return checkedGuards({ ...given, plan: typeof preset === 'string' ? planOf(given) : undefined });
}

/** Plans of presets as they come, attended or not: a program may make a guard for every session. */
const plans = new Map<string, Plan>();

function planOf({ preset, attended = true, ...given }: CheckedOptions): Plan | undefined {
  const { tools, messages, detectors } = given;
  const plain = [tools, messages, detectors].every((option) => option === undefined);
  if (!plain || typeof attended !== 'boolean') return undefined;
  const name = `${preset.name} ${attended}`;
  const plan = plans.get(name) ?? checkedPlan(preset, { ...given, attended });
  plans.set(name, plan);
  return plan;
}

type Detecting = Pick<Options, 'preset' | 'detectors'>;

/** Whether a guard looks at how a stream is cut into pieces, and not at its text alone. */
export function countsPieces(options: Detecting): boolean {
  return mayUse(options, ({ kind }) => kind === 'thought-streak');
}

/** Whether a guard measures time by every event, and not by results alone. */
export function countsTime(options: Detecting): boolean {
  return mayUse(options, ({ timeMs = 'off' }) => timeMs !== 'off');
}

/** Whether there is such a detector, or one that is not ours: of these nobody knows what they look at. */
function mayUse(
  { preset = DEFAULT_PRESET, detectors = [] }: Detecting,
  isSuch: (use: Preset['detectors'][string]) => boolean,
): boolean {
  const ours = detectorKinds.map(({ kind }) => kind);
  const uses = Object.values(presetOf(preset).detectors);
  return detectors.length > 0 || uses.some((use) => !ours.includes(use.kind) || isSuch(use));
}
