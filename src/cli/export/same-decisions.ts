import type { AgentEvent } from '../../core/types.ts';
import { createSimulation, type ReplayDecision, type Simulation } from '../replay/simulation.ts';

/** Whether a guard decides the same on two tellings of one run. */
export type Sameness = {
  /** What it decides when its decisions change nothing. */
  readonly decisions: number;
  /** The first call at which it differs; null = nowhere. */
  readonly differsAt: number | null;
};

export type Comparison = {
  feed(original: AgentEvent, exported: AgentEvent, line: number): void;
  end(): Sameness;
};

const PRESET = 'recommended';

/** Runs both under the default guard, once as it would act and once in shadow. */
export function compareDecisions(): Comparison {
  const modes = (['shadow', 'enforce'] as const).map((mode) => ({
    original: createHeard(createSimulation({ preset: PRESET, mode })),
    exported: createHeard(createSimulation({ preset: PRESET, mode })),
  }));
  return {
    feed(original, exported, line) {
      for (const mode of modes) {
        mode.original.feed(original, line);
        mode.exported.feed(exported, line);
      }
    },
    end() {
      const differing = modes.flatMap(({ original, exported }) => {
        const at = firstDifference(original.end(), exported.end());
        return at === null ? [] : [at];
      });
      const decisions = modes[0]?.original.decisions.length ?? 0;
      return { decisions, differsAt: differing.length === 0 ? null : Math.min(...differing) };
    },
  };
}

type Heard = {
  readonly decisions: readonly ReplayDecision[];
  feed(event: AgentEvent, line: number): void;
  end(): readonly ReplayDecision[];
};

function createHeard(simulation: Simulation): Heard {
  const decisions: ReplayDecision[] = [];
  return {
    decisions,
    feed(event, line) {
      decisions.push(...simulation.feed(event, line));
    },
    end() {
      decisions.push(...simulation.end());
      return decisions;
    },
  };
}

function firstDifference(one: readonly ReplayDecision[], other: readonly ReplayDecision[]): number | null {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [a, b] = [one[index], other[index]];
    if (a === undefined || b === undefined) return (a ?? b)?.call ?? 0;
    if (keyOf(a) !== keyOf(b)) return Math.min(a.call, b.call);
  }
  return null;
}

/** Not the subject, which has a digest of the arguments in it. */
function keyOf({ call, action, detector, count }: ReplayDecision): string {
  return `${call} ${action} ${detector} ${count}`;
}
