import assert from 'node:assert/strict';
import { createGuard } from '../core/guard.ts';
import { compilePlan } from '../core/plan.ts';
import type { AnyKind, Preset } from '../core/preset.ts';
import { parseState } from '../core/snapshot.ts';
import { initialState, step } from '../core/step.ts';
import type { AgentEvent, Decision, GuardState, Json } from '../core/types.ts';
import { detectorKinds } from '../presets/registry.ts';
import type { Runner } from './runner.ts';

/** A call in a response of its own, with its result. */
const did = (n: number, tool: string, args: Json, output: Json, status: 'ok' | 'error'): AgentEvent[] => [
  { type: 'turn', text: `Step ${n}: I call ${tool}.` },
  { type: 'tool-call', id: `c${n}`, tool, args },
  { type: 'tool-result', id: `c${n}`, tool, args, output, status },
];
/** Work that gets on: other files, other findings, now and then a change. */
const healthy: readonly AgentEvent[] = Array.from({ length: 12 }, (_, n) =>
  n % 4 === 3
    ? did(n, 'edit_file', { path: `src/part-${n}.ts`, text: `export const part${n} = ${n};` }, 'Done.', 'ok')
    : did(n, 'read_file', { path: `src/part-${n}.ts` }, `export const part${n} = ${n * 7919};`, 'ok'),
).flat();
/** The same again and again, then the same failure again and again. */
const loops: readonly AgentEvent[] = Array.from({ length: 60 }, (_, n) => {
  const same = { path: 'src/a.ts', command: 'npm test' };
  if (n % 20 < 10) return did(n, 'read_file', same, 'export const a = 1;', 'ok');
  return did(n, n % 2 === 0 ? 'bash' : 'grep', same, 'Error: a is not defined', 'error');
}).flat();
const HOLE = /\{[a-z]+\}/i;

/** What every preset must do. `detectors` = the kinds that it uses beside those of deloop. */
export function testPreset(
  preset: Preset,
  { describe, it }: Runner,
  { detectors = [] }: { readonly detectors?: readonly AnyKind[] } = {},
): void {
  const kinds = [...detectors, ...detectorKinds];

  function answersTo(events: readonly AgentEvent[], given = preset): readonly Decision[] {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: given, detectors: kinds, onError: (error) => errors.push(error) });
    const answers = events.map((event) => guard.accept(event));
    assert.deepEqual(errors, []);
    return answers;
  }

  /** The answers when the state goes through `kept` after every event. */
  function stepwise(kept: (state: GuardState) => GuardState): readonly Decision[] {
    const plan = compilePlan(preset, { kinds });
    let state = initialState(plan);
    return loops.map((event) => {
      const [next, answer] = step(plan, state, event);
      state = kept(next);
      return answer;
    });
  }

  describe(`${preset.name}, as every preset`, () => {
    it('is plain JSON, and does the same when it was read from JSON', () => {
      const read = JSON.parse(JSON.stringify(preset)) as Preset;
      assert.deepEqual(answersTo(loops, read), answersTo(loops));
    });

    it('leaves work alone that gets on', () => {
      const spoken = answersTo(healthy).filter(({ action }) => action !== 'allow' && action !== 'observe');
      assert.deepEqual(spoken, []);
    });

    it('says what it says without holes', () => {
      for (const answer of answersTo(loops)) {
        if (answer.action === 'allow') continue;
        assert.ok(answer.action === 'observe' || answer.message !== '');
        assert.doesNotMatch(answer.message, HOLE);
      }
    });

    it('goes on from a state that was saved after any event as if nothing had happened', () => {
      const plan = compilePlan(preset, { kinds });
      const saved = (state: GuardState) => parseState(plan, JSON.parse(JSON.stringify(state)));
      assert.deepEqual(
        stepwise(saved),
        stepwise((state) => state),
      );
    });
  });
}
