import { wrong } from '../../core/options.ts';
import type { Options } from '../../index.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { UsageError } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import type { Surroundings } from '../surroundings.ts';

/** A guard that is measured, under the name it is reported by. */
export type Candidate = { readonly name: string; readonly options: Options };

const ALL = 'all';

/** The presets of `--presets`, in the order given, and after them the guard of `--config` under its file's name. */
export function candidatesOf(
  flags: { readonly presets?: string | undefined; readonly config?: string | undefined },
  surroundings: Surroundings,
): readonly Candidate[] {
  const named = presetNames(flags.presets ?? ALL).map((name) => ({
    name,
    options: shadowed({ preset: name }),
  }));
  if (flags.config === undefined) return named;
  if (named.some(({ name }) => name === flags.config))
    throw new UsageError(`--config ${flags.config} has the name of a preset; write it as ./${flags.config}`);
  const { preset, attended, tools, messages } = loadConfig(surroundings, { file: flags.config });
  return [...named, { name: flags.config, options: shadowed({ preset, attended, tools, messages }) }];
}

/** A recording goes on whatever is decided, so nothing is enforced. */
function shadowed(options: Options): Options {
  return { ...options, mode: 'shadow' };
}

function presetNames(list: string): readonly PresetName[] {
  const known = Object.keys(presets) as PresetName[];
  const wanted = new Set<PresetName>();
  for (const name of list.split(',').map((part) => part.trim())) {
    if (name === ALL) for (const each of known) wanted.add(each);
    else if (Object.hasOwn(presets, name)) wanted.add(name as PresetName);
    else throw wrong('--presets', name, `${ALL}, or some of ${known.join(', ')}`);
  }
  return [...wanted];
}
