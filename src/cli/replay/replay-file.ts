import type { AgentEvent } from '../../core/types.ts';
import type { Options } from '../../index.ts';
import type { Fleet } from './fleet.ts';
import { createSimulation, type ReplayDecision, type Simulation, simulationOn } from './simulation.ts';

export type ReplayOptions = Options & {
  /** Go on after a halt, as if the host had ignored it. */
  readonly through?: boolean;
  /** The swarm that the recording is a worker of, and its name there. */
  readonly fleet?: Fleet | undefined;
  readonly worker?: string | undefined;
};

/** What came of one recording. */
export type Summary = {
  readonly calls: number;
  readonly decisions: number;
  readonly firstAction: ReplayDecision['action'] | null;
  readonly firstCall: number | null;
  /** A halt was decided, whether or not the replay went on. */
  readonly halted: boolean;
};

export type TraceEvent = { readonly line: number; readonly event: AgentEvent };

/** Feeds a recording through a guard; each decision is told as it falls. */
export async function replay(
  given: AsyncIterable<TraceEvent> | Iterable<TraceEvent>,
  options: ReplayOptions,
  tell: (decision: ReplayDecision) => void | Promise<void>,
): Promise<Summary> {
  const { through = false, fleet, worker = 'worker', ...guardOptions } = options;
  const events = fleet === undefined ? given : await collected(given);
  const simulation =
    fleet === undefined
      ? createSimulation(guardOptions)
      : simulationIn(fleet, worker, guardOptions, events as readonly TraceEvent[]);
  let decisions = 0;
  let first: ReplayDecision | null = null;
  let halted = false;

  async function tellAll(found: readonly ReplayDecision[]): Promise<void> {
    for (const decision of found) {
      decisions += 1;
      first ??= decision;
      if (decision.action === 'halt') halted = true;
      await tell(decision);
    }
  }
  const summary = (): Summary => ({
    calls: simulation.calls,
    decisions,
    firstAction: first?.action ?? null,
    firstCall: first?.call ?? null,
    halted,
  });

  for await (const { line, event } of events) {
    const found = simulation.feed(event, line);
    if (found.length > 0) await tellAll(found);
    if (halted && !through) return summary();
  }
  await tellAll(simulation.end());
  return summary();
}

/** Whether the swarm was counted live is known only when all was read. */
async function collected(events: AsyncIterable<TraceEvent> | Iterable<TraceEvent>): Promise<TraceEvent[]> {
  const all: TraceEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function simulationIn(
  fleet: Fleet,
  worker: string,
  options: Options,
  events: readonly TraceEvent[],
): Simulation {
  const isCounted = events.some(({ event }) => event.type === 'swarm-tally');
  return simulationOn(
    (onDecision) => fleet.guard(worker, { ...options, onDecision }, isCounted),
    (options.mode ?? 'enforce') === 'enforce',
  );
}
