import type { Action, Status } from '../core/types.ts';

/** What calls cost, by the transcript's own usage records; null = it has none, or no price is known. */
export type Spent = {
  readonly calls: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cachedInput: number | null;
  readonly usd: number | null;
};

/** A run of calls in which one subject kept being found. Names are a contract; null = unknown. */
export type Loop = {
  readonly file: string;
  /** The program that wrote the transcript: `claude-code`. */
  readonly agent: string;
  readonly session: string | null;
  readonly model: string | null;
  /** When the session began, ISO 8601. */
  readonly startedAt: string | null;
  readonly detector: string;
  readonly subject: string;
  readonly tool: string | null;
  /** 1-based numbers of tool calls in the transcript. */
  readonly firstCall: number;
  readonly lastCall: number;
  /** Calls from the first to the last; 0 = it is about texts alone. */
  readonly calls: number;
  /** The call at which the guard would have stepped in first, and how. */
  readonly actedAt: number;
  readonly action: Exclude<Action, 'observe'>;
  /** The strongest thing it would have done before the loop's end, and where. */
  readonly strongest: Exclude<Action, 'observe'>;
  readonly strongestAt: number;
  /** What the guard would have told the model. */
  readonly message: string;
  /** The repeated call in readable form, redacted as asked. */
  readonly example: string;
  /** From the call at which the guard would have acted to the loop's end. */
  readonly wasted: Spent;
};

/** One call in the picture of a session. */
export type TimelineCall = {
  readonly call: number;
  readonly tool: string;
  /** Redacted as asked; empty = nothing may be shown. */
  readonly label: string;
  /** What came back, redacted as asked; empty = nothing may be shown. */
  readonly output: string;
  readonly status: Status;
  /** Milliseconds since the epoch; null = not known. */
  readonly at: number | null;
  /** What the guard would have done at it. */
  readonly action: Exclude<Action, 'observe'> | null;
};

/** A session with at least one loop, and enough of it to draw. */
export type LoopingSession = {
  readonly file: string;
  readonly agent: string;
  readonly session: string | null;
  readonly model: string | null;
  readonly project: string | null;
  readonly startedAt: string | null;
  readonly calls: number;
  readonly spent: Spent;
  readonly loops: readonly Loop[];
  /** The calls in and around the loops; calls that are left out leave a gap in the numbers. */
  readonly timeline: readonly TimelineCall[];
};

/** Calls and waste of one day, agent, detector or tool. */
export type Share = {
  readonly name: string;
  readonly sessions: number;
  readonly loops: number;
  readonly wasted: Spent;
};

/** What a scan found. */
export type ScanReport = {
  readonly sessions: number;
  readonly skipped: readonly { readonly file: string; readonly why: string }[];
  /** The worst first. */
  readonly loops: readonly Loop[];
  readonly totals: {
    readonly calls: number;
    readonly loops: number;
    readonly spent: Spent;
    readonly wasted: Spent;
    /** Sessions with calls whose tokens, or whose price, is not known: sums are without them. */
    readonly unknown: { readonly tokens: number; readonly usd: number };
  };
  /** The sessions worth a picture, the worst first. */
  readonly looping: readonly LoopingSession[];
  /** By day of the session's beginning (`2026-11-15`), oldest first; sessions without a time are under an empty name. */
  readonly byDay: readonly Share[];
  readonly byAgent: readonly Share[];
  readonly byDetector: readonly Share[];
  readonly byTool: readonly Share[];
  readonly preset: string;
  /** The date of the price table; null = none was used. */
  readonly pricesOf: string | null;
  /** The user stopped it before the end. */
  readonly cancelled: boolean;
};
