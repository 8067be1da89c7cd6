import { type DigestText, digestText as portableDigestText } from './digest-text.ts';
import { type AnyKind, kindsOf, type Preset } from './preset.ts';
import { ANYTHING } from './topics.ts';
import type { Detector, Effect, EventType, Evidence, Finding, Habits, Json, Ledger, Rung } from './types.ts';

/** What is to be done about a tool, as `toolRules` makes it from declarations. */
export type ToolRules = {
  /** The arguments that the call is compared by. */
  readonly args?: (args: Json, call: number) => Json;
  /** No two calls are the same. */
  readonly unique?: boolean;
  /** The output that outcomes are compared by. */
  readonly output?: (output: Json) => Json;
  readonly effect?: Effect;
  readonly poll?: boolean;
  /** The guard never looks at it. */
  readonly exempt?: boolean;
  /** As if it had not been called. */
  readonly noop?: boolean;
  readonly at?: { readonly nudge?: number; readonly block?: number; readonly halt?: number };
};
export type RulesFor = {
  (tool: string): ToolRules | undefined;
  /** The lowest threshold that any tool has of its own. */
  readonly lowest?: number;
};

/** A preset made ready to run. A habit that is not there has its default, the first of its values. */
export type Plan = Partial<Habits> & {
  readonly name: string;
  readonly detectors: readonly Detector[];
  /** Where a detector reads one. */
  readonly ledger: Ledger | undefined;
  readonly ladder: readonly Rung[];
  /** Which detectors listen to a type of event, as positions in `detectors`. */
  readonly listeners: { readonly [Type in EventType]?: readonly number[] };
  /** Those of them that need a fact from the payload. */
  readonly observers: Plan['listeners'];
  /** Those that hear of calls which the guard never looks at. */
  readonly witnesses: readonly number[];
  /** Those that note something of a call. */
  readonly noters: readonly number[];
  readonly names: readonly string[];
  readonly initial: readonly Json[];
  /** The topics that wake each detector. */
  readonly wakes: readonly number[];
  readonly needsExact: boolean;
  readonly needsOutcome: boolean;
  readonly rulesFor: RulesFor;
  readonly digestText: DigestText;
  /** Hears every finding, whether or not a rung answers it. */
  readonly onFindings?: ((findings: readonly Finding[]) => void) | undefined;
};

export type PlanOptions = {
  readonly kinds?: readonly AnyKind[] | undefined;
  readonly rulesFor?: RulesFor | undefined;
  /** Own wording, by detector name (`call-streak`) or by detector and action (`call-streak:halt`). */
  readonly messages?: { readonly [detectorOrRung: string]: string } | undefined;
  readonly digestText?: DigestText | undefined;
  readonly attended?: boolean | undefined;
};

/** Turns a preset into a plan. It trusts the preset; `checkedPlan` does not. */
export function compilePlan(preset: Preset, options: PlanOptions = {}): Plan {
  const { kinds = [], messages, digestText = portableDigestText, attended = true } = options;
  const rulesFor: RulesFor = options.rulesFor ?? (() => undefined);
  const { name, about: _, detectors: uses, ladder: rungs, ...habits } = preset;
  const ladder = rungs
    .filter((rung) => (rung.attended ?? attended) === attended)
    .map((rung) => (messages === undefined ? rung : reworded(rung, messages)));
  const floors = new Map<string, number>();
  for (const { on, at } of ladder) floors.set(on, Math.min(at, floors.get(on) ?? at));
  const known = [...kindsOf(preset), ...kinds];
  const found = Object.entries(uses).map(([own, { kind: wanted, ...given }]) => {
    const kind = known.find((candidate) => candidate.kind === wanted);
    if (kind === undefined) throw new Error(`no detector ${wanted}: pass it in \`detectors\``);
    return kind.create(own, { ...kind.defaults, ...given } as never, {
      floor: Math.min(rulesFor.lowest ?? 1e9, floors.get(own) ?? 1e9),
      digestText,
    });
  });
  // Those who read the ledger come after it.
  const ledger = found.find((detector) => detector.ledger)?.ledger?.(digestText);
  const detectors = (ledger ? [ledger, ...found] : found).map(uniform);
  const needs = (evidence: Evidence) => detectors.some((detector) => detector.needs.includes(evidence));
  return {
    ...habits,
    name,
    detectors,
    ledger,
    ladder,
    listeners: listenersOf(detectors),
    observers: listenersOf(detectors, (detector) => detector.observe !== undefined),
    witnesses: listenersOf(detectors, (detector) => detector.witness === true)['tool-call'] ?? [],
    noters: detectors.flatMap((detector, index) => (detector.note === undefined ? [] : [index])),
    names: detectors.map((detector) => detector.name),
    initial: detectors.map((detector) => detector.initial),
    wakes: detectors.map((detector) => detector.wakes ?? ANYTHING),
    needsExact: habits.duplicates === 'once' || needs('exact'),
    needsOutcome: needs('outcome'),
    rulesFor,
    digestText,
  };
}

/** One's own words are for the model and for the person. */
function reworded(rung: Rung, messages: { readonly [key: string]: string }): Rung {
  const { prompt: _, ...rest } = rung;
  for (const key of [`${rung.on}:${rung.action}`, rung.on]) {
    if (Object.hasOwn(messages, key)) return { ...rest, message: messages[key] as string };
  }
  return rung;
}

function listenersOf(
  detectors: readonly Detector[],
  wanted: (detector: Detector) => boolean = () => true,
): Plan['listeners'] {
  const listeners: { [Type in EventType]?: number[] } = {};
  detectors.forEach((detector, index) => {
    if (!wanted(detector)) return;
    for (const type of detector.events) listeners[type] = [...(listeners[type] ?? []), index];
  });
  return listeners;
}

/** All of one shape, which makes them faster to call. */
function uniform(detector: Detector): Detector {
  return {
    wakes: undefined,
    blocks: undefined,
    witness: undefined,
    failures: undefined,
    ledger: undefined,
    note: undefined,
    observe: undefined,
    ...detector,
  } as Detector;
}
