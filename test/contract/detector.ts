import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  type AnyKind,
  compilePlan,
  createGuard,
  type Finding,
  initialState,
  type Json,
  type Preset,
  parseState,
  step,
} from '../../src/core/index.ts';
import { resembles } from '../../src/core/snapshot.ts';

export type Case = {
  readonly name: string;
  readonly options?: { readonly [option: string]: Json };
  readonly events: readonly AgentEvent[];
  /** The counts it reports, in order, when every count is asked for. */
  readonly counts: readonly number[];
};

type Suite = {
  readonly loops: readonly Case[];
  /** Runs that must stay below the threshold of every preset: as many as there are loops. */
  readonly healthy: readonly Case[];
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

/** Every finding of a run, with the number of the call at which it was made. */
export function findings(
  kind: AnyKind,
  { events, options }: Pick<Case, 'events' | 'options'>,
  at = 1,
): (Finding & { call: number })[] {
  const seen: (Finding & { call: number })[] = [];
  const guard = createGuard({
    preset: only(kind, options, at),
    detectors: [kind],
    onDecision: ({ finding, call }) => seen.push({ ...finding, call }),
    onError: (error) => {
      throw error;
    },
  });
  for (const event of events) guard.accept(event);
  return seen;
}

/** What every detector must do, over its own loops and healthy runs. */
export function testDetector(kind: AnyKind, { loops, healthy }: Suite): void {
  const plan = compilePlan(only(kind), { kinds: [kind] });
  const detector = plan.detectors.at(-1);

  describe(`${kind.kind}, as every detector`, () => {
    it('has as many healthy runs as loops', () => {
      expect(healthy.length).toBeGreaterThanOrEqual(loops.length);
    });

    it('starts with a state that has its shape', () => {
      expect(resembles(detector?.initial, detector?.shape as Json)).toBe(true);
    });

    it.each([...loops, ...healthy])('counts: $name', (run) => {
      expect(findings(kind, run).map(({ count }) => count)).toEqual(run.counts);
    });

    it.each(loops)('reports from the threshold on, not before: $name', (run) => {
      const top = Math.max(...run.counts);
      const maxCount =
        compilePlan(only(kind, run.options), { kinds: [kind] }).detectors.at(-1)?.maxCount ?? 0;
      for (const at of [top - 1, top, top + 1].filter((n) => n >= 1 && n <= maxCount)) {
        const expected = run.counts.filter((count) => count >= at);
        expect(findings(kind, run, at).map(({ count }) => count)).toEqual(expected);
      }
    });

    it.each(loops)('shows at most sixteen calls as evidence, in order: $name', (run) => {
      for (const { evidence, call } of findings(kind, run)) {
        expect(evidence.length).toBeLessThanOrEqual(16);
        expect([...evidence]).toEqual([...evidence].sort((a, b) => a - b));
        expect(evidence.every((seen) => seen > 0 && seen <= call)).toBe(true);
      }
    });

    it.each(loops)('keeps a JSON state that can be saved at any time: $name', (run) => {
      const own = compilePlan(only(kind, run.options), { kinds: [kind] });
      let state = initialState(own);
      const counts: number[] = [];
      for (const event of run.events) {
        const [next, decision] = step(own, state, event);
        if (decision.action !== 'allow') counts.push(decision.finding.count);
        state = parseState(own, JSON.parse(JSON.stringify(next)));
        expect(resembles(state.agents[0]?.detectors.at(-1), own.detectors.at(-1)?.shape as Json)).toBe(true);
      }
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
