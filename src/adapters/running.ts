import type { Guard } from '../core/guard.ts';
import { stronger } from '../core/ladder.ts';
import { ALLOW } from '../core/rounds.ts';
import { safely } from '../core/safely.ts';
import type { AgentEvent, Decision } from '../core/types.ts';
import type { Member } from '../swarm/member.ts';
import type { CallListener, Seat, Tallies } from '../swarm/seat.ts';
import type { Bookmarks } from './bookmark.ts';
import { type Desk, type Nudge, place } from './desk.ts';
import { type Desks, newDesk } from './desks.ts';
import { type GivenState, takeState } from './given-state.ts';
import { endQuestion, type OpenQuestions } from './open-questions.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { Answer, Question, StopReason } from './stop-reason.ts';
import { restIn, type Stretch, type Stretches } from './stretches.ts';

/** A run's place in a swarm. */
export type RunSwarm = { readonly seat: Seat; readonly member: Member; readonly listener: CallListener };

/** What the host has given for a run. */
export type RunHooks = {
  readonly session?: string | undefined;
  readonly swarm?: RunSwarm | undefined;
  readonly onAsk?: ((question: Question) => Answer | Promise<Answer>) | undefined;
  readonly onStop?: ((reason: StopReason) => unknown) | undefined;
  readonly onStrongerModel?: ((nudge: Nudge, agent: string | undefined) => unknown) | undefined;
  readonly onError?: ((error: unknown, about: unknown) => unknown) | undefined;
  readonly lastTurn?: boolean | undefined;
};

/**
 * What a run is made of. What it does are functions of modules, not its own: an engine compiles them once, and not once for
 * every session.
 */
export type Running = RunHooks & {
  guard: Guard;
  keeper: SessionKeeper | null;
  /** Null = the run's state is its own. */
  given: GivenState | null;
  readonly desks: Desks;
  readonly bookmarks: Bookmarks;
  /** Null = the guard counts the pieces of a stream, so they must come to it as they are. */
  readonly stretches: Stretches | null;
  /** What is told now has happened before: no callback hears of it. */
  isReplayed: boolean;
  /** What the swarm has not answered yet. */
  readonly awaited: Set<Promise<unknown>>;
  readonly asking: OpenQuestions;
  readonly now: () => number | undefined;
  /** For events whose time mostly matters to nobody: then it is not looked up, because that is not cheap. */
  readonly clock: () => number | undefined;
};

export function deskOf({ desks }: Running, agent = ''): Desk {
  return desks.get(agent) ?? newDesk(desks, agent);
}

/** Something has changed that must be saved. */
export function touch(run: Running): void {
  if (run.given !== null) own(run, true);
  if (run.keeper !== null) run.keeper.touch();
}

/** From now on the state is the run's own: because it works, or because it has got another one. */
export function own(run: Running, works: boolean): void {
  const { given } = run;
  run.given = null;
  if (given !== null) takeState(given, run, works);
}

export function report({ onError, session }: Running, error: unknown, about: unknown = session): void {
  safely(() => onError?.(error, about));
}

/** Calls what the host has given: what it throws, now or later, is reported. */
export function attempt(run: Running, call: () => unknown, about?: unknown): void {
  try {
    const result = call();
    if (result instanceof Promise) result.catch((error) => report(run, error, about));
  } catch (error) {
    report(run, error, about);
  }
}

export function take({ guard, swarm }: Running, event: AgentEvent): Decision {
  const decision = guard.accept(event);
  if (swarm !== undefined) swarm.seat.log(event);
  return decision;
}

/** Puts away what the guard has answered: a preset may take all agents together, and then it names none. */
export function put(run: Running, decision: Decision, agent: string | undefined, heard: boolean): void {
  touch(run);
  if (decision.action === 'allow' || decision.action === 'observe') return;
  const desk = deskOf(run, decision.agent ?? agent);
  const before = desk.stop;
  place(desk, decision, heard, run.session);
  if (before === null && desk.stop !== null) stop(run, desk);
}

export function stop(run: Running, desk: Desk): void {
  touch(run);
  if (desk.stop === null) return;
  endQuestion(run.asking, desk.agent, false);
  const { onStop, lastTurn = true } = run;
  const { reason } = desk.stop;
  if (!lastTurn) desk.stop = { reason, lastTurn: false };
  if (!run.isReplayed) attempt(run, () => onStop?.(reason), reason);
}

/** A stopped agent is not looked at: whoever lets it go on finds it as it was. */
export function accept(run: Running, event: AgentEvent): Decision | null {
  hearRest(run, event.agent);
  return acceptNow(run, event);
}

function acceptNow(run: Running, event: AgentEvent): Decision | null {
  const { agent } = event;
  if (run.given !== null) own(run, true);
  if (deskOf(run, agent).stop !== null) return null;
  const decision = take(run, event);
  put(run, decision, agent, false);
  const asked = run.swarm?.seat.told(event);
  if (asked) heedLater(run, asked, agent);
  return decision;
}

/** `false` = cut the stream here. */
export function hear(run: Running, { channel, text }: Stretch, agent: string | undefined): boolean {
  const decision = acceptNow(run, { type: 'text-delta', channel, text, agent, at: run.clock() });
  return decision === null || decision.action === 'allow' || decision.action === 'observe';
}

/** What was streamed comes before whatever happens next. */
export function hearRest(run: Running, agent: string | undefined): void {
  if (run.stretches === null || run.stretches.size === 0) return;
  const rest = restIn(run.stretches, agent ?? '');
  if (rest !== null) hear(run, rest, agent);
}

/** What the guard says to what the swarm has come to; `call` = the number of the call that waits for it. */
export async function heed(
  run: Running,
  asked: Tallies,
  agent: string | undefined,
  call?: number,
): Promise<Decision> {
  const events = await asked;
  if (deskOf(run, agent).stop !== null) return ALLOW;
  let decision = events.map((event) => take(run, event)).reduce(stronger, ALLOW);
  if (decision.action === 'allow') return decision;
  if (call !== undefined) {
    decision = { ...decision, call };
    if (decision.action === 'block')
      take(run, { type: 'tool-result', call, status: 'blocked', output: decision.message });
  }
  put(run, decision, agent, call !== undefined);
  return decision;
}

export function heedLater(run: Running, asked: Tallies, agent: string | undefined): void {
  const heeded = heed(run, asked, agent).finally(() => run.awaited.delete(heeded));
  run.awaited.add(heeded);
}
