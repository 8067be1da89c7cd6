import { dirname, join, relative } from 'node:path';
import { type AppliedConfig, applyConfig } from '../config/apply-config.ts';
import { isFields } from '../config/checks.ts';
import type { Config, StoreConfig, SwarmConfig } from '../config/config.ts';
import { environmentConfig } from '../config/environment.ts';
import { type Layer, mergeConfigs } from '../config/merge-configs.ts';
import { parseConfig } from '../config/parse-config.ts';
import { CONFIG_NAME, userConfigPath } from './config-places.ts';
import { parseJson } from './parse-json.ts';
import { fileExists, readSmallFile } from './small-file.ts';
import type { Surroundings } from './surroundings.ts';

export type ConfigRequest = {
  /** What the flags of the command say. */
  readonly flags?: Config;
  /** Read instead of the project's own file. */
  readonly file?: string | undefined;
};
export type LoadedConfig = AppliedConfig & {
  /** The layers that had a say. */
  readonly where: string;
  /** For people: what was passed over, and why. */
  readonly notes: readonly string[];
  /** What sessions share with others. */
  readonly shared: { readonly store: StoreConfig | undefined; readonly swarm: SwarmConfig | undefined };
};

/** Everything that has a say in how to guard, the managed file's locks first, then flags, environment, project, user. */
export function loadConfig(surroundings: Surroundings, request: ConfigRequest = {}): LoadedConfig {
  const { env } = surroundings;
  const managedPath = env['DELOOP_MANAGED_CONFIG'];
  const managed = managedPath ? [{ ...readLayer(managedPath, managedPath), managed: true }] : [];
  const found =
    request.file === undefined ? findProject(surroundings) : readLayer(request.file, request.file);
  const project = found === null ? null : withoutStore(found);
  const layers: readonly Layer[] = [
    ...managed,
    ...present(findUser(surroundings)),
    ...present(project),
    { where: 'the environment', config: environmentConfig(env) },
    { where: 'the command line', config: request.flags ?? {} },
  ];
  const merged = mergeConfigs(layers);
  const notes = layers
    .filter(locksInVain)
    .map(({ where }) => `${where}: locked works in the managed file alone`);
  if (found !== project)
    notes.push(
      `${found?.where}: store works in your own config, the managed file and the environment, not in a project's`,
    );
  const { store, swarm } = merged.config;
  return {
    ...applyConfig(merged.config, merged.where),
    where: merged.where,
    notes,
    shared: { store, swarm },
  };
}

function locksInVain({ managed, config }: Layer): boolean {
  return managed !== true && config.locked !== undefined;
}

/** Whoever wrote a repository must not make agents connect to a server of theirs. */
function withoutStore(layer: Layer): Layer {
  const { store, ...config } = layer.config;
  return store === undefined ? layer : { ...layer, config };
}

function readLayer(path: string, where: string): Layer {
  return { where, config: parseConfig(parseJson(readSmallFile(path, where), where), where) };
}

/** The nearest config, going up from the working directory. */
function findProject(surroundings: Surroundings): Layer | null {
  const { cwd } = surroundings;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_NAME);
    if (fileExists(file)) return readLayer(file, shown(cwd, file));
    const manifest = readManifest(join(folder, 'package.json'), cwd);
    if (manifest !== null) return manifest;
    if (dirname(folder) === folder) return null;
  }
}

function readManifest(path: string, cwd: string): Layer | null {
  if (!fileExists(path)) return null;
  const where = shown(cwd, path);
  const text = textOf(path);
  // Most manifests do not mention us, and a broken one is then none of our business.
  if (!text.includes('"deloop"')) return null;
  const manifest = parseJson(text, where);
  if (!isFields(manifest) || !Object.hasOwn(manifest, 'deloop')) return null;
  const field = `${where}: "deloop"`;
  return { where: field, config: parseConfig(manifest['deloop'], field) };
}

function textOf(manifest: string): string {
  try {
    return readSmallFile(manifest, manifest);
  } catch {
    return '';
  }
}

function findUser(surroundings: Surroundings): Layer | null {
  const file = userConfigPath(surroundings);
  return fileExists(file) ? readLayer(file, file) : null;
}

function present(layer: Layer | null): readonly Layer[] {
  return layer === null ? [] : [layer];
}

/** A path as somebody in `cwd` would write it. */
function shown(cwd: string, path: string): string {
  return relative(cwd, path) || path;
}
