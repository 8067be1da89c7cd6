import { isNames, isWholeNumber, refuseUnknown, wrong } from './options.ts';
import type { Effect } from './types.ts';

/** What a user declares about a tool; the key it stands under is the tool's name, `*` matching any part of one. */
export type ToolRules = {
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
export type ToolTable = { readonly [pattern: string]: ToolRules };

const FIELDS = ['identity', 'volatile', 'effect', 'poll', 'noop', 'exempt', 'at'] as const;
const EFFECTS: readonly unknown[] = ['none', 'write', 'shell'] satisfies Effect[];
const ACTIONS = ['nudge', 'block', 'halt'] as const;
const MAX_AT = 1_000_000;
const MAX_CACHED = 256;

/** Throws when a declaration can never work. */
export function checkTools(tools: ToolTable, where: string): void {
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools))
    throw wrong(where, tools, 'an object of tool names');
  for (const [pattern, rules] of Object.entries(tools)) {
    const at = `${where}[${JSON.stringify(pattern)}]`;
    if (typeof rules !== 'object' || rules === null)
      throw wrong(at, rules, `an object with ${FIELDS.join(', ')}`);
    refuseUnknown(rules, FIELDS, at);
    const { identity, volatile, effect } = rules;
    if (identity !== undefined && identity !== false && !isNames(identity))
      throw wrong(`${at}.identity`, identity, 'a list of argument names, or false');
    if (volatile !== undefined && !isNames(volatile))
      throw wrong(`${at}.volatile`, volatile, 'a list of names');
    if (effect !== undefined && !EFFECTS.includes(effect))
      throw wrong(`${at}.effect`, effect, '"none", "write" or "shell"');
    for (const flag of ['poll', 'noop', 'exempt'] as const) {
      const value = rules[flag];
      if (value !== undefined && typeof value !== 'boolean')
        throw wrong(`${at}.${flag}`, value, 'true or false');
    }
    checkThresholds(rules.at, `${at}.at`);
  }
}

function checkThresholds(at: ToolRules['at'], where: string): void {
  if (at === undefined) return;
  if (typeof at !== 'object' || at === null) throw wrong(where, at, `an object with ${ACTIONS.join(', ')}`);
  refuseUnknown(at, ACTIONS, where);
  for (const action of ACTIONS) {
    const value = at[action];
    if (value !== undefined && !isWholeNumber(value, 1, MAX_AT))
      throw wrong(`${where}.${action}`, value, `a whole number from 1 to ${MAX_AT}`);
  }
}

/** Looks a tool up: its exact name first, then the patterns in the order they were written. */
export function toolLookup(tools: ToolTable): (tool: string) => ToolRules | undefined {
  const patterns = Object.entries(tools);
  if (patterns.length === 0) return () => undefined;
  const cache = new Map<string, ToolRules | undefined>();
  return (tool) => {
    if (cache.has(tool)) return cache.get(tool);
    if (cache.size >= MAX_CACHED) cache.clear();
    const rules = Object.hasOwn(tools, tool)
      ? tools[tool]
      : patterns.find(([pattern]) => matches(pattern, tool))?.[1];
    cache.set(tool, rules);
    return rules;
  };
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
