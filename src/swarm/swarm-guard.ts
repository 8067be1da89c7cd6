import type { DigestText } from '../core/digest-text.ts';
import { type Outcome, outcomeOf } from '../core/events.ts';
import type { Guard, Tally, ToolCall } from '../core/guard.ts';
import { ACTIONS } from '../core/ladder.ts';
import { swarmKey } from '../core/tally.ts';
import type {
  Action,
  AgentEvent,
  Decision,
  GuardState,
  Json,
  SwarmTallyEvent,
  ToolCallEvent,
  ToolResultEvent,
  Usage,
} from '../core/types.ts';
import type { Note } from '../stores/board.ts';
import { guardFace, type StoredGuard, type UseGuard } from '../stores/stored-guard.ts';
import { type Member, tallyEvent } from './member.ts';
import { outcomeReader } from './outcome.ts';
import type { ResolvedSwarm } from './swarm-options.ts';

/** A guard that knows what the rest of its swarm is doing. */
export type SwarmGuard = StoredGuard & { readonly swarm: Member };

/** Hears which calls are worth counting, as the guard decides it: not those of tools that are declared to repeat, nor a call that is presented again. */
export type CallListener = { readonly tally: Tally; take(): Heard | null };
type Heard = { readonly key: string; readonly tool: string; readonly args: Json };

export function callListener(): CallListener {
  let heard: Heard | null = null;
  return {
    tally: {
      record(_, tool, args) {
        heard = { key: swarmKey(tool, args), tool, args };
        return null;
      },
    },
    take() {
      const last = heard;
      heard = null;
      return last;
    },
  };
}

export type SwarmGuardParts = {
  readonly use: UseGuard;
  readonly emptyState: () => GuardState;
  readonly listener: CallListener;
  readonly member: Member;
  readonly swarm: ResolvedSwarm;
  readonly digestText: DigestText;
  /** Every tally costs a change of a stored state: those that say nothing are left out. */
  readonly sparing: boolean;
};

type OpenCall = Heard & { readonly id: string | undefined; readonly agent: string | undefined };
type Counted = Exclude<Note, { readonly kind: 'spend' | 'result' }>;

const ALLOW: Decision = { action: 'allow' };
/** Calls whose results are awaited. */
const MAX_OPEN = 64;
const MAX_NAME = 64;
const MILLION = 1_000_000;

export function swarmGuard(parts: SwarmGuardParts): SwarmGuard {
  const { use, emptyState, listener, member, swarm, digestText, sparing } = parts;
  const { worker, prices } = swarm;
  const face = guardFace(use, emptyState);
  const readOutcome = outcomeReader(digestText, swarm.shareErrors);
  const isSpawn = matcher(swarm.spawnTools);
  const isHandoff = matcher(swarm.handoffTools);
  const open: OpenCall[] = [];

  /** The host's own error must not reach it. */
  function onEvent(event: AgentEvent): void {
    try {
      swarm.onEvent?.(event);
    } catch {
      // There is nobody left to tell.
    }
  }

  function nameOf(agent: string | undefined): string {
    return (agent === undefined || agent === '' ? worker : `${worker}/${agent}`).slice(0, MAX_NAME);
  }

  /** `/name` is another worker, anything else an agent of this one. */
  function targetOf(to: string): string {
    return to.startsWith('/') ? to.slice(1, MAX_NAME + 1) : nameOf(to);
  }

  function spawnNote(agent: string | undefined, to: string, depth = swarm.depth): Counted {
    return { kind: 'spawn', worker: nameOf(agent), to: targetOf(to), depth, limits: swarm.spawn };
  }

  /** What a call of a tool is for the swarm beside the call itself. */
  function movesOf({ tool, agent, id }: ToolCallEvent): readonly Counted[] {
    const to = isHandoff(tool);
    if (to !== null) return [{ kind: 'handoff', worker: nameOf(agent), to: targetOf(to) }];
    return isSpawn(tool) === null ? [] : [spawnNote(agent, `${tool}-${id ?? 'child'}`)];
  }

  /** What the swarm says to the notes, and what the guard says to that. */
  async function ask(
    notes: readonly Counted[],
    about: {
      readonly tool?: string | undefined;
      readonly agent?: string | undefined;
      readonly at?: number | undefined;
    },
    call: number | null,
  ): Promise<Decision> {
    const news = await member.tell(notes);
    const events = notes
      .map((note, index) => tallyEvent(note, index, news, about))
      .filter((event) => !sparing || says(event, swarm));
    if (events.length === 0) return ALLOW;
    const decided = await use(
      (guard) => {
        const decision = events.map((event) => guard.accept(event)).reduce(stronger);
        if (decision.action === 'block' && call !== null) settle(guard, call, decision.message);
        return decision;
      },
      events[0],
      ALLOW,
    );
    for (const event of events) onEvent(event);
    return decided.action === 'allow' || call === null ? decided : { ...decided, call };
  }

  /** A call that is not run has its result already. */
  function settle(guard: Guard, call: number, message: string): void {
    guard.accept({ type: 'tool-result', call, status: 'blocked', output: message });
  }

  async function onCall(event: ToolCallEvent): Promise<Decision> {
    const first = await use(
      (guard) => {
        listener.take();
        const decision = guard.accept(event);
        return { decision, heard: listener.take(), call: guard.calls };
      },
      event,
      { decision: ALLOW, heard: null, call: 0 },
    );
    onEvent(event);
    const { decision, heard, call } = first;
    if (heard === null || decision.action === 'block' || decision.action === 'halt') return decision;
    const { id, agent, at, tool } = event;
    if (open.length >= MAX_OPEN) open.shift();
    open.push({ ...heard, id, agent });
    const notes: Counted[] = [{ kind: 'call', worker: nameOf(agent), key: heard.key }, ...movesOf(event)];
    return stronger(decision, await ask(notes, { tool, agent, at }, call));
  }

  async function onResult(event: ToolResultEvent, outcome: Outcome): Promise<Decision> {
    const decision = await use((guard) => guard.accept({ ...event, ...outcome }), event, ALLOW);
    onEvent({ ...event, ...outcome });
    const call = taken(event);
    // That somebody was handed the work is no progress in it.
    if (call === undefined || isHandoff(call.tool) !== null) return decision;
    const [result, failure] = readOutcome(nameOf(call.agent), call.key, call.tool, call.args, outcome);
    if (result !== undefined) member.later([result]);
    if (failure?.kind !== 'failure') return decision;
    const { tool, agent } = call;
    return stronger(decision, await ask([failure], { tool, agent, at: event.at }, null));
  }

  /** The call that a result belongs to: by id, else by tool and arguments, else the oldest of the tool. */
  function taken({ id, tool, args, agent }: ToolResultEvent): OpenCall | undefined {
    const key = tool === undefined || args === undefined ? undefined : swarmKey(tool, args);
    const found =
      (id === undefined ? undefined : open.find((call) => call.id === id)) ??
      open.find((call) => call.id === undefined && call.agent === agent && call.key === key) ??
      (args === undefined ? open.find((call) => call.id === undefined && call.tool === tool) : undefined);
    if (found !== undefined) open.splice(open.indexOf(found), 1);
    return found;
  }

  function spend(usage: Usage, agent: string | undefined): void {
    const [input, cached, output] = [usage.input, usage.cachedInput, usage.output].map(amount) as [
      number,
      number,
      number,
    ];
    const cost = input * prices.input + cached * prices.cached + output * prices.output;
    const tokens = input + cached + output;
    if (tokens > 0)
      member.later([{ kind: 'spend', worker: nameOf(agent), tokens, money: Math.ceil(cost / MILLION) }]);
  }

  async function accept(event: AgentEvent): Promise<Decision> {
    if (event?.type === 'tool-call') return onCall(event);
    if (event?.type === 'tool-result') return onResult(event, outcomeOf(event));
    const decision = await use((guard) => guard.accept(event), event, ALLOW);
    onEvent(event);
    if (event?.type === 'turn' && event.usage !== undefined) spend(event.usage, event.agent);
    if ((event?.type !== 'handoff' && event?.type !== 'spawn') || typeof event.to !== 'string')
      return decision;
    const { agent, at, to } = event;
    const note: Counted =
      event.type === 'handoff'
        ? { kind: 'handoff', worker: nameOf(agent), to: targetOf(to) }
        : spawnNote(agent, to, event.depth);
    return stronger(decision, await ask([note], { agent, at }, null));
  }

  return {
    swarm: member,
    before: (call) => onCall(callEvent(call)),
    async after(call, result) {
      return result === undefined ? ALLOW : onResult(resultEvent(call), outcomeOf(result));
    },
    accept,
    delivered: async (agent) => {
      onEvent({ type: 'control', do: 'delivered', agent });
      await face.delivered(agent);
    },
    grant: async (n) => {
      onEvent({ type: 'control', do: 'grant', n });
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

/** Whether a tally may matter to any rule. */
function says(
  { about, calls, workers, wasted = 0, refused, halted, used, usedByTenant }: SwarmTallyEvent,
  swarm: ResolvedSwarm,
): boolean {
  if (halted !== undefined || (refused ?? '') !== '' || wasted > 1 || (calls > 4 && workers > 1)) return true;
  if (about === 'handoff' && calls > 2) return true;
  return nearLimit(used, swarm.budget) || nearLimit(usedByTenant, swarm.tenantBudget);
}

function nearLimit(used: SwarmTallyEvent['used'], limits: ResolvedSwarm['budget']): boolean {
  return (['calls', 'tokens', 'money'] as const).some(
    (each) => limits[each] !== undefined && (used?.[each] ?? 0) * 2 >= (limits[each] as number),
  );
}

/** The stronger of two answers; allow is no action, and so the weakest. */
function stronger(first: Decision, second: Decision): Decision {
  const rank = ({ action }: Decision) => ACTIONS.indexOf(action as Action);
  return rank(second) > rank(first) ? second : first;
}

/** What stands in place of the `*` of a pattern; null = none fits. */
function matcher(patterns: readonly string[]): (tool: string) => string | null {
  const parts = patterns.map((pattern) => {
    const star = pattern.indexOf('*');
    return star < 0
      ? ([pattern, null] as const)
      : ([pattern.slice(0, star), pattern.slice(star + 1)] as const);
  });
  return (tool) => {
    for (const [start, end] of parts) {
      if (end === null) {
        if (tool === start) return tool;
      } else if (tool.length > start.length + end.length && tool.startsWith(start) && tool.endsWith(end))
        return tool.slice(start.length, tool.length - end.length);
    }
    return null;
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

/** Hosts may send anything. */
function amount(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}
