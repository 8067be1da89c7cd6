import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readTrace } from '../transcripts/trace.ts';
import type { TraceEvent } from './replay/replay-file.ts';

/** A run that comes with the package, and what its first line says about it. */
export type Recording = {
  readonly file: string;
  readonly events: readonly TraceEvent[];
  readonly task: string;
  readonly outcome: string;
  /** The call from which on the agent goes round in circles; 0 = it never does. */
  readonly onset: number;
};

/** The recordings are as far from the built file as from this one. */
const FOLDER = new URL('../../examples/recordings/', import.meta.url);

export async function readRecording(name: string): Promise<Recording> {
  const file = fileURLToPath(new URL(name, FOLDER));
  const events: TraceEvent[] = [];
  let session: { readonly [field: string]: unknown } = {};
  for await (const item of readTrace(createReadStream(file))) {
    if ('event' in item) events.push(item);
    else if ('record' in item && item.record['type'] === 'session') session = item.record;
  }
  const { task, outcome, onset } = session;
  return {
    file: name,
    events,
    task: String(task ?? ''),
    outcome: String(outcome ?? ''),
    onset: typeof onset === 'number' ? onset : 0,
  };
}
