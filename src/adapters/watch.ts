import type { Swarm } from '../core/checked-guard.ts';
import { digestText } from '../core/digest-text.ts';
import { checkFunctions, refuseUnknown, wrong } from '../core/options.ts';
import type { AgentEvent, Intervention } from '../core/types.ts';
import { countsPieces, countsTime, guardsOf, KNOWN, type Options } from '../guards.ts';
import { checkStore } from '../stores/check-store.ts';
import type { Store } from '../stores/store.ts';
import type { SwarmOptions } from '../swarm/swarm-options.ts';
import { joinSwarm, type SwarmOfGuards } from '../swarm-of-guards.ts';
import { createRun } from './create-run.ts';
import type { Nudge } from './desk.ts';
import { givenState } from './given-state.ts';
import type { Run } from './run.ts';
import type { RunSwarm } from './running.ts';
import type { Answer, Question, StopReason } from './stop-reason.ts';

/** What every adapter takes: the options of `createGuard`, and what a host needs beside a guard. */
export type WatchOptions = Omit<Options, 'onDecision' | 'onError' | 'state' | 'swarm'> & {
  /** Names the run where the host has no name for it; runs of one name go on from each other. */
  readonly session?: string | undefined;
  /** Keeps the state of sessions between processes. If it breaks, the agent goes on and `onError` hears of it. */
  readonly store?: Store | undefined;
  /**
   * The swarm that the runs are in: what the others do counts, too. Its tallies are in the `store`. Every session is a worker
   * of its own. (Or a tally of one process, as `createGuard` takes it.)
   */
  readonly swarm?: SwarmOptions | Swarm | undefined;
  /** What `run.state` gave before, for the first session that works; throws where it cannot be read. */
  readonly state?: unknown;
  /** Asks a person, for hosts that have no way of their own. With it, `attended` is true. */
  readonly onAsk?: ((question: Question) => Answer | Promise<Answer>) | undefined;
  /** Hears why an agent was stopped, when it is. */
  readonly onStop?: ((reason: StopReason) => unknown) | undefined;
  /** Hears that a stronger model might help for the next response. */
  readonly onStrongerModel?: ((nudge: Nudge, agent: string | undefined) => unknown) | undefined;
  /** Hears every decision other than allow, in shadow mode too. */
  readonly onDecision?:
    | ((decision: Intervention, event: AgentEvent, session: string | undefined) => void)
    | undefined;
  readonly onError?: ((error: unknown, about: unknown) => void) | undefined;
  /** `false` = a stop is a stop; otherwise the model may report once more, without tools, where the guard says so. */
  readonly lastTurn?: boolean | undefined;
  /** The clock, in milliseconds since the epoch. It is looked at for results, and for other events where time is measured. */
  readonly now?: (() => number) | undefined;
};

/** One set of options over any number of runs. */
export type Watch = {
  /** The run of a session, the same one each time; 2048 are kept in memory, and the rest in the store. */
  run(session?: string): Run;
  /** A run that has no name and belongs to whoever holds it. */
  start(): Run;
};

/** What an adapter knows of its host. */
export type HostTraits = {
  /** Handoffs are told as events, beside the calls of tools that make them. */
  readonly tellsHandoffs?: boolean;
  /** Options that the adapter takes beside those of all, and keeps to itself. */
  readonly ownOptions?: readonly string[];
};

type Told = readonly [decision: Intervention, event: AgentEvent];

/** Each takes some 20 KB. */
const MAX_RUNS = 2048;
const MAIN = 'main';
/** Characters of a worker's name before the part that tells its sessions apart, and digests of sessions. */
const MAX_WORKER = 40;
const DIGESTS = 36 ** 6;

/** Those of the guard are looked at where it is made. */
const CALLBACKS = ['onAsk', 'onStop', 'onStrongerModel', 'now'] satisfies (keyof WatchOptions)[];

/** What every adapter can be given. */
const ALL_KNOWN: readonly string[] = [
  ...KNOWN,
  ...([
    'session',
    'store',
    'onAsk',
    'onStop',
    'onStrongerModel',
    'lastTurn',
    'now',
  ] satisfies (keyof WatchOptions)[]),
];

/** Throws when an option can never work; nothing that comes from it throws afterwards. */
export function createWatch(options: WatchOptions = {}, traits: HostTraits = {}): Watch {
  refuseUnknown(options, [...ALL_KNOWN, ...(traits.ownOptions ?? [])], 'deloop');
  const { session: main, store, state, onAsk, onStop, onStrongerModel, lastTurn, now, ...rest } = options;
  if (store !== undefined) checkStore(store);
  if (main !== undefined && (typeof main !== 'string' || main === ''))
    throw wrong('session', main, 'a text that is not empty');
  checkFunctions(options, CALLBACKS);
  if (lastTurn !== undefined && typeof lastTurn !== 'boolean')
    throw wrong('lastTurn', lastTurn, 'true or false');
  const { onDecision, onError, attended = onAsk !== undefined } = rest;
  const { swarm, ...forGuard } = { ...rest, onDecision: onDecision as Options['onDecision'], attended };
  const joined = isTally(swarm) || forGuard.mode === 'off' ? null : joinedBy(swarm, store, forGuard, traits);
  const guards = joined?.guards ?? guardsOf({ ...forGuard, ...(isTally(swarm) && { swarm }) });
  const runs = new Map<string, Run>();
  const used = {
    store,
    onAsk,
    onStop,
    onStrongerModel,
    onError,
    lastTurn,
    now,
    countsPieces: countsPieces(rest),
    countsTime: swarm !== undefined || countsTime(rest),
  };
  let nameless = 0;

  /** Every session is a worker of its own; whose it is, the others need not know. */
  function workerOf(session: string | undefined, worker: string): string {
    if (session === (main ?? MAIN)) return worker;
    const which = session === undefined ? ++nameless : (digestText(session) % DIGESTS).toString(36);
    return `${worker.slice(0, MAX_WORKER)}#${which}`;
  }

  function seatOf(session: string | undefined): RunSwarm | undefined {
    if (joined === null) return undefined;
    const { member, listener } = joined;
    return { member, listener, seat: joined.seat(workerOf(session, joined.worker), session) };
  }

  const given = givenState(state);

  function open(session: string | undefined): Run {
    const hear = (isReplayed: () => boolean) =>
      onDecision && ((...told: Told) => (isReplayed() ? undefined : onDecision(...told, session)));
    return createRun({
      ...used,
      session,
      swarm: seatOf(session),
      given,
      makeGuard: (from, isReplayed) => guards({ onError, onDecision: hear(isReplayed), state: from }),
    });
  }

  /** Hosts ask for the same one many times in a row. */
  let latest: { readonly name: string; readonly run: Run } | null = null;
  // The options are looked at now.
  let first: Run | null = open(main);

  function opened(session: string | undefined): Run {
    if (first === null || session !== main) return open(session);
    const run = first;
    first = null;
    return run;
  }

  return {
    run(session = main ?? MAIN) {
      if (latest !== null && session === latest.name) return latest.run;
      const run = runs.get(session) ?? opened(session);
      latest = { name: session, run };
      runs.delete(session);
      runs.set(session, run);
      if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value as string);
      return run;
    },
    start: () => opened(undefined),
  };
}

function isTally(swarm: SwarmOptions | Swarm | undefined): swarm is Swarm | undefined {
  return swarm === undefined || (typeof swarm === 'object' && swarm !== null && 'tally' in swarm);
}

function joinedBy(
  swarm: SwarmOptions,
  store: Store | undefined,
  options: Omit<Options, 'swarm'>,
  { tellsHandoffs }: HostTraits,
): SwarmOfGuards {
  if (store === undefined) throw wrong('store', store, 'a store, for the tallies of the swarm to be in');
  return joinSwarm({ store, swarm, options, tellsHandoffs });
}
