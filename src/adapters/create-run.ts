import type { Guard } from '../core/guard.ts';
import type { AgentEvent, Usage } from '../core/types.ts';
import type { Store } from '../stores/store.ts';
import { answer, ask } from './asking.ts';
import { putIn, replaceBookmarks } from './bookmark.ts';
import { type Desk, emptyDesk, type Nudge } from './desk.ts';
import { replaceIn, waitingIn } from './desks.ts';
import type { GivenState } from './given-state.ts';
import { isCancelled } from './is-cancelled.ts';
import { after, before, judge } from './judging.ts';
import { endQuestion } from './open-questions.ts';
import type { HostTurn, Run } from './run.ts';
import { parseRunState, type RunState } from './run-state.ts';
import {
  accept,
  attempt,
  deskOf,
  hear,
  own,
  type RunHooks,
  type Running,
  report,
  take,
  touch,
} from './running.ts';
import { createSessionKeeper, DONE } from './session-keeper.ts';
import type { StopReason } from './stop-reason.ts';
import { joinedTo, type Stretch } from './stretches.ts';
import { unlessBroken } from './unless-broken.ts';

export type RunOptions = RunHooks & {
  readonly store?: Store | undefined;
  readonly given?: GivenState | undefined;
  /** `isReplayed` = nobody must hear of decisions now. */
  readonly makeGuard: (state: unknown, isReplayed: () => boolean) => Guard;
  /** `true` = the guard counts the pieces of a stream, so they must come to it as they are. */
  readonly countsPieces?: boolean | undefined;
  /** `true` = the guard measures time at work, by every event. */
  readonly countsTime?: boolean | undefined;
  readonly now?: (() => number) | undefined;
};

const NO_TIME = () => undefined;
const NOTHING_SAVED = { desks: [], bookmarks: [] };

export function createRun({ store, given, makeGuard, countsPieces, countsTime, ...hooks }: RunOptions): Run {
  const { session, swarm, onAsk, onStop, onStrongerModel, onError, lastTurn } = hooks;
  const now = hooks.now === undefined ? Date.now : unlessBroken(hooks.now, onError, session);
  const saved = given === undefined || given.isTaken ? null : parseRunState(given.saved);
  const isReplayed = () => run.isReplayed;
  // Written out: what is spread from options is of another shape in every session, and an engine looks everything up in it anew.
  const run: Running = {
    session,
    swarm,
    onAsk,
    onStop,
    onStrongerModel,
    onError,
    lastTurn,
    guard: makeGuard(saved?.guard, isReplayed),
    keeper: null,
    given: null,
    desks: new Map(),
    bookmarks: new Map(),
    stretches: countsPieces === true ? null : new Map(),
    isReplayed: false,
    awaited: new Set(),
    asking: new Map(),
    now,
    clock: countsTime === true ? now : NO_TIME,
  };
  if (saved !== null) takeOver(run, saved);
  if (saved !== null && given !== undefined) {
    run.given = given;
    given.returns.set(run, () => {
      run.given = null;
      run.guard = makeGuard(undefined, isReplayed);
      takeOver(run, NOTHING_SAVED);
      touch(run);
    });
  }
  if (store !== undefined && session !== undefined)
    run.keeper = createSessionKeeper({
      store,
      session,
      restore(found) {
        const theirs = parseRunState(found);
        run.guard = makeGuard(theirs.guard, isReplayed);
        takeOver(run, theirs);
        own(run, false);
      },
      state: () => stateOf(run),
      report: (error) => report(run, error),
    });
  return new OwnRun(run);
}

/** A class, because of its getters: objects that are written down with some are slow, from the second one on. */
class OwnRun implements Run {
  private readonly running: Running;
  readonly session: Run['session'];
  readonly swarm: Run['swarm'];

  constructor(running: Running) {
    this.running = running;
    this.session = running.session;
    this.swarm = running.swarm?.member ?? null;
  }

  get isReady(): boolean {
    const { swarm, keeper } = this.running;
    return swarm === undefined && (keeper === null || keeper.isReady());
  }

  get stopped(): StopReason | null {
    return deskOf(this.running).stop?.reason ?? null;
  }

  get state(): RunState {
    return stateOf(this.running);
  }

  readonly ready: Run['ready'] = () => this.running.keeper?.ready() ?? DONE;
  readonly begin: Run['begin'] = () => this.running.keeper?.begin() ?? DONE;
  readonly isIdle: Run['isIdle'] = (agent) => isIdle(this.running, deskOf(this.running, agent));
  readonly isQuiet: Run['isQuiet'] = (agent) => {
    const desk = deskOf(this.running, agent);
    return desk.stop === null && desk.nudges.length === 0 && isIdle(this.running, desk);
  };
  readonly user: Run['user'] = (text, { by, agent } = {}) => {
    if (by !== 'host') clear(this.running, agent);
    accept(this.running, { type: 'user', text, by, agent, at: this.running.now() });
  };
  readonly turn: Run['turn'] = (turn = {}) => onTurn(this.running, turn);
  readonly spent: Run['spent'] = (usage, agent) => {
    const desk = deskOf(this.running, agent);
    desk.usage = sum(desk.usage, usage);
  };
  readonly delta: Run['delta'] = (channel, text, agent) => onDelta(this.running, channel, text, agent);
  readonly before: Run['before'] = (call) => before(this.running, call);
  readonly check: Run['check'] = async (call) => judge(this.running, call);
  readonly judge: Run['judge'] = (call) => judge(this.running, call);
  readonly after: Run['after'] = (call, result, { replaceable = false } = {}) =>
    after(this.running, call, result, replaceable);
  readonly failed: Run['failed'] = (call, error, signal) => {
    const { name, message } = error instanceof Error ? error : { name: undefined, message: String(error) };
    const status = isCancelled(signal) ? 'cancelled' : 'error';
    after(this.running, call, { output: message, status, errorType: name }, false);
  };
  readonly replay: Run['replay'] = (on) => {
    this.running.isReplayed = on;
  };
  readonly tell: Run['tell'] = (event) => {
    accept(this.running, event.at === undefined ? { ...event, at: this.running.now() } : event);
  };
  readonly takeNudge: Run['takeNudge'] = (agent) => takeNudge(this.running, agent);
  readonly takeLastTurn: Run['takeLastTurn'] = (agent) => {
    const desk = deskOf(this.running, agent);
    if (desk.stop?.lastTurn !== true) return false;
    desk.stop = { ...desk.stop, lastTurn: false };
    touch(this.running);
    return true;
  };
  readonly isOver: Run['isOver'] = (agent) => deskOf(this.running, agent).stop?.lastTurn === false;
  readonly stoppedFor: Run['stoppedFor'] = (agent) => deskOf(this.running, agent).stop?.reason ?? null;
  readonly questionFor: Run['questionFor'] = (agent) => deskOf(this.running, agent).question;
  readonly settle: Run['settle'] = async (agent) => {
    const { awaited } = this.running;
    if (awaited.size > 0) await Promise.all(awaited);
    if (deskOf(this.running, agent).question !== null) await ask(this.running, agent);
  };
  readonly answer: Run['answer'] = (said, agent) =>
    whenReady(this.running, () => answer(this.running, said, agent));
  readonly resume: Run['resume'] = (agent) => whenReady(this.running, () => resume(this.running, agent));
  readonly bookmarkFor: Run['bookmarkFor'] = (agent = '') => this.running.bookmarks.get(agent) ?? null;
  readonly keepBookmark: Run['keepBookmark'] = (bookmark) => {
    putIn(this.running.bookmarks, bookmark);
    touch(this.running);
  };
  readonly saved: Run['saved'] = () => {
    const { awaited, keeper } = this.running;
    const kept = () => keeper?.saved() ?? DONE;
    return awaited.size === 0 ? kept() : Promise.all(awaited).then(kept);
  };
}

function stateOf({ guard, desks, bookmarks }: Running): RunState {
  const state: RunState = { version: 1, guard: guard.state, desks: waitingIn(desks) };
  return bookmarks.size === 0 ? state : { ...state, bookmarks: [...bookmarks.values()] };
}

function takeOver(run: Running, { desks, bookmarks }: Omit<ReturnType<typeof parseRunState>, 'guard'>): void {
  replaceIn(run.desks, desks);
  replaceBookmarks(run.bookmarks, bookmarks);
  for (const [agent, { question }] of run.asking)
    if (run.desks.get(agent)?.question?.call !== question.call) endQuestion(run.asking, agent, false);
}

function isIdle({ awaited, keeper }: Running, { question }: Desk): boolean {
  return awaited.size === 0 && (keeper === null || keeper.isIdle()) && question === null;
}

/** Whatever waits for the agent is over; only what it has cost remains. */
function clear(run: Running, agent: string | undefined): void {
  const desk = deskOf(run, agent);
  endQuestion(run.asking, desk.agent, false);
  Object.assign(desk, { ...emptyDesk(desk.agent), usage: desk.usage });
}

/** A person may speak before anything of the session is there. */
function whenReady({ keeper }: Running, act: () => void): void {
  if (keeper === null) act();
  else keeper.whenReady(act);
}

function resume(run: Running, agent: string | undefined): void {
  const desk = deskOf(run, agent);
  if (desk.question !== null) answer(run, true, agent);
  if (desk.stop === null) return;
  clear(run, agent);
  take(run, { type: 'control', do: 'approve', agent });
  touch(run);
}

function onTurn(run: Running, { text, reasoning, usage, tools, agent }: HostTurn): void {
  const desk = deskOf(run, agent);
  const all = sum(desk.usage, usage);
  const turn: AgentEvent = {
    type: 'turn',
    text,
    reasoning,
    usage: all ?? undefined,
    tools,
    agent,
    at: run.clock(),
  };
  desk.usage = accept(run, turn) === null ? all : null;
}

function onDelta(
  run: Running,
  channel: Stretch['channel'],
  text: string,
  agent: string | undefined,
): boolean {
  const piece = { channel, text };
  // A host may send anything.
  const isJoined = run.stretches !== null && typeof text === 'string';
  const stretch = isJoined ? joinedTo(run.stretches, piece, agent ?? '') : piece;
  return stretch === null || hear(run, stretch, agent);
}

function takeNudge(run: Running, agent: string | undefined): Nudge | null {
  const desk = deskOf(run, agent);
  const { nudges } = desk;
  if (nudges.length === 0) return null;
  desk.nudges = [];
  for (const { about } of nudges) take(run, { type: 'control', do: 'delivered', agent, scope: about });
  touch(run);
  const nudge: Nudge = {
    text: nudges.map(({ text }) => text).join('\n\n'),
    strongerModel: nudges.some(({ strongerModel }) => strongerModel),
  };
  const { onStrongerModel } = run;
  if (nudge.strongerModel && !run.isReplayed) attempt(run, () => onStrongerModel?.(nudge, agent), nudge);
  return nudge;
}

function sum(first: Usage | null, second: Usage | undefined): Usage | null {
  if (first === null || second === undefined) return second ?? first;
  return {
    input: first.input + second.input,
    output: first.output + second.output,
    cachedInput: (first.cachedInput ?? 0) + (second.cachedInput ?? 0),
  };
}
