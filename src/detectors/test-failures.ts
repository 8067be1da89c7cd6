import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { commandOf } from './shell.ts';
import { UNBOUNDED } from './streak.ts';
import { extended } from './trail.ts';

export type TestFailuresOptions = {
  /** The tools that run tests. */
  readonly tools: readonly string[];
};

const TEST_COMMAND = /test|jest/;
const PASSED = /\d passed|PASSED/;
/** `0 failed` is no failure, though attocode takes it for one. */
const FAILED = /[1-9] failed|\d\d failed|FAILED|ERROR/;

type State = { readonly count: number; readonly calls: readonly number[] };
const INITIAL: State = { count: 0, calls: [] };

/** Test runs that fail again and again, whatever was edited in between. */
export const testFailures: DetectorKind<'test-failures', TestFailuresOptions> = {
  kind: 'test-failures',
  defaults: { tools: ['bash'] },
  create(name, { tools }, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-result'],
      needs: [],
      initial: INITIAL,
      shape: { count: 0, calls: [0] },
      maxCount: UNBOUNDED,
      failures: true,
      note(call) {
        return tools.includes(call.tool) && TEST_COMMAND.test(commandOf(call) ?? '') ? true : null;
      },
      observe(event, isTest) {
        if (event.type !== 'tool-result' || isTest === null || typeof event.output !== 'string') return null;
        if (FAILED.test(event.output)) return true;
        return PASSED.test(event.output) ? false : null;
      },
      reduce(state, { call }, failed) {
        if (failed === null) return null;
        if (failed === false) return [INITIAL, null];
        const count = state.count + 1;
        const next = { count, calls: extended(state.calls, call) };
        return [
          next,
          count < floor ? null : { detector: name, subject: 'tests', count, evidence: next.calls },
        ];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const testFailuresDescribed: DescribedKind = /* @__PURE__ */ described(testFailures, {
  about: 'Test runs that fail again and again, whatever was edited in between.',
  options: {
    tools: { type: 'names', about: 'The tools that run tests.' },
  } satisfies OptionSpecs<TestFailuresOptions>,
});
