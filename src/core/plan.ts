import { type DigestText, digestText as portableDigestText } from './digest-text.ts';
import { DeloopError, show } from './errors.ts';
import { ACTIONS } from './ladder.ts';
import { isWholeNumber, refuseUnknown, resolveOptions, wrong } from './options.ts';
import { type AnyKind, kindsOf, type Preset } from './preset.ts';
import { checkTools, type ToolRules, type ToolTable, toolLookup } from './tools.ts';
import type { Detector, EventType, Evidence, Habits, Json, Rung } from './types.ts';

/** A preset made ready to run. */
export type Plan = Habits & {
  readonly name: string;
  readonly detectors: readonly Detector[];
  readonly ladder: readonly Rung[];
  /** Which detectors listen to a type of event, as positions in `detectors`. */
  readonly listeners: { readonly [Type in EventType]?: readonly number[] };
  /** Those that note something of a call. */
  readonly noters: readonly number[];
  readonly names: readonly string[];
  readonly initial: readonly Json[];
  readonly needsExact: boolean;
  readonly needsSimilar: boolean;
  readonly needsOutcome: boolean;
  readonly rulesFor: (tool: string) => ToolRules | undefined;
  readonly digestText: DigestText;
};

export type PlanOptions = {
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly tools?: ToolTable | undefined;
  /** Own wording, by detector name (`call-streak`) or by detector and action (`call-streak:halt`). */
  readonly messages?: { readonly [detectorOrRung: string]: string } | undefined;
  readonly digestText?: DigestText | undefined;
};

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
export const NAME_PATTERN: RegExp = /^[a-z][a-z0-9-]{0,63}$/;
export const MAX_AT = 1_000_000;
export const MAX_MESSAGE = 4000;
const RUNG_FIELDS = [
  'on',
  'at',
  'exactly',
  'every',
  'strikes',
  'where',
  'action',
  'level',
  'message',
  'forget',
];

/** Turns a preset into a plan; throws when a part of it is unknown, out of range or can never fire. */
export function compilePlan(preset: Preset, options: PlanOptions = {}): Plan {
  const where = `preset ${show(preset.name)}`;
  const kinds = [...kindsOf(preset), ...(options.kinds ?? [])];
  const { tools = {}, digestText = portableDigestText } = options;
  checkTools(tools, 'tools');
  checkShape(preset, where);
  const ladder = preset.ladder.map((rung) => reworded(rung, options.messages ?? {}));
  const detectors = Object.entries(preset.detectors).map(([name, use]) => {
    const { kind: kindName, ...given } = use;
    const kind = kinds.find((candidate) => candidate.kind === kindName);
    if (kind === undefined) throw unknownKind(`${where}: detectors.${name}.kind`, kindName, kinds);
    const resolved = resolveOptions(kind.options, given, `${where}: detectors.${name}`);
    return kind.create(name, resolved as never, { floor: floorOf(name, ladder, tools), digestText });
  });
  checkLadder(ladder, detectors, preset, where);
  checkToolThresholds(tools, ladder, detectors);
  checkMessages(options.messages ?? {}, ladder);
  const habits = habitsOf(preset, where);
  const needs = (evidence: Evidence) => detectors.some((detector) => detector.needs.includes(evidence));
  return {
    ...habits,
    name: preset.name,
    detectors,
    ladder,
    listeners: listenersOf(detectors),
    noters: detectors.flatMap((detector, index) => (detector.note === undefined ? [] : [index])),
    names: detectors.map((detector) => detector.name),
    initial: detectors.map((detector) => detector.initial),
    // Similar arguments are often all of them, so that one digest serves both.
    needsExact: habits.duplicates === 'once' || needs('exact') || needs('similar'),
    needsSimilar: needs('similar'),
    needsOutcome: needs('outcome'),
    rulesFor: toolLookup(tools),
    digestText,
  };
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

function habitsOf(preset: Preset, where: string): Habits {
  const habits: [string, string][] = [];
  for (const [name, values] of Object.entries(HABITS)) {
    const value = preset[name as keyof Habits] ?? values[0];
    if (!values.some((known) => known === value))
      throw wrong(`${where}: ${name}`, value, `one of ${values.map(show).join(', ')}`);
    habits.push([name, value]);
  }
  return Object.fromEntries(habits) as Habits;
}

function unknownKind(where: string, kind: unknown, kinds: readonly AnyKind[]): DeloopError {
  if (kinds.length > 0) return wrong(where, kind, `one of ${kinds.map((known) => known.kind).join(', ')}`);
  return new DeloopError(
    'option',
    `${where} is ${show(kind)}, but this preset carries no detectors: import it from 'deloop/presets/...', pass \`detectors\`, or use createGuard from 'deloop'`,
  );
}

function reworded(rung: Rung, messages: { readonly [key: string]: string }): Rung {
  const message = messages[`${rung.on}:${rung.action}`] ?? messages[rung.on];
  return message === undefined ? rung : { ...rung, message };
}

function checkMessages(messages: { readonly [key: string]: string }, ladder: readonly Rung[]): void {
  const keys = new Set(ladder.flatMap((rung) => [rung.on, `${rung.on}:${rung.action}`]));
  refuseUnknown(messages, [...keys], 'messages');
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
      if (Math.max(0, ...reach) < threshold)
        throw neverFires(
          `tools[${JSON.stringify(pattern)}].at.${action}`,
          `no rung with that action counts as far as ${threshold}`,
        );
    }
  }
}

/** The lowest count at which anything could happen: below it a detector need not report. */
function floorOf(name: string, ladder: readonly Rung[], tools: ToolTable): number {
  const thresholds = ladder.filter((rung) => rung.on === name).map((rung) => rung.at);
  for (const rules of Object.values(tools)) {
    thresholds.push(...Object.values(rules.at ?? {}).filter((at) => at !== undefined));
  }
  return Math.min(...thresholds);
}

function listenersOf(detectors: readonly Detector[]): Plan['listeners'] {
  const listeners: { [Type in EventType]?: number[] } = {};
  detectors.forEach((detector, index) => {
    for (const type of detector.events) listeners[type] = [...(listeners[type] ?? []), index];
  });
  return listeners;
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
    if (rung.action === 'block' && (detector.blocks !== true || preset.rounds === 'round'))
      throw neverFires(
        at,
        `${rung.on} is checked after the call has run: nudge, ask or halt instead of block`,
      );
    const hidden = ladder.slice(0, index).findIndex((earlier) => hides(earlier, rung));
    if (hidden >= 0)
      throw neverFires(at, `ladder[${hidden}] always comes first: put the stricter rung before it`);
    if (rung.strikes !== undefined && !ladder.some((other) => strikes(other, rung)))
      throw neverFires(at, `no rung on ${rung.on} gives the ${rung.strikes} strike(s) it waits for`);
  });
  for (const name of byName.keys()) {
    if (!ladder.some((rung) => rung.on === name))
      throw neverFires(`${where}: detectors.${name}`, 'no rung of the ladder is on it');
  }
}

export function checkRung(rung: Rung, where: string): void {
  if (typeof rung !== 'object' || rung === null)
    throw wrong(where, rung, `an object with ${RUNG_FIELDS.join(', ')}`);
  refuseUnknown(rung, RUNG_FIELDS, where);
  const range = `a whole number from 1 to ${MAX_AT}`;
  if (!isWholeNumber(rung.at, 1, MAX_AT)) throw wrong(`${where}.at`, rung.at, range);
  for (const name of ['every', 'strikes'] as const) {
    if (rung[name] !== undefined && !isWholeNumber(rung[name], 1, MAX_AT))
      throw wrong(`${where}.${name}`, rung[name], range);
  }
  for (const name of ['exactly', 'forget'] as const) {
    if (rung[name] !== undefined && typeof rung[name] !== 'boolean')
      throw wrong(`${where}.${name}`, rung[name], 'true or false');
  }
  if (rung.where !== undefined && (typeof rung.where !== 'object' || rung.where === null))
    throw wrong(`${where}.where`, rung.where, 'an object of facts');
  if (!ACTIONS.includes(rung.action))
    throw wrong(`${where}.action`, rung.action, `one of ${ACTIONS.join(', ')}`);
  if (rung.level !== undefined && !LEVELS.includes(rung.level))
    throw wrong(`${where}.level`, rung.level, `one of ${LEVELS.join(', ')}`);
  if (typeof rung.message !== 'string' || rung.message === '' || rung.message.length > MAX_MESSAGE)
    throw wrong(`${where}.message`, rung.message, `a text of 1 to ${MAX_MESSAGE} characters`);
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
    Object.entries(earlier.where ?? {}).every(([fact, value]) => later.where?.[fact] === value)
  );
}

/** Whether `giver` can give one of the strikes that `rung` waits for. */
function strikes(giver: Rung, rung: Rung): boolean {
  return giver.on === rung.on && giver.action !== 'observe' && (giver.strikes ?? 0) < (rung.strikes ?? 0);
}
