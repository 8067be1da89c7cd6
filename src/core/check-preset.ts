import { checkTools } from './check-tools.ts';
import { DeloopError, show } from './errors.ts';
import { ACTIONS } from './ladder.ts';
import { checkOptions, type DescribedKind, isWholeNumber, refuseUnknown, wrong } from './options.ts';
import { compilePlan, type Plan, type PlanOptions } from './plan.ts';
import { type AnyKind, kindsOf, type Preset } from './preset.ts';
import { type ToolTable, toolRules } from './tools.ts';
import type { Detector, Habits, Hint, Rung } from './types.ts';

/** Every habit with its values, the default first. */
export const HABITS: { readonly [Name in keyof Habits]: readonly [Habits[Name], ...Habits[Name][]] } = {
  rounds: ['call', 'round'],
  duplicates: ['each', 'once'],
  answers: ['each', 'first'],
  userBoundary: ['clear', 'keep', 'keep-failures'],
  agents: ['apart', 'together'],
  strikes: ['session', 'turn', 'subject'],
};
export const LEVELS: readonly string[] = ['info', 'warning', 'critical'];
export const HINTS: readonly string[] = ['stub', 'stronger-model', 'last-turn'] satisfies Hint[];
export const NAME_PATTERN: RegExp = /^[a-z][a-z0-9-]{0,63}$/;
export const MAX_AT = 1_000_000;
export const MAX_MESSAGE = 4000;
const RUNG_FIELDS = [
  'on',
  'at',
  'exactly',
  'every',
  'strikes',
  'below',
  'attended',
  'where',
  'action',
  'level',
  'hint',
  'message',
  'prompt',
  'forget',
];

export type CheckedPlanOptions = Pick<PlanOptions, 'kinds' | 'messages' | 'digestText' | 'attended'> & {
  /** Kinds whose options can be checked; a kind of one's own has none. */
  readonly described?: readonly DescribedKind[] | undefined;
  readonly tools?: ToolTable | undefined;
};

/** A plan that can work: throws when a part of the preset is unknown, out of range or can never fire. */
export function checkedPlan(preset: Preset, options: CheckedPlanOptions = {}): Plan {
  const { kinds = [], described = [], tools = {}, messages = {}, digestText, attended } = options;
  if (typeof preset !== 'object' || preset === null) throw wrong('preset', preset, 'a preset object');
  const where = `preset ${show(preset.name)}`;
  checkTools(tools, 'tools');
  if (!Array.isArray(kinds)) throw wrong('detectors', kinds, 'a list of kinds of detectors');
  if (typeof messages !== 'object' || messages === null)
    throw wrong('messages', messages, 'an object of texts');
  checkShape(preset, where);
  checkHabits(preset, where);
  const known = [...kindsOf(preset), ...kinds, ...described];
  checkDetectors(preset, known, described, where);
  const plan = compilePlan(preset, {
    kinds: known,
    messages,
    digestText,
    attended,
    rulesFor: toolRules(tools),
  });
  checkLadder(plan.ladder, plan.detectors, preset, where);
  plan.ladder.forEach((rung, index) => {
    checkRung(rung, `${where}: ladder[${index}]`);
  });
  checkToolThresholds(tools, plan.ladder, plan.detectors);
  checkMessages(messages, plan.ladder);
  return plan;
}

function checkShape(preset: Preset, where: string): void {
  const known = ['name', 'about', 'detectors', 'ladder', ...Object.keys(HABITS)];
  refuseUnknown(preset, known, where);
  if (typeof preset.detectors !== 'object' || preset.detectors === null)
    throw wrong(`${where}: detectors`, preset.detectors, 'an object of detectors by name');
  if (!Array.isArray(preset.ladder)) throw wrong(`${where}: ladder`, preset.ladder, 'a list of rungs');
  preset.ladder.forEach((rung, index) => {
    checkRung(rung, `${where}: ladder[${index}]`);
  });
  for (const [name, use] of Object.entries(preset.detectors)) {
    if (!NAME_PATTERN.test(name))
      throw wrong(`${where}: the name of a detector`, name, 'lower-case words and dashes');
    if (typeof use !== 'object' || use === null)
      throw wrong(`${where}: detectors.${name}`, use, 'an object with a kind and options');
  }
}

function checkHabits(preset: Preset, where: string): void {
  for (const [name, values] of Object.entries(HABITS)) {
    const value = preset[name as keyof Habits] ?? values[0];
    if (!values.some((known) => known === value))
      throw wrong(`${where}: ${name}`, value, `one of ${values.map(show).join(', ')}`);
  }
}

function checkDetectors(
  preset: Preset,
  kinds: readonly AnyKind[],
  described: readonly DescribedKind[],
  where: string,
): void {
  for (const [name, { kind: wanted, ...given }] of Object.entries(preset.detectors)) {
    const kind = kinds.find((known) => known.kind === wanted);
    const at = `${where}: detectors.${name}`;
    if (kind === undefined)
      throw wrong(
        `${at}.kind`,
        wanted,
        `one of ${[...new Set(kinds.map((known) => known.kind))].join(', ')}`,
      );
    const known = described.find((candidate) => candidate.kind === wanted);
    if (known !== undefined) checkOptions(known.options, given, at);
  }
}

function checkLadder(
  ladder: readonly Rung[],
  detectors: readonly Detector[],
  preset: Preset,
  where: string,
): void {
  const byName = new Map(detectors.map((detector) => [detector.name, detector]));
  ladder.forEach((rung, index) => {
    const at = `${where}: ladder[${index}]`;
    const detector = byName.get(rung.on);
    if (detector === undefined) throw wrong(`${at}.on`, rung.on, `one of ${[...byName.keys()].join(', ')}`);
    if (rung.at > detector.maxCount)
      throw neverFires(at, `${rung.on} never counts above ${detector.maxCount}, and at is ${rung.at}`);
    if (
      rung.action === 'block' &&
      (detector.blocks !== true || (preset.rounds === 'round' && !isOutside(detector)))
    )
      throw neverFires(
        at,
        `${rung.on} is checked after the call has run: nudge, ask or halt instead of block`,
      );
    const hidden = ladder.slice(0, index).findIndex((earlier) => hides(earlier, rung));
    if (hidden >= 0)
      throw neverFires(at, `ladder[${hidden}] always comes first: put the stricter rung before it`);
    if (rung.below !== undefined && rung.below <= (rung.strikes ?? 0))
      throw neverFires(at, `below is ${rung.below}, and strikes is ${rung.strikes}`);
    if (rung.strikes !== undefined && !ladder.some((other) => strikes(other, rung)))
      throw neverFires(at, `no rung on ${rung.on} gives the ${rung.strikes} strike(s) it waits for`);
  });
  for (const name of Object.keys(preset.detectors)) {
    if (!preset.ladder.some((rung) => rung.on === name))
      throw neverFires(`${where}: detectors.${name}`, 'no rung of the ladder is on it');
  }
}

/** Whether it hears only what is counted outside: that comes before a call runs, whatever the rounds. */
function isOutside({ events }: Detector): boolean {
  return events.every((event) => event === 'swarm-tally' || event === 'control');
}

export function checkRung(rung: Rung, where: string): void {
  if (typeof rung !== 'object' || rung === null)
    throw wrong(where, rung, `an object with ${RUNG_FIELDS.join(', ')}`);
  refuseUnknown(rung, RUNG_FIELDS, where);
  const range = `a whole number from 1 to ${MAX_AT}`;
  if (!isWholeNumber(rung.at, 1, MAX_AT)) throw wrong(`${where}.at`, rung.at, range);
  for (const name of ['every', 'strikes', 'below'] as const) {
    if (rung[name] !== undefined && !isWholeNumber(rung[name], 1, MAX_AT))
      throw wrong(`${where}.${name}`, rung[name], range);
  }
  for (const name of ['exactly', 'forget', 'attended'] as const) {
    if (rung[name] !== undefined && typeof rung[name] !== 'boolean')
      throw wrong(`${where}.${name}`, rung[name], 'true or false');
  }
  if (rung.where !== undefined && (typeof rung.where !== 'object' || rung.where === null))
    throw wrong(`${where}.where`, rung.where, 'an object of facts');
  if (!ACTIONS.includes(rung.action))
    throw wrong(`${where}.action`, rung.action, `one of ${ACTIONS.join(', ')}`);
  if (rung.level !== undefined && !LEVELS.includes(rung.level))
    throw wrong(`${where}.level`, rung.level, `one of ${LEVELS.join(', ')}`);
  if (rung.hint !== undefined && !HINTS.includes(rung.hint))
    throw wrong(`${where}.hint`, rung.hint, `one of ${HINTS.join(', ')}`);
  for (const [name, text] of Object.entries({ message: rung.message, prompt: rung.prompt ?? rung.message }))
    if (typeof text !== 'string' || text === '' || text.length > MAX_MESSAGE)
      throw wrong(`${where}.${name}`, text, `a text of 1 to ${MAX_MESSAGE} characters`);
  if (rung.prompt !== undefined && rung.action !== 'ask')
    throw wrong(`${where}.prompt`, rung.prompt, "left out: only 'ask' is put to a person");
}

/** A tool's own threshold must be within reach of a detector whose rungs have that action. */
function checkToolThresholds(
  tools: ToolTable,
  ladder: readonly Rung[],
  detectors: readonly Detector[],
): void {
  for (const [pattern, { at = {} }] of Object.entries(tools)) {
    for (const [action, threshold] of Object.entries(at)) {
      const names = ladder.filter((rung) => rung.action === action).map((rung) => rung.on);
      const reach = detectors.filter(({ name }) => names.includes(name)).map(({ maxCount }) => maxCount);
      if (reach.length > 0 && Math.max(...reach) < threshold)
        throw neverFires(
          `tools[${JSON.stringify(pattern)}].at.${action}`,
          `no rung with that action counts as far as ${threshold}`,
        );
    }
  }
}

function checkMessages(messages: { readonly [key: string]: string }, ladder: readonly Rung[]): void {
  const keys = new Set(ladder.flatMap((rung) => [rung.on, `${rung.on}:${rung.action}`]));
  refuseUnknown(messages, [...keys], 'messages');
}

function neverFires(where: string, why: string): DeloopError {
  return new DeloopError('option', `${where} can never fire: ${why}`);
}

/** Whether `earlier` fits whenever `later` does. */
function hides(earlier: Rung, later: Rung): boolean {
  return (
    earlier.on === later.on &&
    earlier.at <= later.at &&
    earlier.exactly !== true &&
    (earlier.every ?? 1) === 1 &&
    (earlier.strikes ?? 0) <= (later.strikes ?? 0) &&
    (earlier.below ?? MAX_AT) >= (later.below ?? MAX_AT) &&
    Object.entries(earlier.where ?? {}).every(([fact, value]) => later.where?.[fact] === value)
  );
}

/** Whether `giver` can give one of the strikes that `rung` waits for. */
function strikes(giver: Rung, rung: Rung): boolean {
  return giver.on === rung.on && giver.action !== 'observe' && (giver.strikes ?? 0) < (rung.strikes ?? 0);
}
