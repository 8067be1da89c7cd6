import type { ServerEntry, Slot, Word } from './server-entry.ts';

/** How a server stands: what is to be known of it to put it behind the guard, or to take it out. */
export type Standing =
  /** A command that the client starts. `words` = the command and its arguments. */
  | { readonly kind: 'plain'; readonly words: readonly string[] }
  /** Behind the guard, by `wrap`. `words` = the command as it was, `at` = where it begins in `list`. */
  | Wrapped
  | { readonly kind: 'by-hand' }
  | { readonly kind: 'remote' }
  | { readonly kind: 'odd'; readonly why: string };

export type Wrapped = {
  readonly kind: 'wrapped';
  readonly words: readonly string[];
  /** The list in which the guard stands before the command. */
  readonly list: Slot;
  /** The last element of the guard's in that list: the `--` before the command. */
  readonly separator: number;
  /** The server had no arguments, not even an empty list. */
  readonly alone: boolean;
};

/** Marks what `wrap` has written; the second says that there was no list of arguments before. */
export const MARKS = { wrapped: '--wrapped', alone: '--wrapped-alone' } as const;

const ADDRESSES: readonly string[] = ['url', 'httpUrl', 'serverUrl'];
const DELOOP = /(?:^|[\\/])(?:deloop(?:@[^\\/]+)?(?:\.cmd|\.exe)?|deloop[\\/]dist[\\/]cli[\\/]main\.js)$/;

export function standingOf({ fields }: ServerEntry, commandList: boolean): Standing {
  const command = fields.get('command');
  if (command === undefined)
    return ADDRESSES.some((name) => fields.has(name)) ? { kind: 'remote' } : odd('it has no command');
  if (commandList)
    return command.items === null ? odd('its command is no list') : inList(command, command.items);
  if (command.text === null) return odd('its command is no text');
  const args = fields.get('args');
  if (args !== undefined && args.items === null) return odd('its args are no list');
  return withArgs(command.text, args);
}

function inList(list: Slot, items: readonly Word[]): Standing {
  const words = textsOf(items);
  if (words === null) return odd('its command holds something that is no text');
  if (words.length === 0) return odd('its command is empty');
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

/** Where our own words end; null = they are not there. */
function guardIn(words: readonly string[]): { readonly separator: number; readonly alone: boolean } | null {
  const start = words.indexOf('mcp', 1);
  const separator = words.indexOf('--', start);
  const flags = words.slice(start, separator);
  if (start < 0 || separator === -1 || separator === words.length - 1) return null;
  const alone = flags.includes(MARKS.alone);
  return alone || flags.includes(MARKS.wrapped) ? { separator, alone } : null;
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

function odd(why: string): Standing {
  return { kind: 'odd', why };
}
