import type { Mode } from '../core/guard.ts';
import type { Preset } from '../core/preset.ts';
import type { ToolTable } from '../core/tools.ts';
import type { Rung } from '../core/types.ts';
import type { PresetName } from '../presets/registry.ts';
import type { SwarmOptions } from '../swarm/swarm-options.ts';

/**
 * `off` removes the detector and its rungs; an object changes options, or adds a detector when it has a `kind`. `at` =
 * the count at which the first of its rungs stands; the others move along.
 */
export type DetectorOverride =
  | 'off'
  | { readonly kind?: string; readonly at?: number; readonly [option: string]: unknown };

export type Messages = { readonly [detectorOrRung: string]: string };

/** Where the tallies of swarms lie: in a Redis, or in a folder of this machine. */
export type StoreConfig = {
  /** `redis://user:password@host:6379/0`, or `rediss:`. */
  readonly redis?: string;
  readonly folder?: string;
  readonly tenant?: string;
  /** What all keys in Redis begin with. */
  readonly prefix?: string;
};

/** The swarm that sessions of coding agents belong to; `off` = none. */
export type SwarmConfig =
  | 'off'
  | (Omit<SwarmOptions, 'name' | 'worker' | 'tenant' | 'onEvent'> & {
      readonly name?: string;
      /** Default: the agent, and a digest of its session. */
      readonly worker?: string;
    });

/** The content of `deloop.config.json`. */
export type Config = {
  readonly $schema?: string;
  readonly preset?: PresetName | Preset;
  readonly mode?: Mode;
  readonly attended?: boolean;
  readonly tools?: ToolTable;
  readonly messages?: Messages;
  readonly detectors?: { readonly [name: string]: DetectorOverride };
  /** Takes the place of the preset's whole ladder. */
  readonly ladder?: readonly Rung[];
  /** It works in the user's own file, in the managed one and in the environment, not in a project's. */
  readonly store?: StoreConfig;
  readonly swarm?: SwarmConfig;
  /** Fields that nobody may change; it works in the managed file alone. */
  readonly locked?: readonly Setting[];
};

/** The fields of a config that say something about the guard. */
export const SETTINGS = [
  'preset',
  'mode',
  'attended',
  'tools',
  'messages',
  'detectors',
  'ladder',
  'store',
  'swarm',
] as const;
export type Setting = (typeof SETTINGS)[number];

export const MODES: readonly Mode[] = ['enforce', 'shadow', 'off'];
