/** Whose tallies are meant: a swarm's name; null = the tenant, for the swarms that are rolled up. */
export type SwarmScope = string | null;

/** How many children may be reserved: of one parent, on one level, and how many levels below the first. */
export type SpawnLimits = { readonly children: number; readonly perDepth: number; readonly depth: number };

/** One thing that a worker has done. `key` = a digest; names are kept as they are, payloads never. */
export type Note =
  | { readonly kind: 'call'; readonly worker: string; readonly key: string }
  | {
      readonly kind: 'result';
      readonly worker: string;
      readonly key: string;
      /** A digest of how it ended. */
      readonly outcome: string;
      readonly failed: boolean;
      /** A few words of it, where workers may read each other's. */
      readonly said?: string | undefined;
    }
  /** One more failure of the same kind of error, whatever the call. */
  | {
      readonly kind: 'failure';
      readonly worker: string;
      readonly key: string;
      readonly said?: string | undefined;
    }
  | { readonly kind: 'handoff'; readonly worker: string; readonly to: string }
  /** `depth` = how far down the parent is, where nobody has reserved it. */
  | {
      readonly kind: 'spawn';
      readonly worker: string;
      readonly to: string;
      readonly depth: number;
      readonly limits: SpawnLimits;
    }
  /** `money` in millionths. */
  | { readonly kind: 'spend'; readonly worker: string; readonly tokens: number; readonly money: number };

export type Refusal = '' | 'children' | 'per-depth' | 'depth';

/** What a note has come to, over all workers of the scope, within its window of time. */
export type Count = {
  /** Calls, failures, handoffs since either agent got anywhere, or children. */
  readonly calls: number;
  /** Different workers; at most `MAX_WORKERS`. */
  readonly workers: number;
  /** Failures that the swarm knew already, since anybody got through. */
  readonly wasted: number;
  /** Different workers with such failures. */
  readonly wasters: number;
  readonly failures: number;
  /** Who did it first, and when, in milliseconds since the epoch. */
  readonly first: string;
  readonly firstAt: number;
  /** Who did it lately, the latest first; at most `MAX_NAMES`. */
  readonly names: readonly string[];
  readonly said: string;
  /** Of a child: how far down it is, and how many are there. */
  readonly depth: number;
  readonly atDepth: number;
  /** Why the child must not start. */
  readonly refused: Refusal;
};

/** Whether the swarm may go on. The higher version wins, wherever it is known. */
export type Control = {
  /** 0 = nobody has ever stopped it. */
  readonly version: number;
  readonly halted: boolean;
  readonly why: string;
  readonly by: string;
  readonly at: number;
};

export type Totals = {
  readonly calls: number;
  readonly tokens: number;
  readonly money: number;
  /** Workers that were active within the window. */
  readonly active: number;
  /** Workers that were ever there, as far as anybody remembers. */
  readonly agents: number;
};

export type Request = {
  /** Who sends it: one process, started once. Its notes are numbered, and each number counts once. */
  readonly member: string;
  readonly first: number;
  readonly notes: readonly Note[];
  /** How many of the notes were sent before, and may have been counted. */
  readonly resent: number;
  /** The `born` of the last answer. */
  readonly born: string;
  /** What the member knows: a store that has lost a halt gets it back. */
  readonly control: Control;
  /** For a new swarm: counts are forgotten between half of it and all of it later. */
  readonly windowMs: number;
};

export type Answer = {
  readonly now: number;
  /** Told apart from a swarm of the same name whose tallies were lost. */
  readonly born: string;
  /** Notes that were counted now. */
  readonly applied: number;
  readonly totals: Totals;
  readonly control: Control;
  /** One for each note; of one that was counted before, the numbers of then. */
  readonly counts: readonly Count[];
};

/** Everything a swarm shares, as JSON: a checkpoint. */
export type SwarmState = {
  readonly version: 1;
  readonly half: number;
  readonly born: string;
  readonly epoch: number;
  readonly active: readonly [now: number, before: number];
  readonly totals: readonly [calls: number, tokens: number, money: number, agents: number];
  readonly control: Control;
  readonly depths: readonly (readonly [depth: number, epoch: number, now: number, before: number])[];
  readonly agents: readonly (readonly [name: string, epoch: number, progress: number, depth: number])[];
  readonly members: readonly (readonly [member: string, last: number])[];
  /** What the last notes of members had come to: five numbers of each note from `first` on. */
  readonly answers?:
    | readonly (readonly [member: string, first: number, numbers: readonly number[]])[]
    | undefined;
  readonly records: readonly SavedRecord[];
};
export type SavedRecord = {
  readonly key: string;
  readonly tally: readonly number[];
  readonly first: string;
  readonly outcomes: string;
  readonly names: readonly string[];
  readonly said: string;
  readonly workers: readonly (readonly [name: string, called: number, wasted: number])[];
};

export type SwarmEntry = { readonly swarm: string; readonly updatedAt: number };

/** The half of a store that the swarms of one tenant share. Promises settle within a bounded time, and reject with a `DeloopError` of the code `store`. */
export type Board = {
  /** Counts, in one step that nobody else comes between. */
  tell(scope: SwarmScope, request: Request): Promise<Answer>;
  /** Stops a swarm, or lets it go on. */
  steer(scope: SwarmScope, order: Order): Promise<Control>;
  /** Null = there is no such swarm. */
  read(scope: SwarmScope): Promise<SwarmState | null>;
  /** Puts a checkpoint in place of whatever is there. */
  write(scope: SwarmScope, state: SwarmState): Promise<void>;
  /** Forgets all tallies; a halt stays. */
  clear(scope: SwarmScope): Promise<void>;
  /** The most recently active first. */
  swarms(): Promise<readonly SwarmEntry[]>;
};
export type Order = { readonly halt: boolean; readonly why: string; readonly by: string };

/** More workers of one call are counted as so many. */
export const MAX_WORKERS = 128;
export const MAX_NAMES = 8;
/** Endings of one call that are remembered. */
export const MAX_OUTCOMES = 4;
export const NO_CONTROL: Control = { version: 0, halted: false, why: '', by: '', at: 0 };
/** A call that nobody makes for so long is forgotten: ten minutes. */
export const WINDOW_MS = 600_000;
/** What is known of a worker is forgotten after a day. */
export const WORKER_MS = 86_400_000;
