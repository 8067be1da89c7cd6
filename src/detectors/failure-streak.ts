import { FAILURES } from '../core/endings.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { clears } from './clearing.ts';
import { commandOf } from './shell.ts';

export type FailureStreakOptions = {
  /** The tools it watches; empty = every tool. */
  readonly tools: readonly string[];
  /** Endings that count as failures. */
  readonly failures: readonly string[];
  /** Tools whose success ends the streaks of all tools. */
  readonly clearedBy: readonly string[];
  /** Tools for which failing is part of the work, as the fact `tolerant`. */
  readonly tolerant: readonly string[];
  /** Whether a granted continuation forgives the failures so far. */
  readonly grant: 'forgives' | 'ignored';
};

const MAX_TOOLS = 16;
const MAX_CALLS = 4;
const UNBOUNDED = 1_000_000;

type Row = readonly [tool: number, count: number, calls: readonly number[]];
type State = readonly Row[];
const INITIAL: State = [];
/** Programs that read or write files where a tool of the agent could do it. */
const FILE_PROGRAM = /^\s*(?:cat|echo|sed|printf|tee|touch|head|tail)\b/;

/** One tool failing again and again, whatever the arguments; other tools neither count nor break it. */
export const failureStreak: DetectorKind<'failure-streak', FailureStreakOptions> = {
  kind: 'failure-streak',
  defaults: {
    tools: [],
    failures: FAILURES,
    clearedBy: [],
    tolerant: [],
    grant: 'forgives',
  },
  create(name, { tools, failures, clearedBy, tolerant, grant }, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['tool-result', 'control'],
      needs: [],
      initial: INITIAL,
      shape: [[0, 0, [0]]],
      maxCount: UNBOUNDED,
      failures: true,
      note(call) {
        if (tools.length > 0 && !tools.includes(call.tool)) return null;
        return FILE_PROGRAM.test(commandOf(call) ?? '') ? true : null;
      },
      observe(_event, noted) {
        return noted;
      },
      reduce(state, entry, fileProgram) {
        const { event, tool, status, call } = entry;
        if (event === 'control') return grant === 'forgives' ? [INITIAL, null] : null;
        if (clearedBy.length > 0 && clears(entry, clearedBy)) return [INITIAL, null];
        if (tools.length > 0 && !tools.includes(tool)) return null;
        const failed = failures.includes(status);
        if (!failed && status !== 'ok') return null;
        const key = digestText(tool);
        const known = state.find((row) => row[0] === key);
        const others = known === undefined ? state : state.filter((row) => row !== known);
        if (!failed) return known === undefined ? null : [others, null];
        const count = (known?.[1] ?? 0) + 1;
        const calls = [...(known?.[2] ?? []), call].slice(-MAX_CALLS);
        const next: State = [[key, count, calls], ...others.slice(0, MAX_TOOLS - 1)];
        if (count < floor) return [next, null];
        const facts = {
          tool,
          fileProgram: fileProgram === true,
          ...(tolerant.length > 0 && { tolerant: tolerant.includes(tool) }),
        };
        return [next, { detector: name, subject: tool, count, evidence: calls, facts }];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const failureStreakDescribed: DescribedKind = /* @__PURE__ */ described(failureStreak, {
  about: 'One tool that fails again and again, whatever its arguments.',
  options: {
    tools: { type: 'names', about: 'The tools it watches; empty = every tool.' },
    failures: {
      type: 'names',
      about: 'The statuses that count as failures.',
    },
    clearedBy: { type: 'names', about: 'Tools whose success ends the streaks of all tools.' },
    tolerant: {
      type: 'names',
      about: 'Tools for which failing is part of the work, as the fact `tolerant`.',
    },
    grant: {
      type: 'choice',
      of: ['forgives', 'ignored'],
      about: 'Whether a granted continuation starts the counts anew.',
    },
  } satisfies OptionSpecs<FailureStreakOptions>,
});
