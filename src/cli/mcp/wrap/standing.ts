import type { Client } from './clients.ts';
import { type RemoteEntry, remoteOf, whyNotWrapped } from './remote-entry.ts';
import type { ServerEntry, Slot, Word } from './server-entry.ts';
import { type WrappedRemote, wrappedRemoteOf } from './wrapped-remote.ts';

/** How a server stands: what is to be known of it to put it behind the guard, or to take it out. */
export type Standing =
  /** A command that the client starts. `words` = the command and its arguments. */
  | { readonly kind: 'plain'; readonly words: readonly string[] }
  /** Behind the guard, by `wrap`. `words` = the command as it was, `at` = where it begins in `list`. */
  | Wrapped
  | { readonly kind: 'by-hand' }
  /** A server somewhere else. */
  | { readonly kind: 'remote'; readonly remote: RemoteEntry }
  | WrappedRemote
  | { readonly kind: 'odd'; readonly why: string };

export type Wrapped = {
  readonly kind: 'wrapped';
  readonly words: readonly string[];
  /** The list in which the guard stands before the command. */
  readonly list: Slot;
  /** The last element of the guard's in that list. */
  readonly separator: number;
  /** The server had no arguments, not even an empty list. */
  readonly alone: boolean;
};

/**
 * The last word of what `wrap` writes before a command: the second where there was no list of arguments. No `--` stands there,
 * because some clients take it for their own.
 */
export const MARKS = { wrapped: '--wrapped', alone: '--wrapped-alone' } as const;
const MARK_WORDS: readonly string[] = Object.values(MARKS);

const DELOOP = /(?:^|[\\/])(?:deloop(?:@[^\\/]+)?(?:\.cmd|\.exe)?|deloop[\\/]dist[\\/]cli[\\/]main\.js)$/;

export function standingOf(entry: ServerEntry, client: Client): Standing {
  const { fields } = entry;
  const command = fields.get('command');
  if (command === undefined) {
    const remote = remoteOf(entry, client);
    if (remote === null) return odd('it has no command');
    const why = whyNotWrapped(entry, remote, client);
    return why === null ? { kind: 'remote', remote } : odd(why);
  }
  const standing = client.commandList
    ? command.items === null
      ? odd('its command is no list')
      : inList(command, command.items)
    : asText(command, fields.get('args'));
  return (
    (standing.kind === 'by-hand' || standing.kind === 'plain'
      ? wrappedRemoteOf(entry, wordsOf(entry, client), client)
      : null) ?? standing
  );
}

function asText(command: Slot, args: Slot | undefined): Standing {
  if (command.text === null) return odd('its command is no text');
  if (command.text.startsWith('-')) return odd('its command begins with a dash');
  if (args !== undefined && args.items === null) return odd('its args are no list');
  return withArgs(command.text, args);
}

/** The command and its arguments, in a list or beside it. */
function wordsOf({ fields }: ServerEntry, { commandList }: Client): readonly string[] {
  const command = fields.get('command');
  const list = textsOf((commandList ? command : fields.get('args'))?.items ?? []) ?? [];
  return commandList ? list : [command?.text ?? '', ...list];
}

function inList(list: Slot, items: readonly Word[]): Standing {
  const words = textsOf(items);
  if (words === null) return odd('its command holds something that is no text');
  const [program] = words;
  if (program === undefined) return odd('its command is empty');
  if (program.startsWith('-')) return odd('its command begins with a dash');
  const guard = guardIn(words);
  if (guard === null) return isDeloop(words) ? { kind: 'by-hand' } : { kind: 'plain', words };
  const { separator } = guard;
  return { kind: 'wrapped', words: words.slice(separator + 1), list, separator, alone: false };
}

function withArgs(command: string, args: Slot | undefined): Standing {
  const given = textsOf(args?.items ?? []);
  if (given === null) return odd('its args hold something that is no text');
  const words = [command, ...given];
  const guard = guardIn(words);
  if (guard === null || args === undefined)
    return isDeloop(words) ? { kind: 'by-hand' } : { kind: 'plain', words };
  const { separator, alone } = guard;
  return { kind: 'wrapped', words: words.slice(separator + 1), list: args, separator: separator - 1, alone };
}

/** Where our own words end, which is the mark; null = they are not there. */
function guardIn(words: readonly string[]): { readonly separator: number; readonly alone: boolean } | null {
  const start = words.indexOf('mcp', 1);
  const separator = words.findIndex((word, at) => at > start && MARK_WORDS.includes(word));
  const flags = words.slice(start + 1, separator);
  const whole = start > 0 && separator > start && separator < words.length - 1;
  if (!whole || !flags.every((word) => word.startsWith('--'))) return null;
  return { separator, alone: words[separator] === MARKS.alone };
}

/** Somebody has put it behind deloop without us. */
function isDeloop(words: readonly string[]): boolean {
  const at = words.indexOf('mcp', 1);
  return at > 0 && words.slice(0, at).some((word) => DELOOP.test(word));
}

function textsOf(items: readonly Word[]): readonly string[] | null {
  const texts = items.flatMap(({ text }) => text ?? []);
  return texts.length === items.length ? texts : null;
}

function odd(why: string): Extract<Standing, { kind: 'odd' }> {
  return { kind: 'odd', why };
}
