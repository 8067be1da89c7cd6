import { canonicalJson, fieldsOf, parsedArgs } from '../../core/arguments.ts';
import { readCommand } from '../../core/shell-command.ts';
import { changesBySql } from '../../core/sql-statement.ts';
import { changesByCode, commandLine, toolKinds, withoutCosmetics } from '../../core/tool-kinds.ts';
import type { Json, ToolKind } from '../../core/types.ts';
import { withoutSecrets } from '../scan/redaction.ts';
import { createCallReader, sameReading } from './call-reading.ts';
import type { Digests } from './digests.ts';

/** The arguments of a call, as far as they may be told. */
export type RedactArguments = (tool: string, args: Json) => Json;

/** Keys that somebody has thought of; others may be data. */
const NAME = /^[A-Za-z_$][\w$-]{0,39}$/;
const WORD = /^[\w-]{1,32}$/;
const VERB_FIELDS: readonly string[] = ['command', 'action', 'operation'];
/** In the order in which the guard looks for a command line. */
const COMMAND_FIELDS: readonly string[] = ['command', 'commands', 'cmd', 'script', 'keystrokes'];
/** A word that says of a call what a longer name said. */
const VERBS: { readonly [Kind in Exclude<ToolKind, 'other'>]: string } = {
  read: 'view',
  write: 'edit',
  act: 'update',
  shell: 'exec',
  poll: 'poll',
  wait: 'wait',
  step: 'scroll',
  idle: 'think',
};
/** Smaller numbers are places, counts and times; larger ones may be anything. */
const SMALL = 1_000_000;
/** A number with so many digits is an id or a time to the guard, and must stay one. */
const LARGE = 1_000_000_000;
const MAX_DEPTH = 64;
const MAX_TEXT = 2000;

/** No text: every one is a digest. The names of fields, small numbers and what the guard sees in the call stay. */
export function hideArguments({ letters, number }: Digests): RedactArguments {
  const kindOf = toolKinds();
  const readCall = createCallReader();

  function hidden(value: unknown, depth: number): Json {
    if (typeof value === 'string') return value.trim() === '' ? value : letters(value, 12);
    if (typeof value === 'number') return hiddenNumber(value);
    if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
    if (depth > MAX_DEPTH) return letters(canonicalJson(value), 12);
    if (Array.isArray(value)) return value.map((item) => hidden(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [hiddenName(name), hidden(item, depth + 1)]),
    );
  }

  function hiddenName(name: string): string {
    return NAME.test(name) ? name : letters(name, 12);
  }

  function hiddenNumber(value: number): number {
    if (Math.abs(value) < SMALL) return value;
    const size = Math.abs(value) >= LARGE ? LARGE : SMALL;
    return Math.sign(value) * (size + number(String(value), LARGE - SMALL));
  }

  /** A field that says what the tool shall do. */
  function verb(value: string): string {
    const kind = kindOf(value);
    return kind === 'other' ? letters(value, 12) : `${VERBS[kind]}_${letters(value, 8)}`;
  }

  /** A command line that does to the world what the one did that is not told. */
  function commandStandIn(line: string, told: Json): string {
    if (line.trim() === '') return line;
    const { effect, program, checks } = readCommand(line);
    const first = program === '' ? 'true' : isReader(program) ? program : letters(program, 8);
    const effects = { none: '', change: ' > file', look: ' --watch', wait: ' ; sleep 1' };
    return `${first} ${letters(canonicalJson(told), 16)}${effects[effect]}${checks ? ' ; pytest' : ''}`;
  }

  return (tool, args) => {
    const { value, raw } = parsedArgs(args);
    const shell = readCall(tool, args).command !== null;
    if (raw) return shell ? commandStandIn(value as string, args) : hidden(value, 0);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return hidden(value, 0);
    const shown = shell ? fieldsOf(withoutCosmetics(value as Json)) : {};
    const command = shell ? commandFieldOf(shown) : undefined;
    const writes = changesByCode(value as Json);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        if (name === command) {
          const stand = commandStandIn(commandLine(value as Json) ?? '', shown[name] as Json);
          return [name, Array.isArray(item) ? [stand] : stand];
        }
        if (VERB_FIELDS.includes(name) && typeof item === 'string' && WORD.test(item))
          return [name, verb(item)];
        if (name === 'code' && writes) return [name, `write(${letters(item as string, 12)})`];
        if (changesBySql({ [name]: item as Json }))
          return [name, `truncate table ${letters(item as string, 12)}`];
        return [hiddenName(name), hidden(item, 1)];
      }),
    );
  };
}

/** Texts as they are, without what looks like a secret and cut where they are long. */
export function shortenArguments(digests: Digests): RedactArguments {
  const hide = hideArguments(digests);
  const readCall = createCallReader();

  function shortened(text: string): string {
    // What is cut first is cut for good: a secret must not lose the name that tells it.
    const safe = withoutSecrets(text.slice(0, MAX_TEXT));
    // Texts that differ must stay different.
    return safe === text ? text : `${safe} ${digests.cut(text)}`;
  }

  function readable(value: unknown, depth: number): Json {
    if (typeof value === 'string') return shortened(value);
    if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
    if (depth > MAX_DEPTH) return digests.cut(canonicalJson(value));
    if (Array.isArray(value)) return value.map((item) => readable(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [shortened(name), readable(item, depth + 1)]),
    );
  }

  return (tool, args) => {
    const { value } = parsedArgs(args);
    const reading = readCall(tool, args);
    const told = readable(reading.command === null ? value : withoutRemark(value), 0);
    return sameReading(reading, readCall(tool, told)) ? told : hide(tool, args);
  };
}

/** A remark behind a command is for show; where the command is cut, it must not make a difference. */
function withoutRemark(value: unknown): Json {
  const shown = withoutCosmetics(value as Json);
  return typeof shown === 'object' && shown !== null && !Array.isArray(shown)
    ? ({ ...(value as object), ...shown } as Json)
    : (value as Json);
}

/** The field that holds the command line: one of known name, or the only text there is. */
function commandFieldOf(shown: { readonly [name: string]: unknown }): string | undefined {
  const isCommand = (name: string) => typeof shown[name] === 'string' || Array.isArray(shown[name]);
  return COMMAND_FIELDS.find(isCommand) ?? Object.keys(shown).find((name) => typeof shown[name] === 'string');
}

/** Whether a program only shows files; those have names that tell nothing. */
function isReader(program: string): boolean {
  return readCommand(`${program} file`).reads;
}
