import { fieldsOf, parsedArgs, pick } from '../core/arguments.ts';
import type { Json } from '../core/types.ts';

/** The arguments that say what a call is about, and the lines of a file that count as one place. From deer-flow. */
const SALIENT_FIELDS: readonly string[] = ['path', 'url', 'query', 'command', 'pattern', 'glob', 'cmd'];
export const LINES_A_PLACE = 200;
const READERS: readonly string[] = ['read_file'];
/** Here every argument counts: the same file may get another content each time. */
const WRITERS: readonly string[] = ['write_file', 'str_replace'];

/** What a call is compared by when nearby reads of a file are one, and what only says how falls away. */
export function salientArgs(tool: string, args: Json): Json {
  const { value, raw } = parsedArgs(args);
  if (raw || WRITERS.includes(tool)) return args;
  const fields = fieldsOf(value);
  if (READERS.includes(tool)) {
    const first = lineOf(fields['start_line'], 1);
    const last = lineOf(fields['end_line'], first);
    const places = [placeOf(Math.min(first, last)), placeOf(Math.max(first, last))];
    return { path: (fields['path'] ?? '') as Json, places };
  }
  const told = SALIENT_FIELDS.filter((name) => fields[name] !== null && fields[name] !== undefined);
  return told.length === 0 ? args : pick(fields, told);
}

function lineOf(value: unknown, otherwise: number): number {
  const line = value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(line) ? Math.trunc(line) : otherwise;
}

function placeOf(line: number): number {
  return Math.floor((Math.max(line, 1) - 1) / LINES_A_PLACE);
}
