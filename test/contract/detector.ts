import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  type AnyKind,
  compilePlan,
  createGuard,
  type Decision,
  type Detector,
  type Finding,
  initialState,
  type Json,
  type Preset,
  parseState,
  step,
  type ToolTable,
  toolRules,
} from '../../src/core/index.ts';
import { resembles } from '../../src/core/snapshot.ts';
import { noProgress } from '../../src/detectors/no-progress.ts';

export type Case = {
  readonly name: string;
  readonly options?: { readonly [option: string]: Json };
  readonly events: readonly AgentEvent[];
  /** What the user declared of tools. */
  readonly tools?: ToolTable;
  /** The counts it reports, in order, when every count is asked for. */
  readonly counts: readonly number[];
};

type Suite = {
  readonly loops: readonly Case[];
  /** Runs that must stay below the threshold of every preset: as many as there are loops. */
  readonly healthy: readonly Case[];
  /** It finds what no rung asks for, too: so rarely that it costs nothing. */
  readonly eager?: boolean;
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

/** The kind with an eye on what its detectors find, whether or not a rung asks for it. */
function watched(kind: AnyKind, see: (finding: Finding) => void): AnyKind {
  return {
    ...kind,
    create(...given) {
      const detector = kind.create(...given);
      return {
        ...detector,
        reduce(state, entry, fact) {
          const reduced = detector.reduce(state, entry, fact);
          if (reduced?.[1]) see(reduced[1]);
          return reduced;
        },
      };
    },
  };
}

/** The kind that hears everything, whatever it is about. */
function sleepless(kind: AnyKind): AnyKind {
  return {
    ...kind,
    create(...given) {
      const { wakes: _, ...detector } = kind.create(...given);
      return detector;
    },
  };
}

/** A preset with the detector and somebody who keeps a ledger, which tells what events are about. */
function besideLedger(kind: AnyKind, options?: Case['options']): Preset {
  const preset = only(kind, options);
  return { ...preset, detectors: { ...preset.detectors, other: { kind: noProgress.kind } } };
}

/** Every answer of a guard over a run. */
function decisions(preset: Preset, kinds: readonly AnyKind[], { events, tools = {} }: Case): Decision[] {
  const guard = createGuard({ preset, detectors: kinds, rulesFor: toolRules(tools) });
  return events.map((event) => guard.accept(event));
}

/** The value, which from now on throws when somebody changes it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The value with one leaf of another type, or one field missing: each way to do so. */
function damaged(value: Json): Json[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [typeof value === 'string' ? 0 : 'damaged'];
  if (isList(value))
    return value.flatMap((item, index) => damaged(item).map((bad) => value.with(index, bad)));
  return Object.entries(value).flatMap(([key, item]) => {
    const { [key]: _, ...rest } = value as { readonly [key: string]: Json };
    return [rest, ...damaged(item).map((bad) => ({ ...value, [key]: bad }))];
  });
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** What every detector must do, over its own loops and healthy runs. */
export function testDetector(kind: AnyKind, { loops, healthy, eager = false }: Suite): void {
  describe(`${kind.kind}, as every detector`, () => {
    it('has as many healthy runs as loops', () => {
      expect(healthy.length).toBeGreaterThanOrEqual(loops.length);
    });

    it('starts with a state that has its shape', () => {
      const { initial, shape } = made(kind);
      expect(resembles(initial, shape)).toBe(true);
    });

    it.each([...loops, ...healthy])('counts: $name', (run) => {
      expect(findings(kind, run).map(({ count }) => count)).toEqual(run.counts);
    });

    it.each(loops)('reports from the threshold on, not before: $name', (run) => {
      const top = Math.max(...run.counts);
      const { maxCount } = made(kind, run.options);
      expect(top).toBeLessThanOrEqual(maxCount);
      for (const at of [top - 1, top, top + 1].filter((n) => n >= 1 && n <= maxCount)) {
        const expected = run.counts.filter((count) => count >= at);
        expect(findings(kind, run, at).map(({ count }) => count)).toEqual(expected);
      }
    });

    it.each(eager ? [] : loops)('finds nothing that no rung asks for: $name', (run) => {
      const top = Math.max(...run.counts);
      const found: number[] = [];
      findings(
        watched(kind, ({ count }) => found.push(count)),
        run,
        top,
      );
      expect(found).toEqual(run.counts.filter((count) => count >= top));
    });

    it.each([...loops, ...healthy])('misses nothing while it sleeps: $name', (run) => {
      const heard = (own: AnyKind) => decisions(besideLedger(own, run.options), [own, noProgress], run);
      expect(heard(kind)).toEqual(heard(sleepless(kind)));
    });

    it.each(loops)('shows at most sixteen calls as evidence, in order: $name', (run) => {
      for (const { evidence, call } of findings(kind, run)) {
        expect(evidence.length).toBeLessThanOrEqual(16);
        expect([...evidence]).toEqual([...evidence].sort((a, b) => a - b));
        expect(evidence.every((seen) => seen > 0 && seen <= call)).toBe(true);
      }
    });

    it.each(loops)('keeps a JSON state that can be saved at any time and is never changed: $name', (run) => {
      const own = compilePlan(only(kind, run.options), {
        kinds: [kind],
        rulesFor: toolRules(run.tools ?? {}),
      });
      const { shape } = made(kind, run.options);
      let state = initialState(own);
      let longest: Json = null;
      const counts: number[] = [];
      for (const event of run.events) {
        const [next, decision] = step(own, state, event);
        if (decision.action !== 'allow') counts.push(decision.finding.count);
        state = frozen(parseState(own, JSON.parse(JSON.stringify(next))));
        const now = state.agents[0]?.detectors.at(-1) as Json;
        expect(resembles(now, shape)).toBe(true);
        if (JSON.stringify(now).length > JSON.stringify(longest).length) longest = now;
      }
      for (const bad of damaged(longest)) expect(resembles(bad, shape)).toBe(false);
      expect(counts).toEqual(run.counts);
    });
  });
}

export const call = (
  tool: string,
  args: Json = {},
  more: { id?: string; agent?: string } = {},
): AgentEvent => ({
  type: 'tool-call',
  tool,
  args,
  ...more,
});
export const result = (tool: string, args: Json, output: Json = '', status = 'ok'): AgentEvent =>
  ({ type: 'tool-result', tool, args, output, status }) as AgentEvent;
/** A call and its result. */
export const did = (tool: string, args: Json = {}, output: Json = '', status = 'ok'): AgentEvent[] => [
  call(tool, args),
  result(tool, args, output, status),
];
export const turn: AgentEvent = { type: 'turn' };
export const user: AgentEvent = { type: 'user' };
export const roundDone: AgentEvent = { type: 'round-done' };

export function repeat<T>(n: number, make: (index: number) => readonly T[]): T[] {
  return Array.from({ length: n }, (_, index) => make(index)).flat();
}
