import { matches } from '../../../core/tools.ts';
import { UsageError } from '../../exit.ts';
import { CLIENTS, type Client } from './clients.ts';
import { NotReadable, type ServerEntry } from './server-entry.ts';
import { standingOf } from './standing.ts';

/** A config with servers in it, and whose it is. */
export type Recognised = { readonly client: Client; readonly entries: readonly ServerEntry[] };

/** Whose servers can be told by where they stand, without the name of the file. */
const BY_CONTENT: readonly string[] = ['vscode', 'opencode', 'other', 'codex'];

/** The client of this name; throws when there is none. */
export function clientNamed(name: string): Client {
  const found = CLIENTS.find(({ client }) => client === name);
  if (found !== undefined) return found;
  const known = CLIENTS.map(({ client }) => client).join(', ');
  throw new UsageError(`--client is "${name}"; it must be one of ${known}`);
}

/** Whose config this is: the name of the file is a hint, its content decides. Throws a `NotReadable` when it is nobody's. */
export function recognise(path: string, text: string): Recognised {
  const hinted = CLIENTS.find(({ files }) => files.some((file) => endsLike(path, file)));
  const others = CLIENTS.filter(({ client }) => BY_CONTENT.includes(client));
  let why: NotReadable | null = null;
  let readable = false;
  for (const client of hinted === undefined ? others : [hinted, ...others]) {
    try {
      const recognised = recogniseAs(client, text);
      if (recognised !== null) return recognised;
      readable = true;
    } catch (error) {
      // Its own client could not read it either.
      if (!(error instanceof NotReadable) || client === hinted) throw error;
      why ??= error;
    }
  }
  throw why === null || readable ? noServers() : why;
}

/** Null = there is no server in it, as this client writes them. */
export function recogniseAs(client: Client, text: string): Recognised | null {
  // A list may stand in the place of a server.
  const isList = ({ path }: ServerEntry) => client.lists.some((list) => list.join('\n') === path.join('\n'));
  const entries = client.notation.read(text, client.lists).filter((entry) => !isList(entry));
  const any = entries.some((entry) => standingOf(entry, client).kind !== 'odd');
  return any ? { client, entries } : null;
}

export function noServers(client?: Client): NotReadable {
  const lists = (client === undefined ? CLIENTS : [client]).flatMap((one) => one.lists);
  const places = [...new Set(lists.map((list) => list.join('.')))].join(', ');
  return new NotReadable(`there are no MCP servers in it (looked at ${places})`);
}

function endsLike(path: string, file: string): boolean {
  const name = path.replaceAll('\\', '/');
  return matches(`*/${file}`, `/${name}`);
}
