import { checkedPlan } from '../core/check-preset.ts';
import { DeloopError, show } from '../core/errors.ts';
import type { Mode } from '../core/guard.ts';
import type { Preset } from '../core/preset.ts';
import type { ToolTable } from '../core/tools.ts';
import { DEFAULT_PRESET, detectorKinds, presetOf } from '../presets/registry.ts';
import { inFile } from './checks.ts';
import type { Config, DetectorOverride, Messages } from './config.ts';

/** What `createGuard` takes of a config. */
export type AppliedConfig = {
  readonly preset: Preset;
  readonly mode: Mode;
  readonly attended: boolean;
  readonly tools: ToolTable;
  readonly messages: Messages;
};

type Uses = Preset['detectors'];

/** A config as options of a guard. Throws what is unknown to the preset or can never fire, naming where it came from. */
export function applyConfig(config: Config, where: string): AppliedConfig {
  return inFile(where, () => {
    const overrides = config.detectors ?? {};
    const isOff = (name: string) => Object.hasOwn(overrides, name) && overrides[name] === 'off';
    const base = presetOf(config.preset ?? DEFAULT_PRESET);
    const given: Preset = {
      ...base,
      detectors: overridden(base, overrides),
      ladder: (config.ladder ?? base.ladder).filter((rung) => !isOff(rung.on)),
    };
    const preset = moved(given, overrides);
    const { mode = 'enforce', attended = true, tools = {} } = config;
    const messages = Object.fromEntries(
      Object.entries(config.messages ?? {}).filter(([key]) => !isOff(key.split(':')[0] as string)),
    );
    checkedPlan(preset, { described: detectorKinds, tools, messages });
    return { preset, mode, attended, tools, messages };
  });
}

/** The preset with the rungs of some detectors elsewhere: as far apart as before, as long as a count can reach them. */
function moved(preset: Preset, overrides: { readonly [name: string]: DetectorOverride }): Preset {
  const firsts = new Map<string, number>();
  for (const [name, override] of Object.entries(overrides))
    if (override !== 'off' && override.at !== undefined) firsts.set(name, override.at);
  if (firsts.size === 0) return preset;
  const { detectors } = checkedPlan(preset, { described: detectorKinds });
  const ladder = preset.ladder.map((rung) => {
    const first = firsts.get(rung.on);
    if (first === undefined) return rung;
    const lowest = Math.min(...preset.ladder.filter(({ on }) => on === rung.on).map(({ at }) => at));
    const reach = detectors.find(({ name }) => name === rung.on)?.maxCount ?? first;
    const later = Math.max(first, Math.min(first + rung.at - lowest, reach));
    return { ...rung, at: rung.at === lowest ? first : later };
  });
  return { ...preset, ladder };
}

function overridden(base: Preset, overrides: { readonly [name: string]: DetectorOverride }): Uses {
  const uses = new Map(Object.entries(base.detectors));
  for (const [name, override] of Object.entries(overrides)) {
    const use = uses.get(name);
    if (override === 'off' || override.kind === undefined) {
      if (use === undefined) throw unknownDetector(base, name);
      if (override === 'off') uses.delete(name);
      else uses.set(name, { ...use, ...optionsOf(override), kind: use.kind });
    } else {
      const { kind } = override;
      uses.set(name, { ...(use?.kind === kind ? use : {}), ...optionsOf(override), kind });
    }
  }
  return Object.fromEntries(uses);
}

function optionsOf({
  at: _,
  ...options
}: Exclude<DetectorOverride, 'off'>): Exclude<DetectorOverride, 'off'> {
  return options;
}

function unknownDetector({ name, detectors }: Preset, detector: string): DeloopError {
  const known = Object.keys(detectors).join(', ');
  return new DeloopError(
    'option',
    `detectors has ${show(detector)}, which preset ${show(name)} does not have; it has ${known} (a new one needs a "kind")`,
  );
}
