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
    const preset: Preset = {
      ...base,
      detectors: overridden(base, overrides),
      ladder: (config.ladder ?? base.ladder).filter((rung) => !isOff(rung.on)),
    };
    const { mode = 'enforce', attended = true, tools = {} } = config;
    const messages = Object.fromEntries(
      Object.entries(config.messages ?? {}).filter(([key]) => !isOff(key.split(':')[0] as string)),
    );
    checkedPlan(preset, { described: detectorKinds, tools, messages });
    return { preset, mode, attended, tools, messages };
  });
}

function overridden(base: Preset, overrides: { readonly [name: string]: DetectorOverride }): Uses {
  const uses = new Map(Object.entries(base.detectors));
  for (const [name, override] of Object.entries(overrides)) {
    const use = uses.get(name);
    if (override === 'off' || override.kind === undefined) {
      if (use === undefined) throw unknownDetector(base, name);
      if (override === 'off') uses.delete(name);
      else uses.set(name, { ...use, ...override, kind: use.kind });
    } else {
      const { kind } = override;
      uses.set(name, { ...(use?.kind === kind ? use : {}), ...override, kind });
    }
  }
  return Object.fromEntries(uses);
}

function unknownDetector({ name, detectors }: Preset, detector: string): DeloopError {
  const known = Object.keys(detectors).join(', ');
  return new DeloopError(
    'option',
    `detectors has ${show(detector)}, which preset ${show(name)} does not have; it has ${known} (a new one needs a "kind")`,
  );
}
