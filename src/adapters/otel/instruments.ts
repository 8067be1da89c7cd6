import type { Intervention } from '../../core/types.ts';
import type { Attributes, Meter } from './api.ts';

/** What is counted. */
export type Instruments = {
  decided(decision: Intervention, tool: string | undefined, mode: string): void;
  failed(error: unknown): void;
};

/** A model may call tools by any name: beyond so many they are counted together. */
const MAX_TOOLS = 100;
const OTHERS = 'other';
/** Bounds of the counts at which decisions are made. */
const BOUNDS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 50, 100];

/** By meter: a program may make a guard for every conversation, and all of them count together. */
const known = new WeakMap<Meter, Instruments>();

export function instrumentsOf(meter: Meter): Instruments {
  const instruments = known.get(meter) ?? createInstruments(meter);
  known.set(meter, instruments);
  return instruments;
}

function createInstruments(meter: Meter): Instruments {
  const tools = new Set<string>();
  const decisions = meter.createCounter('deloop.decisions', {
    description: 'Decisions other than allow',
    unit: '{decision}',
  });
  const repeats = meter.createHistogram('deloop.repeats', {
    description: 'How often a thing had happened when a decision was made on it',
    unit: '{occurrence}',
    advice: { explicitBucketBoundaries: BOUNDS },
  });
  const errors = meter.createCounter('deloop.errors', {
    description: 'Errors that the guard has gone on from',
    unit: '{error}',
  });

  function named(tool: string): string {
    if (tools.size < MAX_TOOLS) tools.add(tool);
    return tools.has(tool) ? tool : OTHERS;
  }

  return {
    decided({ action, level, finding: { detector, count } }, tool, mode) {
      const about: Attributes = { 'deloop.action': action, 'deloop.detector': detector, 'deloop.mode': mode };
      decisions.add(1, {
        ...about,
        ...(level !== undefined && { 'deloop.level': level }),
        ...(tool !== undefined && { 'gen_ai.tool.name': named(tool) }),
      });
      repeats.record(count, about);
    },
    failed(error) {
      errors.add(1, { 'error.type': error instanceof Error ? error.name : '_OTHER' });
    },
  };
}
