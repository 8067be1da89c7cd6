import assert from 'node:assert/strict';
import { createGuard } from '../core/guard.ts';
import { compilePlan } from '../core/plan.ts';
import type { AnyKind, Preset } from '../core/preset.ts';
import { parseState, resembles } from '../core/snapshot.ts';
import { initialState, step } from '../core/step.ts';
import { toolRules } from '../core/tools.ts';
import type { Decision, Finding, Json } from '../core/types.ts';
import { detectorKinds } from '../presets/registry.ts';
import { type Case, findings, made, only } from './detector-runs.ts';
import type { Runner } from './runner.ts';

/** A detector that keeps a ledger. */
const beside = detectorKinds.find(({ kind }) => kind === 'no-progress') as AnyKind;

export type DetectorSuite = {
  readonly loops: readonly Case[];
  /** Runs that must stay below the threshold of every preset: as many as there are loops. */
  readonly healthy: readonly Case[];
  /** It finds what no rung asks for, too: so rarely that it costs nothing. */
  readonly eager?: boolean;
};

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
  return { ...preset, detectors: { ...preset.detectors, other: { kind: beside.kind } } };
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

const countsOf = (found: readonly Finding[]) => found.map(({ count }) => count);
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** What every detector must do, over its own loops and healthy runs. */
export function testDetector(
  kind: AnyKind,
  { loops, healthy, eager = false }: DetectorSuite,
  { describe, it }: Runner,
): void {
  const each = (runs: readonly Case[], what: string, check: (run: Case) => void) => {
    for (const run of runs) it(`${what}: ${run.name}`, () => check(run));
  };
  describe(`${kind.kind}, as every detector`, () => {
    it('has as many healthy runs as loops', () => {
      assert.ok(healthy.length >= loops.length);
    });

    it('starts with a state that has its shape', () => {
      const { initial, shape } = made(kind);
      assert.ok(resembles(initial, shape));
    });

    each([...loops, ...healthy], 'counts', (run) => {
      assert.deepEqual(countsOf(findings(kind, run)), run.counts);
    });

    each(loops, 'reports from the threshold on, not before', (run) => {
      const top = Math.max(...run.counts);
      const { maxCount } = made(kind, run.options);
      assert.ok(top <= maxCount);
      for (const at of [top - 1, top, top + 1].filter((n) => n >= 1 && n <= maxCount)) {
        const expected = run.counts.filter((count) => count >= at);
        assert.deepEqual(countsOf(findings(kind, run, at)), expected);
      }
    });

    each(eager ? [] : loops, 'finds nothing that no rung asks for', (run) => {
      const top = Math.max(...run.counts);
      const found: number[] = [];
      findings(
        watched(kind, ({ count }) => found.push(count)),
        run,
        top,
      );
      assert.deepEqual(
        found,
        run.counts.filter((count) => count >= top),
      );
    });

    each([...loops, ...healthy], 'misses nothing while it sleeps', (run) => {
      const heard = (own: AnyKind) => decisions(besideLedger(own, run.options), [own, beside], run);
      assert.deepEqual(heard(kind), heard(sleepless(kind)));
    });

    each(loops, 'shows at most sixteen calls as evidence, in order', (run) => {
      for (const { evidence, call } of findings(kind, run)) {
        assert.ok(evidence.length <= 16);
        assert.deepEqual(
          evidence,
          evidence.toSorted((a, b) => a - b),
        );
        assert.ok(evidence.every((seen) => seen > 0 && seen <= call));
      }
    });

    each(loops, 'keeps a JSON state that can be saved at any time and is never changed', (run) => {
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
        assert.ok(resembles(now, shape));
        if (JSON.stringify(now).length > JSON.stringify(longest).length) longest = now;
      }
      for (const bad of damaged(longest)) assert.ok(!resembles(bad, shape));
      assert.deepEqual(counts, run.counts);
    });
  });
}
