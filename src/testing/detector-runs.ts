import { createGuard } from '../core/guard.ts';
import { compilePlan } from '../core/plan.ts';
import type { AnyKind, Preset } from '../core/preset.ts';
import { initialState, step } from '../core/step.ts';
import { type ToolTable, toolRules } from '../core/tools.ts';
import type { AgentEvent, Detector, Finding, Json } from '../core/types.ts';

/** A run, and what a detector counts in it. */
export type Case = {
  readonly name: string;
  readonly options?: { readonly [option: string]: Json };
  readonly events: readonly AgentEvent[];
  /** What the user declared of tools. */
  readonly tools?: ToolTable;
  /** The counts it reports, in order, when every count is asked for. */
  readonly counts: readonly number[];
};

/** A preset with one detector that reports from `at` on. */
export function only(kind: AnyKind, options: { readonly [option: string]: Json } = {}, at = 1): Preset {
  return {
    name: 'only',
    about: '',
    userBoundary: 'keep',
    detectors: { it: { ...options, kind: kind.kind } },
    ladder: [{ on: 'it', at, action: 'observe', message: '{count}' }],
  };
}

/** The detector that a plan makes of a kind. */
export function made(kind: AnyKind, options: { readonly [option: string]: Json } = {}, at = 1): Detector {
  return compilePlan(only(kind, options, at), { kinds: [kind] }).detectors.at(-1) as Detector;
}

/** Every finding of a run, with the number of the call at which it was made. */
export function findings(
  kind: AnyKind,
  { events, options, tools = {} }: Pick<Case, 'events' | 'options' | 'tools'>,
  at = 1,
): (Finding & { call: number })[] {
  const seen: (Finding & { call: number })[] = [];
  const errors: unknown[] = [];
  const guard = createGuard({
    preset: only(kind, options, at),
    detectors: [kind],
    rulesFor: toolRules(tools),
    onDecision: ({ finding, call }) => seen.push({ ...finding, call }),
    // A guard hears of what its host throws as little as the host of what it throws: an error is kept until the end.
    onError: (error) => errors.push(error),
  });
  for (const event of events) guard.accept(event);
  for (const error of errors) throw error;
  return seen;
}

/** What the detector remembers after a run of the main agent. */
export function remembered(kind: AnyKind, { events, options }: Pick<Case, 'events' | 'options'>): Json {
  const plan = compilePlan(only(kind, options), { kinds: [kind] });
  const end = events.reduce((state, event) => step(plan, state, event)[0], initialState(plan));
  return end.agents[0]?.detectors.at(-1) ?? null;
}
