import { canonicalJson, fieldsOf, parsedArgs, pick } from './arguments.ts';
import { isAbsent } from './digest.ts';
import type { Json } from './types.ts';

/** The arguments that say what a call is about; others (a timeout, an encoding) only say how. From attocode. */
const PRIMARY_FIELDS: readonly string[] = [
  'path',
  'file_path',
  'command',
  'pattern',
  'query',
  'url',
  'content',
  'filename',
  'offset',
  'limit',
];
const PRIMARY: ReadonlySet<string> = new Set(PRIMARY_FIELDS);
const SHELL_TOOLS: readonly string[] = ['bash'];
const READERS = /^\s*(?:cat|head|tail|wc|less|more|file|stat|md5sum|sha256sum)\s/;
const SPECIAL = /[|;&<>]/;

/** What is left of a call's arguments when it is compared by its meaning; null when nothing falls away. */
export function similarArgs(tool: string, args: unknown): Json {
  const { value, raw } = parsedArgs(args);
  if (raw) return null;
  const fields = fieldsOf(value);
  if (SHELL_TOOLS.includes(tool) && typeof fields['command'] === 'string') {
    const target = shellReadTarget(fields['command']);
    if (target !== null) return `file_read:${target}`;
  }
  const names = Object.keys(fields).filter((name) => !isAbsent(fields[name]));
  let primary = 0;
  for (const name of names) if (PRIMARY.has(name)) primary += 1;
  return primary === 0 || primary === names.length ? null : pick(fields, PRIMARY_FIELDS);
}

/** A readable form of what makes two calls similar. */
export function similarFingerprint(tool: string, args: unknown): string {
  const left = similarArgs(tool, args) ?? parsedArgs(args).value;
  return `${tool}:${typeof left === 'string' ? left : canonicalJson(left)}`;
}

/** The file that a plain `cat`, `head`, `tail`, `wc`... shows; null for anything with pipes, redirections or a second file. */
export function shellReadTarget(command: string): string | null {
  if (!READERS.test(command) || SPECIAL.test(command)) return null;
  const words = command.trim().split(/\s+/).slice(1);
  const files = words.filter((word) => !word.startsWith('-'));
  return files.length === 1 ? (files[0] as string) : null;
}
