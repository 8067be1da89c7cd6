import { outcomeOf } from '../../core/events.ts';
import type { Guard } from '../../core/guard.ts';
import { stronger } from '../../core/ladder.ts';
import type { AgentEvent, Decision } from '../../core/types.ts';
import { createGuard, type Options } from '../../index.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import { DEFAULT_PRESET, detectorKinds, presetOf } from '../../presets/registry.ts';
import { withSwarm } from '../../presets/swarm-rules.ts';
import { NO_CONTROL } from '../../stores/board.ts';
import { createTallies } from '../../stores/tallies.ts';
import { callListener, talliesOf } from '../../swarm/seat.ts';
import { resolveSwarm } from '../../swarm/swarm-options.ts';
import { tellingTallies } from '../../swarm/telling-tallies.ts';
import { type Told, workerNotes } from '../../swarm/worker-notes.ts';

/** Recordings as workers of one swarm. What they have come to is counted here, by the times that they tell. */
export type Fleet = {
  /** The guard of a worker. `isCounted` = its recording holds the tallies already, as the swarm told them live. */
  guard(worker: string, options: Options, isCounted: boolean): Guard;
};

export function createFleet(): Fleet {
  const tallies = createTallies(null, () => 'replay');
  let number = 1;
  let now = 0;

  return {
    guard(worker, { preset = DEFAULT_PRESET, ...options }, isCounted) {
      const swarm = resolveSwarm({ name: 'replay', worker });
      const whole = withSwarm(presetOf(preset));
      if (isCounted) return createGuard({ ...options, preset: whole });
      const listener = callListener();
      const guard = createGuard({ ...options, preset: whole, swarm: { tally: listener.tally, worker } });
      const notes = workerNotes({ swarm, worker, digestText: fastDigestText });
      const isTelling = tellingTallies(whole, options.tools, (kind) =>
        detectorKinds.some((known) => known.kind === kind),
      );

      function told(event: AgentEvent, decision: Decision): Told | null {
        if (event.type === 'tool-result') return notes.ofResult(event, outcomeOf(event));
        if (event.type !== 'tool-call') return notes.ofOther(event);
        const heard = listener.take();
        const runs = decision.action !== 'block' && decision.action !== 'halt';
        return heard !== null && runs ? notes.ofCall(event, heard) : null;
      }

      /** What the swarm makes of an event that the guard has taken. */
      function heed(event: AgentEvent, decision: Decision): Decision {
        const all = told(event, decision);
        if (all === null || all.quiet.length + all.asked.length === 0) return decision;
        const list = [...all.quiet, ...all.asked];
        now = Math.max(now, event.at ?? now);
        const request = { member: 'replay', first: number, resent: 0, born: '', control: NO_CONTROL };
        const answer = tallies.tell({ ...request, notes: list, windowMs: swarm.windowMs }, now);
        number += list.length;
        const counts = answer.counts.slice(all.quiet.length);
        const { totals, control } = answer;
        const { calls: call } = guard;
        let strongest = decision;
        for (const tally of talliesOf(
          all.asked,
          { counts, totals, control, local: false },
          all.about,
          isTelling,
        ))
          strongest = stronger(strongest, guard.accept(tally));
        if (strongest.action === 'block' && event.type === 'tool-call')
          guard.accept({ type: 'tool-result', call, status: 'blocked', output: strongest.message });
        return strongest;
      }

      const face: Pick<Guard, 'accept'> = {
        accept(event) {
          listener.take();
          return heed(event, guard.accept(event));
        },
      };
      return Object.create(guard, Object.getOwnPropertyDescriptors(face)) as Guard;
    },
  };
}
