import type { DigestText } from './digest-text.ts';
import type { Plan } from './plan.ts';
import type { Draft, World } from './world.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Tokens of one model response. */
export type Usage = { readonly input: number; readonly output: number; readonly cachedInput?: number };

export const STATUSES = [
  'ok',
  'error',
  'invalid',
  'unknown-tool',
  'denied',
  'cancelled',
  'blocked',
  'unknown',
] as const;

/** How a tool call ended: `invalid` = arguments refused, `denied` = by a person, `blocked` = by a guard. */
export type Status = (typeof STATUSES)[number];

/** `at` = milliseconds since the epoch, the only clock the core knows; `agent` is absent for the main agent. */
type Base = { readonly at?: number | undefined; readonly agent?: string | undefined };

export type UserEvent = Base & {
  readonly type: 'user';
  readonly text?: string | undefined;
  /** `host` = injected by the host, no boundary. Default `person`. */
  readonly by?: 'person' | 'host' | undefined;
};
/** A model response: it starts a round. */
export type TurnEvent = Base & {
  readonly type: 'turn';
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly usage?: Usage | undefined;
  /** `false` = the model was given no tools: a text is all that it could give. */
  readonly tools?: boolean | undefined;
};
type TextDeltaEvent = Base & {
  readonly type: 'text-delta';
  readonly channel: 'content' | 'reasoning';
  readonly text: string;
};
export type ToolCallEvent = Base & {
  readonly type: 'tool-call';
  readonly id?: string | undefined;
  readonly tool: string;
  /** A string = arguments as sent, maybe not JSON. */
  readonly args: Json;
};
export type ToolResultEvent = Base & {
  readonly type: 'tool-result';
  readonly id?: string | undefined;
  readonly tool?: string | undefined;
  readonly args?: Json | undefined;
  /** The guard's own number of the call, where it is known; it wins over `id`. */
  readonly call?: number | undefined;
  readonly status: Status;
  /** What the model saw; anything but a string is compared as JSON and never searched for text. */
  readonly output: Json;
  readonly errorType?: string | undefined;
};
export type ControlEvent = Base & {
  readonly type: 'control';
  readonly do: 'grant' | 'approve' | 'delivered' | 'reset' | 'disable' | 'enable';
  readonly n?: number | undefined;
  /** With `delivered`: which nudge it was, as its detector, a space and its subject, where it was not the last one. */
  readonly scope?: string | undefined;
};
/** What a swarm, or a tenant, has used so far; `money` in millionths. */
type SwarmUse = { readonly calls: number; readonly tokens: number; readonly money: number };
/** How often a whole swarm has done one thing; counted outside, by a tally. */
export type SwarmTallyEvent = Base & {
  readonly type: 'swarm-tally';
  readonly key: string;
  readonly calls: number;
  readonly workers: number;
  readonly tool?: string | undefined;
  /** What was counted: one call (the default), one kind of failure, handoffs between two agents, children of one; `use` = nothing but what was used. */
  readonly about?: 'call' | 'failure' | 'handoff' | 'spawn' | 'use' | undefined;
  /** Failures that the swarm knew already, since anybody got through, and how many workers had them. */
  readonly wasted?: number | undefined;
  readonly wasters?: number | undefined;
  readonly failures?: number | undefined;
  /** Who did it first, and who did it lately. */
  readonly first?: string | undefined;
  readonly names?: readonly string[] | undefined;
  /** A few words of what came of it. */
  readonly said?: string | undefined;
  /** Why a child must not start. */
  readonly refused?: string | undefined;
  readonly depth?: number | undefined;
  readonly atDepth?: number | undefined;
  readonly used?: SwarmUse | undefined;
  readonly usedByTenant?: SwarmUse | undefined;
  /** The swarm was stopped: why, and by whom. */
  readonly halted?: { readonly why: string; readonly by: string } | undefined;
};
/** The world moved, says the host. */
type StateChangeEvent = Base & {
  readonly type: 'state-change';
  readonly resource?: string | undefined;
};
/** `calls-known`: the round's whole batch of calls is known; `round-done`: all its results are in; `rewind`: a provider's retry, back to the last finished round. */
type MarkEvent = Base & { readonly type: 'calls-known' | 'round-done' | 'compaction' | 'rewind' };
/** A model as judge: how stuck, 0 to 1. */
type VerdictEvent = Base & { readonly type: 'verdict'; readonly stuck: number };
type HandoffEvent = Base & {
  readonly type: 'spawn' | 'handoff';
  readonly to: string;
  readonly depth?: number | undefined;
};

/** Everything a guard can be told; a trace is one of these a line. */
export type AgentEvent =
  | UserEvent
  | TurnEvent
  | TextDeltaEvent
  | ToolCallEvent
  | ToolResultEvent
  | ControlEvent
  | SwarmTallyEvent
  | StateChangeEvent
  | MarkEvent
  | VerdictEvent
  | HandoffEvent;
export type EventType = AgentEvent['type'];

/** What a detector saw. `count` = the n-th occurrence, inclusive; `evidence` = call numbers, the last 16 at most. */
export type Finding = {
  readonly detector: string;
  /** What repeats: a tool, or a tool with a digest of its arguments. Never a payload. */
  readonly subject: string;
  readonly count: number;
  readonly evidence: readonly number[];
  readonly facts?: { readonly [name: string]: Json };
};

/** What is remembered of an event: numbers and digests, never the payload. A digest of 0 = not known. */
export type Entry = {
  readonly event: EventType;
  /** The tool call this is about; between calls the last one seen. */
  readonly call: number;
  readonly round: number;
  /** Whether the main agent acted (the one without an id). */
  readonly main: boolean;
  readonly tool: string;
  /** Digest of tool and canonical arguments. */
  readonly exact: number;
  /** Digest of the output and of success or failure. */
  readonly outcome: number;
  readonly status: Status;
  /** The effect that the user declared for this tool, if any. */
  readonly effect: Effect | undefined;
  /** Declared as a poll: repetition is its job. `false` = as none, whatever its name is. */
  readonly poll: boolean | undefined;
  /** What the ledger makes of it, where a detector of the plan keeps one. The ledger comes first and fills these in. */
  kind: ToolKind | null;
  sight: Sight | null;
  /** When it happened, in milliseconds; 0 = not known. */
  at: number;
  /** Flags of `TOPIC`. */
  topics: number;
};

/**
 * What a tool does, as far as its name and its arguments tell: `write` = sets down a content, so that the same again
 * adds nothing; `act` = does something in the world; `poll` = looks how something gets on; `wait` = lets time pass;
 * `step` = moves on, with no more than an acknowledgement; `idle` = does nothing (a thought, a list of things to do).
 */
export type ToolKind = 'read' | 'write' | 'act' | 'shell' | 'poll' | 'wait' | 'step' | 'idle' | 'other';

/** What a call or a result is worth: whether it brought anything that was not known. */
export type Sight = {
  readonly kind: ToolKind;
  /** As the text of the result tells it: a cancelled call is no failure, refused arguments are. */
  readonly status: Status;
  /** The service failed, not the agent: a rate limit, an overload, a connection. */
  readonly outage: boolean;
  /** Digest of tool and arguments, without what is only for show. */
  readonly key: number;
  /** Digest of the tool; in a shell, of the program that does the work. */
  readonly actor: number;
  /** Digest of ending and output, without what changes on every run; of a short one with the tool it came from. */
  readonly outcome: number;
  /** Digest of the kind of error, whatever it is about; 0 = no failure. */
  readonly family: number;
  /** Of a check that failed: digest of all lines that tell what is wrong, whatever else it printed; else 0. */
  readonly gist: number;
  /** The line in a file where the failure stands; 0 = it does not say, or there is none. */
  readonly place: number;
  /** Whether it changed the world: `again` = a change that was made before. */
  readonly effect: 'none' | 'new' | 'again';
  /** How often the world has changed so far. */
  readonly epoch: number;
  /** The same without known commands that only went a step further, as `git bisect bad` does. */
  readonly deeds: number;
  /** Rounds with the same call and the same outcome in an unchanged world, this one included; for a call, as if it ended the same way again. */
  readonly repeats: readonly number[];
  /** As many results between them brought something new: work goes on around them. */
  readonly busy: boolean;
  /** A person has spoken since the last of them. */
  readonly asked: boolean;
  /** The same of those that are alike. */
  readonly among: boolean;
  /** Rounds in which the same tool ended in the same words, whatever the arguments, this one included. */
  readonly alike: readonly number[];
  /** Lately, in other rounds: the same call, of which no result was seen or an empty one; this one included. */
  readonly blind: readonly number[];
  /** The calls that made this change, this one included; none = it changes nothing. */
  readonly changes: readonly number[];
  /** It brought nothing new. */
  readonly stale: boolean;
  /** A question to which there was no answer: in other words it may well be the same. */
  readonly empty: boolean;
  /** Only in so far as another thing was answered in the same few words. */
  readonly soft: boolean;
  /** The same look has shown something that it never showed before: something moves. */
  readonly moved: boolean;
  /** Other calls of the same round have not ended yet. */
  readonly open: boolean;
  /** Characters of the output. */
  readonly size: number;
  /** It checks something: tests, a build, a linter. */
  readonly checks: boolean;
  /** A check (tests, a build, a linter) that found all well; for a call, the last time. It may be run again to make sure. */
  readonly passed: boolean;
  /** By what it is taken for a look or a wait. */
  readonly sign: Sign;
};

/** `plain` = by its name; `guessed` = by its answer, or it fails because what it looks for is not there; `bare` = a wait behind which nothing is looked at; `over` = what it looks at is over. */
export type Sign = 'plain' | 'guessed' | 'bare' | 'over';

export type Effect = 'none' | 'write' | 'shell';

/** What must be computed for a detector: nothing is digested that no detector of the plan needs. */
export type Evidence = 'exact' | 'outcome';

/** One way to see that an agent is stuck: a reducer over entries, with a JSON state of its own. */
export type Detector<State extends Json = Json> = {
  readonly name: string;
  readonly events: readonly EventType[];
  readonly needs: readonly Evidence[];
  readonly initial: State;
  /** A sample that every saved state must resemble: `[x]` = any number of x, `[x, y]` = exactly these. */
  readonly shape: Json;
  /** The greatest count it can ever report; a rung above it is refused. */
  readonly maxCount: number;
  /** Its findings come before the call has run, so a rung may block. */
  readonly blocks?: boolean;
  /** What can take it out of its initial state, or make it speak in it: flags of `TOPIC`. It may miss all else until then. Default: anything. */
  readonly wakes?: number;
  /** It hears that there was a call even where the guard never looks at the tool. */
  readonly witness?: boolean;
  /** It is about failures, which a plan may keep across user messages. */
  readonly failures?: boolean;
  /** It reads `entry.sight`: the ledger that gives it, kept once for all who do. */
  readonly ledger?: (digestText: DigestText) => Ledger;
  /** What it must know of a call when the result comes; null = nothing. */
  note?(call: ToolCallEvent): Json;
  /** The small fact it needs from a payload, beside the entry; for a result, `noted` is what it noted of the call. */
  observe?(event: AgentEvent, noted: Json, entry: Entry): Json;
  /** The next state and what was found; null = nothing new. */
  reduce(state: State, entry: Entry, fact: Json): readonly [next: State, finding: Finding | null] | null;
};

/** The detector that finds nothing and tells the others what a call is worth. It stands first in a plan. */
export type Ledger = Detector & {
  /** One agent has changed the world: it is the world of all. */
  moved(plan: Plan, world: World, mover: Draft): void;
  /** A message of the host: whether it wakes the agent after a rest, as a timer does. */
  rouses(agent: Draft, at: number): boolean;
  /** A new start for one who reads it is a new start for all. */
  renew(plan: Plan, agent: Draft): void;
};

/** `observe` = report only; `ask` = held until answered. */
export type Action = 'observe' | 'nudge' | 'block' | 'ask' | 'halt';
export type Level = 'info' | 'warning' | 'critical';
/** `stub` = the message may stand in for the result; `stronger-model` = for the next turn; `last-turn` = the model may report, without tools. */
export type Hint = 'stub' | 'stronger-model' | 'last-turn';

/** One rule of a ladder. The first rung that fits decides. */
export type Rung<Name extends string = string> = {
  readonly on: Name;
  /** The n-th occurrence, inclusive. */
  readonly at: number;
  /** Only at `at`, not after it. */
  readonly exactly?: boolean;
  /** After `at`, only every n-th time. */
  readonly every?: number;
  /** Only when this many decisions on the same detector were delivered before. */
  readonly strikes?: number;
  /** Only when fewer than this many were. */
  readonly below?: number;
  /** Only when somebody can answer, or only when nobody can. */
  readonly attended?: boolean;
  /** Only when the finding's facts have these values. */
  readonly where?: { readonly [fact: string]: string | number | boolean };
  readonly action: Action;
  readonly level?: Level;
  /** What the host may do beside passing the message on. */
  readonly hint?: Hint;
  /** A template over the finding: {tool}, {count}, {subject} and its facts. */
  readonly message: string;
  /** What a person is asked, in a rung that asks: a template, as `message` is, which is for the model. Default: the message. */
  readonly prompt?: string;
  /** Once delivered, the detector starts anew. */
  readonly forget?: boolean;
};

export type Allow = { readonly action: 'allow' };
export type Intervention = {
  readonly action: Action;
  readonly level?: Level;
  readonly hint?: Hint;
  /** For the model. */
  readonly message: string;
  /** For the person who is asked; absent = the message. */
  readonly prompt?: string;
  readonly finding: Finding;
  /** The call that is answered; for a decision on a result, the call it pairs with. */
  readonly call: number;
  /** The sub-agent that is meant; absent for the main agent. */
  readonly agent?: string;
};
export type Decision = Allow | Intervention;

/** How a preset treats rounds, users, agents and strikes. */
export type Habits = {
  /** `call` = rules are checked at every event; `round` = when the round's calls are known, or at its end. */
  readonly rounds: 'call' | 'round';
  /** Whether the same call twice in one round counts twice. */
  readonly duplicates: 'each' | 'once';
  /** `first` = one decision a round: only a rule of higher precedence may still speak. */
  readonly answers: 'each' | 'first';
  /** What a person's message clears. */
  readonly userBoundary: 'clear' | 'keep' | 'keep-failures';
  /** `together` = sub-agents share one history. */
  readonly agents: 'apart' | 'together';
  /** How long a strike is remembered: for the run, or until a person speaks; `subject` = that, and for one subject only. */
  readonly strikes: 'session' | 'turn' | 'subject';
};

/** A call whose result may still come, or whose id may still be presented again. */
export type OpenCall = {
  readonly call: number;
  /** The host's id; empty = none. */
  readonly id: string;
  readonly agent: string;
  readonly round: number;
  readonly tool: string;
  readonly exact: number;
  readonly done: boolean;
  /** A repeat within its round that the plan does not count. */
  readonly silent: boolean;
  readonly answer: Answer | null;
  /** What detectors noted of it, in their order. */
  readonly noted: readonly Json[] | null;
};
export type Answer = { readonly rung: number; readonly finding: Finding };

export type AgentState = {
  readonly agent: string;
  readonly rounds: number;
  /** The host shows model turns; otherwise each call is a round. */
  readonly turns: boolean;
  readonly open: boolean;
  /** Findings that wait for the round's check. */
  readonly held: readonly Finding[];
  /** The decision given last: a nudge waits in it for its delivery. */
  readonly last: { readonly rung: number; readonly subject: string; readonly delivered: boolean } | null;
  /** The rung that spoke in this round, or -1. */
  readonly spoke: number;
  readonly strikes: readonly (readonly [key: string, count: number])[];
  /** Finished calls by id and digest, oldest first. */
  readonly finished: readonly (readonly [id: string, exact: number])[];
  /** One state a detector, in the order of `GuardState.detectors`. */
  readonly detectors: readonly Json[];
};

/** Everything a guard remembers: JSON by type, bounded whatever the run. */
export type GuardState = {
  readonly version: 1;
  /** The names of the plan's detectors, to which the agents' states belong. */
  readonly detectors: readonly string[];
  readonly calls: number;
  readonly disabled: boolean;
  /** Most recently active first. */
  readonly agents: readonly AgentState[];
  /** Oldest first. */
  readonly open: readonly OpenCall[];
  /** Agents as they were when their open round began, for `rewind`. */
  readonly undo: readonly AgentState[];
};
