import { type Outcome, outcomeOf } from '../core/events.ts';
import type { ToolCall } from '../core/guard.ts';
import { stronger } from '../core/ladder.ts';
import type {
  AgentEvent,
  Decision,
  GuardState,
  SwarmTallyEvent,
  ToolCallEvent,
  ToolResultEvent,
} from '../core/types.ts';
import { guardFace, type StoredGuard, type UseGuard } from '../stores/stored-guard.ts';
import type { Member } from './member.ts';
import type { CallListener, Seat, Tallies } from './seat.ts';
import type { HeardCall } from './worker-notes.ts';

/** A guard that knows what the rest of its swarm is doing. */
export type SwarmGuard = StoredGuard & { readonly swarm: Member };

export type SwarmGuardParts = {
  readonly use: UseGuard;
  readonly emptyState: () => GuardState;
  readonly listener: CallListener;
  readonly member: Member;
  readonly seat: Seat;
};

/** `heard` = the call, if it is worth counting; `call` = its number. */
type Judged = { readonly decision: Decision; readonly heard: HeardCall | null; readonly call: number };

const ALLOW: Decision = { action: 'allow' };

export function swarmGuard({ use, emptyState, listener, member, seat }: SwarmGuardParts): SwarmGuard {
  const face = guardFace(use, emptyState);

  /** What the guard says to what the swarm has come to. */
  async function heed(events: readonly SwarmTallyEvent[], call: number | null): Promise<Decision> {
    const using = use(
      (guard) => {
        let decision: Decision = ALLOW;
        for (const event of events) decision = stronger(decision, guard.accept(event));
        if (decision.action === 'block' && call !== null) guard.accept(settled(call, decision.message));
        return decision;
      },
      events[0],
      ALLOW,
    );
    const decided = using instanceof Promise ? await using : using;
    for (const event of events) seat.log(event);
    if (decided.action === 'block' && call !== null) seat.log(settled(call, decided.message));
    return decided.action === 'allow' || call === null ? decided : { ...decided, call };
  }

  /** The stronger of what the guard has decided by itself and what it says to the tallies. */
  function heeded(decision: Decision, asked: Tallies, call: number | null): Promise<Decision> {
    return asked.then((events) =>
      events.length === 0 ? decision : heed(events, call).then((more) => stronger(decision, more)),
    );
  }

  function onCall(event: ToolCallEvent): Promise<Decision> {
    const using = use(
      (guard) => {
        listener.take();
        const decision = guard.accept(event);
        return { decision, heard: listener.take(), call: guard.calls };
      },
      event,
      { decision: ALLOW, heard: null, call: 0 },
    );
    return using instanceof Promise ? using.then((judged) => ask(event, judged)) : ask(event, using);
  }

  function ask(event: ToolCallEvent, { decision, heard, call }: Judged): Promise<Decision> {
    seat.log(event);
    if (heard === null || decision.action === 'block' || decision.action === 'halt')
      return Promise.resolve(decision);
    return heeded(decision, seat.called(event, heard), call);
  }

  async function onResult(event: ToolResultEvent, outcome: Outcome): Promise<Decision> {
    const ended = { ...event, ...outcome };
    const decision = await use((guard) => guard.accept(ended), event, ALLOW);
    seat.log(ended);
    const asked = seat.ended(event, outcome);
    return asked === null ? decision : heeded(decision, asked, null);
  }

  async function accept(event: AgentEvent): Promise<Decision> {
    if (event?.type === 'tool-call') return onCall(event);
    if (event?.type === 'tool-result') return onResult(event, outcomeOf(event));
    const decision = await use((guard) => guard.accept(event), event, ALLOW);
    seat.log(event);
    const asked = seat.told(event);
    return asked === null ? decision : heeded(decision, asked, null);
  }

  return {
    swarm: member,
    before: (call) => onCall(callEvent(call)),
    async after(call, result) {
      return result === undefined ? ALLOW : onResult(resultEvent(call), outcomeOf(result));
    },
    accept,
    delivered: async (agent) => {
      seat.log({ type: 'control', do: 'delivered', agent });
      await face.delivered(agent);
    },
    grant: async (n) => {
      seat.log({ type: 'control', do: 'grant', n });
      await face.grant(n);
    },
    reset: () => face.reset(),
    get calls() {
      return face.calls;
    },
    get state() {
      return face.state;
    },
  };
}

function callEvent(call: ToolCall): ToolCallEvent {
  const { id, tool, args = null, agent, at } = call ?? {};
  return { type: 'tool-call', id, tool, args, agent, at };
}

function resultEvent(call: ToolCall): ToolResultEvent {
  const { id, tool, args, agent } = call ?? {};
  return { type: 'tool-result', id, tool, args, agent, status: 'unknown', output: '' };
}

/** A call that is not run has its result already. */
function settled(call: number, message: string): ToolResultEvent {
  return { type: 'tool-result', call, status: 'blocked', output: message };
}
