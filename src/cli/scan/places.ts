import { type PlatformPath, posix, win32 } from 'node:path';
import { EDITORS, EXTENSIONS, KNOWN_PLACES, type KnownPlace } from './known-places.ts';

/** A place where sessions may be. */
export type Place = Omit<KnownPlace, 'at'> & { readonly path: string };

export type Machine = {
  readonly home: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: string;
};

/** Where the agents of this machine keep their sessions, whether or not they are there. */
export function knownPlaces({ home, env, platform }: Machine): readonly Place[] {
  const path = platform === 'win32' ? win32 : posix;
  const variable = (name: string) => {
    const value = env[name]?.trim() ?? '';
    return value === '' ? undefined : atHome(value, home, path);
  };
  const places: Place[] = [];
  for (const { at, ...known } of KNOWN_PLACES) {
    for (const { variable: name, below } of at) {
      const base = name === undefined ? home : variable(name);
      if (base === undefined) continue;
      places.push({ ...known, path: path.join(base, ...below) });
      break;
    }
  }
  const database = env['OPENCODE_DB']?.trim() ?? '';
  const named = database === '' ? places : places.map((place) => withDatabase(place, database, path));
  return [...named, ...editorPlaces(home, variable, platform, path)];
}

function atHome(path: string, home: string, { join: joined }: PlatformPath): string {
  if (path === '~') return home;
  return path.startsWith('~/') || path.startsWith('~\\') ? joined(home, path.slice(2)) : path;
}

/** Relative to the data of opencode, or anywhere; in memory, nothing is kept. */
function withDatabase(
  place: Place,
  database: string,
  { dirname: above, isAbsolute, join: joined }: PlatformPath,
): Place {
  if (place.kind !== 'opencode-database' || database === ':memory:') return place;
  return { ...place, path: isAbsolute(database) ? database : joined(above(place.path), database) };
}

/** microsoft/vscode: src/vs/platform/environment/node/userDataPath.ts. */
function* editorPlaces(
  home: string,
  variable: (name: string) => string | undefined,
  platform: string,
  { join: joined }: PlatformPath,
): Generator<Place, void, void> {
  const portable = variable('VSCODE_PORTABLE');
  const support =
    variable('VSCODE_APPDATA') ??
    (platform === 'win32'
      ? (variable('APPDATA') ?? joined(home, 'AppData', 'Roaming'))
      : platform === 'darwin'
        ? joined(home, 'Library', 'Application Support')
        : (variable('XDG_CONFIG_HOME') ?? joined(home, '.config')));
  const folders = EDITORS.map((editor) => joined(support, editor));
  if (portable !== undefined) folders.push(joined(portable, 'user-data'));
  for (const folder of folders) {
    for (const { id, title } of EXTENSIONS) {
      yield {
        agent: 'cline',
        title,
        kind: 'files',
        pattern: ['api_conversation_history.json'],
        path: joined(folder, 'User', 'globalStorage', id, 'tasks'),
      };
    }
  }
}
