import type { AgentEvent, Status, Usage } from '../core/types.ts';
import type { Member } from '../swarm/member.ts';
import type { Bookmark } from './bookmark.ts';
import type { Nudge } from './desk.ts';
import type { RunState } from './run-state.ts';
import type { Answer, Question, StopReason } from './stop-reason.ts';
import type { Verdict } from './verdict.ts';

/** A tool call as hosts know it; give it the host's `id`, so that it counts once however often it is presented. */
export type HostCall = {
  readonly id?: string | undefined;
  readonly tool: string;
  readonly args?: unknown;
  readonly agent?: string | undefined;
};
/** What came of it; `output` = what the model sees. Without a status it is a success. */
export type HostResult = {
  readonly output: unknown;
  readonly status?: Status | undefined;
  readonly errorType?: string | undefined;
};
export type HostTurn = {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly usage?: Usage | undefined;
  /** `false` = the model was given none. */
  readonly tools?: boolean | undefined;
  readonly agent?: string | undefined;
};

/** One session under a guard, in words that every host can act on. Nothing here throws, whatever breaks. */
export type Run = {
  readonly session: string | undefined;
  /** Resolves when what was saved is there; without a store, at once. Await it before anything else. */
  ready(): Promise<void>;
  /** Whether that is so already, and no swarm has to be asked: then `before` says all that `check` would. */
  readonly isReady: boolean;
  /** Whether nothing has to be waited for, neither store nor swarm nor person: `ready`, `settle` and `saved` would resolve at once. */
  isIdle(agent?: string): boolean;
  /** Whether, beside that, nothing waits for the agent, neither words nor a stop: its model can be called as it is. */
  isQuiet(agent?: string): boolean;
  /** An invocation of the host begins: what another process has saved of the session counts. It need not be awaited, `ready` must. */
  begin(): Promise<void>;

  /** A person's message, which ends a stop and a question; or one that the host has injected. */
  user(
    text?: string,
    options?: { readonly by?: 'person' | 'host' | undefined; readonly agent?: string | undefined },
  ): void;
  /** A model response has come: call it before its tool calls. */
  turn(turn?: HostTurn): void;
  /** Tokens that became known after `turn`; they are told with the next one. */
  spent(usage: Usage, agent?: string): void;
  /** A piece of streamed text; `false` = the model repeats itself, cut it off here. */
  delta(channel: 'content' | 'reasoning', text: string, agent?: string): boolean;
  /** Before a call runs. Where a person can be asked by `onAsk`, use `check`. */
  before(call: HostCall): Verdict;
  /** As `before`, and asks the person itself where it can: `hold` remains only for hosts that ask in their own way. */
  check(call: HostCall): Promise<Verdict>;
  /** As `check`, but at once where nobody has to be waited for: for hooks that every call goes through. */
  judge(call: HostCall): Verdict | Promise<Verdict>;
  /** After it ran. A text = what the model may get instead of a result that it has already. */
  after(call: HostCall, result: HostResult, options?: { readonly replaceable?: boolean }): string | null;
  /** After it threw; `signal` = that of its run, by which it may have been cancelled. */
  failed(call: HostCall, error: unknown, signal?: AbortSignal): void;
  /** `true` = what is told from now on has happened before and was heard of then: it counts, but no callback hears of it; `false` = it happens now. */
  replay(on: boolean): void;
  /** Anything else that a host can tell: `calls-known`, `round-done`, `compaction`, `state-change`, `handoff`, ... */
  tell(event: AgentEvent): void;

  /** What must be said to the model now, all in one; it counts as delivered. Never between a call and its result. */
  takeNudge(agent?: string): Nudge | null;
  /** `true`, once after a stop: the model may answer one more time, without tools, before the run ends. */
  takeLastTurn(agent?: string): boolean;
  /** The run must end now: it is stopped, and no last turn is due. */
  isOver(agent?: string): boolean;
  /** Why the main agent was stopped. */
  readonly stopped: StopReason | null;
  stoppedFor(agent?: string): StopReason | null;

  questionFor(agent?: string): Question | null;
  /** Asks the person who waits behind `onAsk`, if there is a question; a good place is before the model is called. */
  settle(agent?: string): Promise<void>;
  /** What the person said to the question. */
  answer(answer: Answer, agent?: string): void;
  /** Lets a stopped agent go on: what stopped it starts anew. */
  resume(agent?: string): void;

  /** Where reading the agent's messages has come to, in this process or in one that saved it. */
  bookmarkFor(agent?: string): Bookmark | null;
  keepBookmark(bookmark: Bookmark): void;

  readonly state: RunState;
  /** Resolves when everything up to now is in the store, and the swarm has answered. */
  saved(): Promise<void>;
  /** The swarm that the run is in: stop it, let it go on, see whether it can be reached. */
  readonly swarm: Member | null;
};
