import { DEFAULT_PRESET } from '../presets/registry.ts';
import { isFields } from './checks.ts';
import { type Config, SETTINGS, type Setting } from './config.ts';

/** A config and where it came from, as errors name it. */
export type Layer = {
  readonly where: string;
  readonly config: Config;
  /** The file of whoever runs the machine: its `locked` fields win over every other layer. */
  readonly managed?: boolean;
};

/** What is written for one preset makes no sense under another. */
const OF_PRESET: readonly Setting[] = ['detectors', 'ladder', 'messages'];

type Draft = { readonly config: Config; readonly wheres: readonly string[] };

/**
 * One config of many, lowest first. Objects are merged field by field, anything else (a preset object, too) is replaced.
 * A layer that names another preset than those below leaves their detectors, ladder and messages behind.
 */
export function mergeConfigs(layers: readonly Layer[]): Layer {
  const locks = layers.filter((layer) => layer.managed === true).map(lockedPart);
  const preset = locks.find((lock) => lock.config.preset !== undefined)?.config.preset;
  const start: Draft = { config: {}, wheres: [] };
  const yielding = layers.map((layer) => (layer.managed === true ? layer : yieldingTo(preset, layer)));
  const merged = yielding.reduce((below, layer) => laidOver(below, layer, mergeValue), start);
  const locked = locks.reduce((below, layer) => laidOver(below, layer, (high) => high), merged);
  return { config: locked.config, where: locked.wheres.join(' + ') || 'defaults' };
}

function lockedPart({ where, config }: Layer): Layer {
  const locked = config.locked ?? [];
  return { where, config: only(config, (name) => locked.includes(name)) };
}

/** Under a locked preset, what a layer says for another one does not count. */
function yieldingTo(locked: Config['preset'], layer: Layer): Layer {
  if (locked === undefined || !changesPreset(layer.config, { preset: locked })) return layer;
  const config = only(layer.config, (name) => name !== 'preset' && !OF_PRESET.includes(name));
  return { ...layer, config };
}

function laidOver(below: Draft, layer: Layer, merge: (high: unknown, low: unknown) => unknown): Draft {
  const high = only(layer.config, () => true);
  if (Object.keys(high).length === 0) return below;
  const kept = changesPreset(high, below.config)
    ? only(below.config, (name) => !OF_PRESET.includes(name))
    : below.config;
  const names = SETTINGS.filter((name) => Object.hasOwn(high, name) || Object.hasOwn(kept, name));
  const fields = names.map((name) => [name, settle(name, high, kept, merge)] as const);
  const wheres = below.wheres.includes(layer.where) ? below.wheres : [...below.wheres, layer.where];
  return { config: Object.fromEntries(fields) as Config, wheres };
}

function settle(
  name: Setting,
  high: Config,
  low: Config,
  merge: (high: unknown, low: unknown) => unknown,
): unknown {
  if (!Object.hasOwn(high, name)) return low[name];
  return name === 'preset' || !Object.hasOwn(low, name) ? high[name] : merge(high[name], low[name]);
}

function changesPreset(high: Config, low: Config): boolean {
  if (high.preset === undefined) return false;
  return JSON.stringify(high.preset) !== JSON.stringify(low.preset ?? DEFAULT_PRESET);
}

function only(config: Config, keep: (name: Setting) => boolean): Config {
  const names = SETTINGS.filter((name) => config[name] !== undefined && keep(name));
  return Object.fromEntries(names.map((name) => [name, config[name]])) as Config;
}

/** The fields of the higher layer come first: tool patterns are tried in their order. */
function mergeValue(high: unknown, low: unknown): unknown {
  if (!isFields(high) || !isFields(low)) return high;
  const fields = Object.entries(high).map(
    ([name, value]) => [name, Object.hasOwn(low, name) ? mergeValue(value, low[name]) : value] as const,
  );
  const others = Object.entries(low).filter(([name]) => !Object.hasOwn(high, name));
  // fromEntries defines fields, it does not assign them: no name can reach a prototype.
  return Object.fromEntries([...fields, ...others]);
}
