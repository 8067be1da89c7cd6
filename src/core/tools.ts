import { fieldsOf, parsedArgs, pick } from './arguments.ts';
import { shownBytes } from './bytes.ts';
import type { RulesFor, ToolRules } from './plan.ts';
import { standIn } from './stand-in.ts';
import type { Effect, Json } from './types.ts';

/** What a user declares about a tool; the key it stands under is the tool's name, `*` matching any part of one. */
export type ToolDeclaration = {
  /** The argument fields that make two calls the same; `false` = never the same. */
  readonly identity?: readonly string[] | false;
  /** Fields of a JSON output that change on every run and say nothing. */
  readonly volatile?: readonly string[];
  /** What a success does to the world; overrides what the preset thinks of the tool. */
  readonly effect?: Effect;
  /** Repeating is its job: repetition detectors pass it over, failures still count. */
  readonly poll?: boolean;
  /** It does nothing (`think`, a todo list): it neither counts nor breaks a streak. */
  readonly noop?: boolean;
  /** The guard never looks at it. */
  readonly exempt?: boolean;
  /** Its own thresholds, by action. */
  readonly at?: { readonly nudge?: number; readonly block?: number; readonly halt?: number };
};
export type ToolTable = { readonly [pattern: string]: ToolDeclaration };

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/** Declarations made ready: a tool's exact name first, then the patterns in the order they were written. */
export function toolRules(tools: ToolTable): RulesFor {
  if (Object.keys(tools).length === 0) return () => undefined;
  const exact = new Map<string, ToolRules>();
  const patterns: (readonly [string, ToolRules])[] = [];
  for (const [pattern, declaration] of Object.entries(tools)) {
    const rules = rulesOf(declaration);
    if (pattern.includes('*')) patterns.push([pattern, rules]);
    else exact.set(pattern, rules);
  }
  const lookUp = (tool: string) =>
    exact.get(tool) ?? patterns.find(([pattern]) => matches(pattern, tool))?.[1];
  const lowest = Math.min(...Object.values(tools).flatMap(({ at = {} }) => Object.values(at)));
  return Object.assign(lookUp, { lowest });
}

function rulesOf({ identity, volatile, noop, exempt, ...rest }: ToolDeclaration): ToolRules {
  return {
    ...rest,
    exempt: noop === true || exempt === true,
    noop: noop === true,
    ...(identity === undefined
      ? {}
      : { unique: identity === false, args: (args, call) => identityOf(args, identity, call) }),
    ...(volatile === undefined ? {} : { output: (output) => withoutFields(output, new Set(volatile)) }),
  };
}

/** Only the arguments that the user declared to be the identity of the call; `call` stands in where no two calls are the same. */
function identityOf(args: Json, identity: readonly string[] | false, call: number): Json {
  return identity === false ? { call } : pick(parsedArgs(args).value, identity);
}

/** A JSON output without the fields that change on every run; any other output as it is. */
function withoutFields(output: Json, names: ReadonlySet<string>): Json {
  const { value, raw } = parsedArgs(output);
  return raw || typeof value !== 'object' || value === null
    ? output
    : strip(value as Json, names, 0, { left: MAX_VALUES });
}

/** `budget` bounds outputs that share sub-objects and so unfold without end. */
function strip(value: Json, names: ReadonlySet<string>, depth: number, budget: { left: number }): Json {
  if (typeof value !== 'object' || value === null) return value;
  budget.left -= 1;
  if (depth > MAX_DEPTH || budget.left < 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => strip(item, names, depth + 1, budget));
  const bytes = shownBytes(value);
  if (bytes !== undefined) return bytes as Json;
  const fields = Object.entries(fieldsOf(value));
  if (fields.length === 0) return standIn(value) as Json;
  const kept = fields.filter(([name]) => !names.has(name));
  return Object.fromEntries(
    kept.map(([name, item]) => [name, strip(item as Json, names, depth + 1, budget)]),
  );
}

/** A glob with `*` only, in time linear in the pattern's pieces. */
export function matches(pattern: string, name: string): boolean {
  const pieces = pattern.split('*');
  const first = pieces[0] as string;
  const last = pieces[pieces.length - 1] as string;
  if (pieces.length === 1) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from + last.length <= name.length;
}
