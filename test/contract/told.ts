import {
  type AgentEvent,
  type AnyKind,
  compilePlan,
  initialState,
  type Json,
  step,
} from '../../src/core/index.ts';
import { only } from './detector.ts';

/** The counts that a detector itself tells when nothing below `floor` is asked for, and the states it goes through; what throws is thrown. */
export function told(
  kind: AnyKind,
  events: readonly AgentEvent[],
  floor = 1,
  options: { readonly [option: string]: Json } = {},
): { readonly counts: readonly number[]; readonly states: readonly Json[] } {
  const counts: number[] = [];
  const states: Json[] = [];
  const spied: AnyKind = {
    ...kind,
    create(name, own, context) {
      const detector = kind.create(name, own, { ...context, floor });
      return {
        ...detector,
        reduce(state, entry, fact) {
          const answer = detector.reduce(state, entry, fact);
          if (answer !== null) states.push(answer[0]);
          if (answer?.[1]) counts.push(answer[1].count);
          return answer;
        },
      };
    },
  };
  const plan = compilePlan(only(spied, options), { kinds: [spied] });
  let state = initialState(plan);
  for (const event of events) [state] = step(plan, state, event);
  return { counts, states };
}
