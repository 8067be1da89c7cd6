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
import { joinedTo, type Stretch } from './stretches.ts';

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

export function createRun({
  store,
  given,
  makeGuard,
  countsPieces,
  countsTime,
  ...options
}: RunOptions): Run {
  const { session, swarm, now = Date.now } = options;
  const saved = given === undefined || given.isTaken ? null : parseRunState(given.saved);
  const isReplayed = () => run.isReplayed;
  const run: Running = {
    ...options,
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
  const { keeper } = run;

  return {
    session,
    ready: () => keeper?.ready() ?? DONE,
    begin: () => keeper?.begin() ?? DONE,
    get isReady() {
      return swarm === undefined && (keeper?.isReady ?? true);
    },
    isIdle: (agent) => isIdle(run, deskOf(run, agent)),
    isQuiet(agent) {
      const desk = deskOf(run, agent);
      return desk.stop === null && desk.nudges.length === 0 && isIdle(run, desk);
    },
    user(text, { by, agent } = {}) {
      if (by !== 'host') clear(run, agent);
      accept(run, { type: 'user', text, by, agent, at: now() });
    },
    turn: (turn = {}) => onTurn(run, turn),
    spent(usage, agent) {
      const desk = deskOf(run, agent);
      desk.usage = sum(desk.usage, usage);
    },
    delta: (channel, text, agent) => onDelta(run, channel, text, agent),
    before: (call) => before(run, call),
    check: async (call) => judge(run, call),
    judge: (call) => judge(run, call),
    after: (call, result, { replaceable = false } = {}) => after(run, call, result, replaceable),
    failed(call, error, signal) {
      const { name, message } = error instanceof Error ? error : { name: undefined, message: String(error) };
      const status = isCancelled(signal) ? 'cancelled' : 'error';
      after(run, call, { output: message, status, errorType: name }, false);
    },
    replay(on) {
      run.isReplayed = on;
    },
    tell(event) {
      accept(run, event.at === undefined ? { ...event, at: now() } : event);
    },
    takeNudge: (agent) => takeNudge(run, agent),
    takeLastTurn(agent) {
      const desk = deskOf(run, agent);
      if (desk.stop?.lastTurn !== true) return false;
      desk.stop = { ...desk.stop, lastTurn: false };
      touch(run);
      return true;
    },
    isOver: (agent) => deskOf(run, agent).stop?.lastTurn === false,
    get stopped() {
      return deskOf(run).stop?.reason ?? null;
    },
    stoppedFor: (agent) => deskOf(run, agent).stop?.reason ?? null,
    questionFor: (agent) => deskOf(run, agent).question,
    async settle(agent) {
      if (run.awaited.size > 0) await Promise.all(run.awaited);
      if (deskOf(run, agent).question !== null) await ask(run, agent);
    },
    answer: (said, agent) => whenReady(run, () => answer(run, said, agent)),
    resume: (agent) => whenReady(run, () => resume(run, agent)),
    bookmarkFor: (agent = '') => run.bookmarks.get(agent) ?? null,
    keepBookmark(bookmark) {
      putIn(run.bookmarks, bookmark);
      touch(run);
    },
    get state() {
      return stateOf(run);
    },
    saved() {
      const kept = () => keeper?.saved() ?? DONE;
      return run.awaited.size === 0 ? kept() : Promise.all(run.awaited).then(kept);
    },
    swarm: swarm?.member ?? null,
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
  return awaited.size === 0 && keeper?.isIdle !== false && question === null;
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
