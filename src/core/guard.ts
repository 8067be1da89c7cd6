import type { DigestText } from './digest-text.ts';
import type { Outcome, ToolResult } from './events.ts';
import { stronger } from './ladder.ts';
import { compilePlan, type Plan, type PlanOptions, type RulesFor } from './plan.ts';
import type { AnyKind, Preset } from './preset.ts';
import { ALLOW } from './rounds.ts';
import { advance } from './step.ts';
import type {
  AgentEvent,
  Decision,
  GuardState,
  Intervention,
  Json,
  SwarmTallyEvent,
  ToolCallEvent,
} from './types.ts';
import { frozen, newWorld, thawed, type World } from './world.ts';

export type ToolCall = {
  readonly id?: string | undefined;
  readonly tool: string;
  readonly args?: Json | undefined;
  readonly agent?: string | undefined;
  readonly at?: number | undefined;
};

/** `shadow` = decide and report, but answer allow; `off` = answer allow and remember nothing. */
export type Mode = 'enforce' | 'shadow' | 'off';

/** Counts calls over all workers of a swarm, and tells what they have come to; null = nothing yet. `createTally` makes one for a single process. */
export type Tally = {
  record(worker: string, tool: string, args: Json): Omit<SwarmTallyEvent, 'type'> | null;
};

export type GuardOptions = {
  readonly preset: Preset;
  /** Detectors for a preset that was read from JSON. */
  readonly detectors?: readonly AnyKind[] | undefined;
  readonly mode?: Mode | undefined;
  /** What `guard.state` gave; let `parseState` check what was saved. */
  readonly state?: GuardState | undefined;
  /** Declarations of tools, made ready by `toolRules`. */
  readonly rulesFor?: RulesFor | undefined;
  /** `false` = nobody can answer, so what would ask halts. Default true. */
  readonly attended?: boolean | undefined;
  readonly messages?: PlanOptions['messages'];
  /** Looks an event over before it is taken: null = leave it out. Without it events are trusted. */
  readonly parse?: ((event: AgentEvent) => AgentEvent | null) | undefined;
  /** Reads a result that a host tells in its own way. */
  readonly outcomeOf?: ((result: ToolResult) => Outcome) | undefined;
  /** What a call leads to outside, such as the count of a swarm: an event that the guard takes right after it. */
  readonly followUp?: ((call: ToolCallEvent) => AgentEvent | null) | undefined;
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
  /** Calls it has looked at. */
  readonly calls: number;
  readonly state: GuardState;
};

/** A guard over one run. It trusts its options, which the compiler has checked, and never throws afterwards. */
export function createGuard(options: GuardOptions): Guard {
  const { preset, detectors: kinds } = options;
  return guardOn(compilePlan(preset, { ...options, kinds }), options);
}

/** A guard on a plan that is ready. */
export function guardOn(plan: Plan, options: Omit<GuardOptions, 'preset'>): Guard {
  const { mode, state, attended, parse, outcomeOf = plainOutcome, followUp, onDecision, onError } = options;
  const world = state === undefined ? newWorld(plan) : thawed(state);
  return new OwnGuard({ plan, world, mode, attended, parse, outcomeOf, followUp, onDecision, onError });
}

/**
 * What a guard is made of, written out: what is spread from options is of another shape in every guard, and an engine looks
 * everything up in it anew. What a guard does are functions of the module, not its own: they are compiled once for all.
 */
type Self = Pick<GuardOptions, 'mode' | 'attended' | 'parse' | 'followUp' | 'onDecision' | 'onError'> & {
  readonly plan: Plan;
  readonly outcomeOf: (result: ToolResult) => Outcome;
  world: World;
};

/** A class, because of its getters: objects that are written down with some are slow, from the second one on. */
class OwnGuard implements Guard {
  private readonly self: Self;

  constructor(self: Self) {
    this.self = self;
  }

  get calls(): number {
    return this.self.world.calls;
  }

  get state(): GuardState {
    return frozen(this.self.plan, this.self.world);
  }

  readonly before: Guard['before'] = (call) => answered(this.self, call, callEvent);
  readonly after: Guard['after'] = (call, result) => {
    if (result === undefined) return ALLOW;
    return answered(this.self, call, () => resultEvent(call, this.self.outcomeOf(result)));
  };
  readonly accept: Guard['accept'] = (event) => answered(this.self, event, asItIs);
  readonly delivered: Guard['delivered'] = (agent) => {
    this.accept({ type: 'control', do: 'delivered', agent });
  };
  readonly grant: Guard['grant'] = (n) => {
    this.accept({ type: 'control', do: 'grant', n });
  };
  readonly reset: Guard['reset'] = () => {
    this.self.world = newWorld(this.self.plan);
  };
}

function asItIs(event: AgentEvent): AgentEvent {
  return event;
}

/** The answer to what the host tells, in whatever words. */
function answered<Told>(self: Self, told: Told, eventOf: (told: Told) => AgentEvent): Decision {
  try {
    return accepted(self, eventOf(told));
  } catch (error) {
    report(self, error, told);
    return ALLOW;
  }
}

function accepted(self: Self, raw: AgentEvent): Decision {
  if (self.mode === 'off') return ALLOW;
  const event = self.parse === undefined ? raw : self.parse(raw);
  return event === null ? ALLOW : take(self, event);
}

function take(self: Self, event: AgentEvent): Decision {
  const { plan, world, followUp } = self;
  const { calls } = world;
  const raw = advance(plan, world, event);
  // A call that is presented again gets its answer again, and nobody hears of it twice.
  const fresh = event.type !== 'tool-call' || world.calls !== calls;
  let decision: Decision = raw.action === 'ask' && self.attended === false ? unasked(raw) : raw;
  if (decision.action !== 'allow' && fresh) tell(self, decision, event);
  if (self.mode === 'shadow') {
    if (decision.action === 'nudge') take(self, { type: 'control', do: 'delivered', agent: decision.agent });
    decision = ALLOW;
  }
  if (event.type !== 'tool-call' || !fresh) return decision;
  if (followUp !== undefined) decision = stronger(decision, followed(self, event, followUp));
  if (decision.action !== 'block') return decision;
  const { call, message } = decision;
  return stronger(decision, take(self, { type: 'tool-result', call, status: 'blocked', output: message }));
}

/** Nobody can answer. */
function unasked({ prompt: _, ...decision }: Intervention): Intervention {
  return { ...decision, action: 'halt' };
}

function tell(self: Self, decision: Intervention, event: AgentEvent): void {
  const { onDecision } = self;
  attempt(self, event, () => onDecision?.(decision, event));
}

function followed(
  self: Self,
  call: ToolCallEvent,
  followUp: NonNullable<GuardOptions['followUp']>,
): Decision {
  const answer = attempt(self, call, () => {
    const more = followUp(call);
    return more && accepted(self, more);
  });
  return answer ?? ALLOW;
}

/** Runs what may throw, now or later: it is reported, never thrown at the host. */
function attempt<Result>(self: Self, event: unknown, run: () => Result): Result | null {
  return caught(run, (error) => report(self, error, event));
}

/** The host's own error must not reach it either. */
function report({ onError }: Self, error: unknown, event: unknown): void {
  caught(
    () => onError?.(error, event),
    () => {},
  );
}

function caught<Result>(run: () => Result, fail: (error: unknown) => void): Result | null {
  try {
    const result = run() as Result & { catch?: (fail: (error: unknown) => void) => void };
    result?.catch?.(fail);
    return result;
  } catch (error) {
    fail(error);
    return null;
  }
}

function callEvent({ id, tool, args = null, agent, at }: ToolCall): AgentEvent {
  return { type: 'tool-call', id, tool, args, agent, at };
}

/** Its fields are in the order in which adapters tell them: so both are one shape to the engine. */
function resultEvent({ id, tool, args, agent }: ToolCall, told: Outcome): AgentEvent {
  const { output, status, errorType, at } = told;
  return { type: 'tool-result', id, tool, args, agent, output, status, errorType, at };
}

/** A result told as the types want it. */
function plainOutcome(result: ToolResult): Outcome {
  const told = typeof result === 'object' && result !== null ? result : { output: result ?? '' };
  return { output: '', status: 'ok' in told && told.ok === false ? 'error' : 'ok', ...told } as Outcome;
}
