import { fieldsOf, parsedArgs, pick } from './arguments.ts';
import { Digest } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import { similarArgs } from './similar.ts';
import type { Json, Status } from './types.ts';

/** The same number for the same tool with the same arguments, whatever the order of keys and the white space of the JSON. */
export function digestCall(tool: string, args: unknown, digestText: DigestText): number {
  const digest = new Digest(digestText);
  digest.text(tool);
  if (typeof args === 'string') {
    const { value, raw } = parsedArgs(args);
    if (raw) digest.raw(args);
    else digest.json(value);
  } else digest.json(args);
  return digest.finish();
}

/** As `exact`, by the primary arguments alone; it is `exact` itself when there are no others. */
export function digestSimilar(tool: string, args: unknown, exact: number, digestText: DigestText): number {
  const left = similarArgs(tool, args);
  return left === null ? exact : digestCall(tool, left, digestText);
}

/** The same number for the same output and the same kind of ending. */
export function digestOutcome(
  output: Json,
  status: Status,
  volatile: readonly string[] | undefined,
  digestText: DigestText,
): number {
  const digest = new Digest(digestText);
  digest.text(status);
  const stable = volatile === undefined ? output : withoutFields(output, volatile);
  if (typeof stable === 'string') digest.raw(stable);
  else digest.json(stable);
  return digest.finish();
}

/** Only the arguments that the user declared to be the identity of the call; `call` stands in where no two calls are the same. */
export function identityOf(args: Json, identity: readonly string[] | false, call: number): Json {
  return identity === false ? { call } : pick(parsedArgs(args).value, identity);
}

/** A JSON output without the fields that change on every run; any other output as it is. */
function withoutFields(output: Json, names: readonly string[]): Json {
  const { value, raw } = parsedArgs(output);
  if (raw || typeof value !== 'object' || value === null) return output;
  return strip(value as Json, new Set(names), 0);
}

const MAX_STRIP_DEPTH = 64;

function strip(value: Json, names: ReadonlySet<string>, depth: number): Json {
  if (typeof value !== 'object' || value === null || depth > MAX_STRIP_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: Json) => strip(item, names, depth + 1));
  const kept = Object.entries(fieldsOf(value)).filter(([name]) => !names.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, strip(item as Json, names, depth + 1)]));
}
