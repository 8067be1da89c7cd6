import { DeloopError } from '../../../core/errors.ts';
import { readForChange, writeChange } from '../../install/change-file.ts';
import type { Client } from './clients.ts';
import { noServers, recognise, recogniseAs } from './find-client.ts';
import { NotReadable, type ServerEntry } from './server-entry.ts';

/** A client's config, and what is in it. */
export type ConfigFile = {
  readonly path: string;
  readonly client: Client;
  readonly entries: readonly ServerEntry[];
  /** All of it but `mark`. */
  readonly text: string;
  /** The byte order mark, where there is one. */
  readonly mark: string;
};

const BYTE_ORDER_MARK = '\uFEFF';

/** Throws when the file is not there, or cannot be changed safely. */
export function readConfigFile(path: string, client: Client | null): ConfigFile {
  const whole = readForChange(path);
  if (whole === null) throw new DeloopError('option', `${path}: there is no such file`);
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = whole.slice(mark.length);
  return orRefused(path, () => {
    if (client === null) return { path, text, mark, ...recognise(path, text) };
    const found = recogniseAs(client, text);
    if (found === null) throw noServers(client);
    return { path, text, mark, ...found };
  });
}

/** Puts a new text in the place of the one that was read; throws when somebody else has changed it since. */
export function writeConfigFile({ path, text, mark }: ConfigFile, next: string): void {
  if (readForChange(path) !== mark + text)
    throw new DeloopError(
      'option',
      `${path} has just been changed by somebody else; nothing was changed: try again`,
    );
  writeChange(path, mark + next);
}

/** What cannot be read becomes an error that names the file. */
export function orRefused<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const where = error.at === '' ? path : `${path}:${error.at}`;
    throw new DeloopError('option', `${where}: ${error.message}; nothing was changed`);
  }
}
