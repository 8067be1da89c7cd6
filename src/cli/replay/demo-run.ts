import type { Preset } from '../../core/preset.ts';
import type { Recording } from '../recordings.ts';
import { replay, type Summary } from './replay-file.ts';
import type { ReplayDecision } from './simulation.ts';

/** One guard over one recording. */
export type DemoRun = {
  readonly file: string;
  readonly preset: string;
  /** Calls of the whole recording. */
  readonly calls: number;
  readonly summary: Summary;
  /** The strongest thing done at each call. */
  readonly marks: ReadonlyMap<number, ReplayDecision['action']>;
  /** Calls that were blocked, or never made because the run had been halted. */
  readonly spared: number;
  /** The first of each kind of step, in words. */
  readonly told: string;
};

const STRENGTH: readonly ReplayDecision['action'][] = ['nudge', 'ask', 'block', 'halt'];

export async function demoRun(recording: Recording, preset: Preset): Promise<DemoRun> {
  const marks = new Map<number, ReplayDecision['action']>();
  const firsts = new Map<ReplayDecision['action'], number>();
  // Nobody is there to answer: what would ask halts.
  const summary = await replay(recording.events, { preset, attended: false }, ({ action, call }) => {
    const before = marks.get(call);
    if (before === undefined || STRENGTH.indexOf(action) > STRENGTH.indexOf(before)) marks.set(call, action);
    if (!firsts.has(action)) firsts.set(action, call);
  });
  const calls = recording.events.filter(({ event }) => event.type === 'tool-call').length;
  const blocked = [...marks.values()].filter((action) => action === 'block').length;
  return {
    file: recording.file,
    preset: preset.name,
    calls,
    summary,
    marks,
    spared: blocked + calls - summary.calls,
    told: [...firsts].map(([action, call]) => `${action} at ${call}`).join(', ') || 'silent',
  };
}
