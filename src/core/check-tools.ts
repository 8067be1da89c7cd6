import { isNames, isWholeNumber, refuseUnknown, wrong } from './options.ts';
import type { ToolDeclaration, ToolTable } from './tools.ts';
import type { Effect } from './types.ts';

const FIELDS = ['identity', 'volatile', 'effect', 'poll', 'noop', 'exempt', 'at'] as const;
const EFFECTS: readonly unknown[] = ['none', 'write', 'shell'] satisfies Effect[];
const ACTIONS = ['nudge', 'block', 'halt'] as const;
const MAX_AT = 1_000_000;

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

function checkThresholds(at: ToolDeclaration['at'], where: string): void {
  if (at === undefined) return;
  if (typeof at !== 'object' || at === null) throw wrong(where, at, `an object with ${ACTIONS.join(', ')}`);
  refuseUnknown(at, ACTIONS, where);
  for (const action of ACTIONS) {
    const value = at[action];
    if (value !== undefined && !isWholeNumber(value, 1, MAX_AT))
      throw wrong(`${where}.${action}`, value, `a whole number from 1 to ${MAX_AT}`);
  }
}
