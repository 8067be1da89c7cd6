import type { DigestText } from './digest-text.ts';
import { outcomeOf, type ToolResult, toEvent } from './events.ts';
import { identityOf } from './evidence.ts';
import { ACTIONS } from './ladder.ts';
import { wrong } from './options.ts';
import { compilePlan, type PlanOptions } from './plan.ts';
import type { AnyKind, Preset } from './preset.ts';
import { ALLOW } from './rounds.ts';
import { parseState } from './snapshot.ts';
import { initialState, step } from './step.ts';
import type { ToolTable } from './tools.ts';
import type {
  AgentEvent,
  Decision,
  GuardState,
  Intervention,
  Json,
  SwarmTallyEvent,
  ToolCallEvent,
} from './types.ts';

export type ToolCall = {
  readonly id?: string | undefined;
  readonly tool: string;
  readonly args?: Json | undefined;
  readonly agent?: string | undefined;
  readonly at?: number | undefined;
};

/** `shadow` = decide and report, but answer allow; `off` = answer allow and remember nothing. */
export type Mode = 'enforce' | 'shadow' | 'off';
const MODES: readonly unknown[] = ['enforce', 'shadow', 'off'] satisfies Mode[];

/** Counts calls over all workers of a swarm; `createTally` makes one for a single process. */
export type Tally = { record(worker: string, tool: string, args: Json): Omit<SwarmTallyEvent, 'type'> };

export type Swarm = { readonly tally: Tally; readonly worker: string };

export type GuardOptions = {
  readonly preset: Preset;
  /** Detectors for a preset that was read from JSON. */
  readonly detectors?: readonly AnyKind[] | undefined;
  readonly mode?: Mode | undefined;
  /** What `guard.state` gave before. */
  readonly state?: unknown;
  readonly tools?: ToolTable | undefined;
  /** `false` = nobody can answer, so what would ask halts. Default true. */
  readonly attended?: boolean | undefined;
  readonly messages?: PlanOptions['messages'];
  /** Counts this guard's calls together with those of other workers. */
  readonly swarm?: Swarm | undefined;
  /** Hears every decision other than allow, in shadow mode too. */
  readonly onDecision?: ((decision: Intervention, event: AgentEvent) => void) | undefined;
  /** Hears of events that were not understood; they are answered allow. */
  readonly onError?: ((error: unknown, event: unknown) => void) | undefined;
  /** A faster digest of long texts, with the same results. */
  readonly digestText?: DigestText | undefined;
};

export type Guard = {
  /** Before a tool runs. The same id twice counts once. */
  before(call: ToolCall): Decision;
  /** After a tool ran. A call that the guard blocked needs no result: the guard knows it. */
  after(call: ToolCall, result: ToolResult | undefined): Decision;
  accept(event: AgentEvent): Decision;
  /** The last nudge has reached the model: it becomes a strike. */
  delivered(agent?: string): void;
  /** The user lets the agent go on for `n` more iterations. */
  grant(n: number): void;
  /** Forgets the run, keeps the thresholds. */
  reset(): void;
  readonly state: GuardState;
};

/** A guard over one run. Throws when an option can never work; never throws afterwards. */
export function createGuard(options: GuardOptions): Guard {
  const { preset, mode = 'enforce', attended = true, swarm, onDecision, onError } = options;
  if (!MODES.includes(mode)) throw wrong('mode', mode, `one of ${MODES.join(', ')}`);
  if (typeof preset !== 'object' || preset === null) throw wrong('preset', preset, 'a preset object');
  if (typeof attended !== 'boolean') throw wrong('attended', attended, 'true or false');
  if (swarm !== undefined && (typeof swarm?.tally?.record !== 'function' || typeof swarm.worker !== 'string'))
    throw wrong('swarm', swarm, 'an object with a tally and the name of this worker');
  const { detectors: kinds, tools, messages, digestText } = options;
  const plan = compilePlan(preset, { kinds, tools, messages, digestText });
  let state = options.state === undefined ? initialState(plan) : parseState(plan, options.state);

  function accept(raw: AgentEvent): Decision {
    if (mode === 'off') return ALLOW;
    try {
      const event = isPlain(raw) ? raw : toEvent(raw);
      return event === null ? ALLOW : take(event);
    } catch (error) {
      report(error, raw);
      return ALLOW;
    }
  }

  function take(event: AgentEvent): Decision {
    const [next, raw] = step(plan, state, event);
    const fresh = next !== state;
    state = next;
    let decision: Decision = raw.action === 'ask' && !attended ? { ...raw, action: 'halt' } : raw;
    // The same call presented again leaves the state as it was: it gets its answer again, and nobody hears of it twice.
    if (decision.action !== 'allow' && fresh) tell(decision, event);
    if (mode === 'shadow') {
      if (decision.action === 'nudge') take({ type: 'control', do: 'delivered', agent: event.agent });
      decision = ALLOW;
    }
    if (event.type !== 'tool-call' || !fresh) return decision;
    const tally = swarm === undefined ? null : tallied(event, swarm);
    if (tally !== null) decision = stronger(decision, take(tally));
    if (decision.action !== 'block') return decision;
    const { call, message } = decision;
    return stronger(decision, take({ type: 'tool-result', call, status: 'blocked', output: message }));
  }

  /** What the swarm has made of this call; nothing where the user declared that repeating it means nothing. */
  function tallied(event: ToolCallEvent, { tally, worker }: Swarm): SwarmTallyEvent | null {
    const { identity, poll } = plan.rulesFor(event.tool) ?? {};
    if (poll === true || identity === false) return null;
    try {
      const args = identity === undefined ? event.args : identityOf(event.args, identity, 0);
      return { type: 'swarm-tally', agent: event.agent, ...tally.record(worker, event.tool, args) };
    } catch (error) {
      report(error, event);
      return null;
    }
  }

  function tell(decision: Intervention, event: AgentEvent): void {
    try {
      onDecision?.(decision, event);
    } catch (error) {
      report(error, event);
    }
  }

  function report(error: unknown, event: unknown): void {
    try {
      onError?.(error, event);
    } catch {
      // A guard never throws at its host, not even the host's own error.
    }
  }

  return {
    before(call) {
      const { id, tool, args = null, agent, at } = call ?? {};
      return accept({ type: 'tool-call', id, tool, args, agent, at } as AgentEvent);
    },
    after(call, result) {
      if (result === undefined) return ALLOW;
      const { id, tool, args, agent } = call ?? {};
      const told = typeof result === 'object' && result !== null ? result : { output: result };
      const { output, status } = outcomeOf(told);
      const { at, errorType } = told;
      return accept({ type: 'tool-result', id, tool, args, agent, output, status, at, errorType });
    },
    accept,
    delivered(agent) {
      accept({ type: 'control', do: 'delivered', agent });
    },
    grant(n) {
      accept({ type: 'control', do: 'grant', n });
    },
    reset() {
      state = initialState(plan);
    },
    get state() {
      return state;
    },
  };
}

/** A call that needs no second look, as nearly all do. */
function isPlain(event: AgentEvent): boolean {
  return (
    event?.type === 'tool-call' &&
    typeof event.tool === 'string' &&
    (event.id === undefined || typeof event.id === 'string') &&
    (event.agent === undefined || typeof event.agent === 'string') &&
    event.args !== undefined
  );
}

function stronger(first: Decision, second: Decision): Decision {
  return rank(second) > rank(first) ? second : first;
}

function rank(decision: Decision): number {
  return decision.action === 'allow' ? -1 : ACTIONS.indexOf(decision.action);
}
