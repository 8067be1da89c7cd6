import { join } from 'node:path';
import { digestText } from '../../core/digest-text.ts';
import { DeloopError } from '../../core/errors.ts';
import type { Guard, Mode } from '../../core/guard.ts';
import { isNewer } from '../../core/snapshot.ts';
import type { Intervention, Json, SwarmTallyEvent } from '../../core/types.ts';
import { countsTokens } from '../../hooks/counts-tokens.ts';
import { type HookState, newHookState, parseHookState } from '../../hooks/hook-state.ts';
import type { Host, Reply, Signal } from '../../hooks/host.ts';
import { hostGuard } from '../../hooks/host-guard.ts';
import {
  both,
  callDigest,
  type News,
  type ReadNews,
  takeSignal,
  takeTallies,
} from '../../hooks/take-signal.ts';
import { recommended } from '../../presets/recommended.ts';
import { openSessionFiles } from '../../stores/session-files.ts';
import type { Change } from '../../stores/store.ts';
import { updateNow } from '../../stores/update-now.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { configPresent } from './config-present.ts';
import type { HookSettings, SwarmSettings } from './hook-settings.ts';
import { type LogLine, writeLog, writeProblem } from './log-file.ts';
import { isPaused } from './paused.ts';
import { SESSIONS, sessionKey } from './session-key.ts';
import type { SwarmWorker } from './swarm-worker.ts';
import { readNews, readTail } from './transcript-file.ts';

/** What is loaded only when it is needed. */
export type HookParts = {
  /** How to guard, as config files and environment say. */
  readSettings(surroundings: Surroundings): HookSettings;
  /** The calls that a piece of a transcript tells of. */
  missedCalls(format: string, text: string): News['endings'];
  /** The tokens that it counts. */
  spentTokens(format: string, text: string): News['spent'];
  /** The session's place in its swarm. */
  joinSwarm(settings: SwarmSettings, worker: string, rulesFor: HookSettings['rulesFor']): SwarmWorker;
};

export type JudgeRequest = {
  readonly surroundings: Surroundings;
  readonly shadow: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the host sent, to tell whether it was sent before. */
  readonly payload?: string;
  /** How long to wait for the other hooks of a session; hosts give a hook half a minute and more. */
  readonly waitMs?: number;
};

type Outcome = { readonly reply: Reply; readonly heard: readonly Intervention[]; readonly calls: number };

const WAIT_MS = 25_000;
/** Names the run of `deloop run` that an agent, and so its hooks, belong to. */
export const RUN = 'DELOOP_RUN';
/** How often a hook looks whether another one of its session is done telling the swarm. */
const POLL_MS = 5;
const WORKER_DIGITS = 6;
/** So many are remembered: more than run at once. */
const MAX_PAYLOADS = 32;
const DEFAULTS: HookSettings = { preset: recommended, mode: 'enforce', attended: true };
const ALLOW: Reply = { action: 'allow' };

/**
 * What a host should do at a signal, by all that is known of its session; it is remembered and logged. A promise only where the
 * session is in a swarm. Throws when that cannot be done.
 */
export function judge(
  host: Host,
  told: Signal,
  request: JudgeRequest,
  parts: HookParts,
): Reply | Promise<Reply> {
  const { surroundings, shadow, now, payload, waitMs = WAIT_MS } = request;
  const folder = stateFolder(surroundings);
  const signal = settled(host, told);
  const here = { ...surroundings, cwd: signal.cwd ?? surroundings.cwd };
  const chosen = configPresent(here) ? parts.readSettings(here) : DEFAULTS;
  const settings: HookSettings = shadow && chosen.mode === 'enforce' ? { ...chosen, mode: 'shadow' } : chosen;
  const session = sessionKey(host.name, signal.session);
  if (settings.mode === 'off' || isPaused(folder, session, now)) return ALLOW;
  const { swarm, rulesFor } = settings;
  const counts = swarm !== undefined || countsTokens(settings.preset);
  if (signal.place === 'usage' && !counts) return ALLOW;
  const problems: string[] = [...(settings.problems ?? [])];
  const files = openSessionFiles({
    folder: join(folder, SESSIONS),
    onProblem: ({ message }) => problems.push(message),
  });
  const worker = swarm && parts.joinSwarm(swarm, swarm.options.worker ?? workerName(host, signal), rulesFor);

  function update(take: (state: HookState, guard: Guard) => Reply): Outcome {
    const change: Change<Outcome> = (saved) => {
      const heard: Intervention[] = [];
      const { state, guard } = restored(host, settings, saved, heard, problems, worker);
      const reply = take(state, guard);
      state.guard = guard.state as unknown as Json;
      return [state as unknown as Json, { reply, heard, calls: guard.calls }];
    };
    const outcome = updateNow(files, session, change, waitMs);
    const run = surroundings.env[RUN] || undefined;
    writeLog(folder, linesOf(host, signal, outcome, { mode: settings.mode, run, at: now }));
    return outcome;
  }

  function report(): void {
    for (const message of problems.splice(0))
      writeProblem(folder, { type: 'problem', at: now, host: host.name, session: signal.session, message });
  }

  const stamped = host.stamped === true && signal.at !== undefined && payload !== undefined;
  const { reply } = update((state, guard) => {
    if (stamped && !isNew(state, payload)) return ALLOW;
    const watched = worker?.watch(guard) ?? guard;
    const taken = takeSignal(host, state, watched, signal, now, newsFor(host, signal, counts, parts));
    if (worker === undefined) return taken;
    const refused = taken.action === 'block' || taken.action === 'halt';
    state.swarm = worker.begin(state.swarm, now, refused);
    const stop = signal.place === 'turn' ? worker.stopped(state.swarm) : null;
    return stop === null ? taken : both(taken, takeTallies(host, state, guard, signal, [stop], now));
  });
  report();
  if (worker === undefined || !worker.asks) return reply;
  const tell = (tallies: readonly SwarmTallyEvent[]) =>
    update((state, guard) => {
      state.swarm = worker.end(state.swarm, now);
      return tallies.length === 0 ? ALLOW : takeTallies(host, state, guard, signal, tallies, now);
    }).reply;
  return heedSwarm(worker, now, update, tell)
    .then((heard) => both(reply, heard))
    .catch((error: unknown) => {
      problems.push(error instanceof Error ? error.message : String(error));
      return reply;
    })
    .finally(() => {
      if (worker.problem !== undefined) problems.push(worker.problem);
      report();
    });
}

/** Asks the swarm when no other hook of the session does, and lets the guard hear what it has come to. */
async function heedSwarm(
  worker: SwarmWorker,
  now: number,
  update: (take: (state: HookState) => Reply) => unknown,
  tell: (tallies: readonly SwarmTallyEvent[]) => Reply,
): Promise<Reply> {
  let waited = 0;
  for (; !worker.claimed && waited < worker.waitMs; waited += POLL_MS) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    update((state) => {
      state.swarm = worker.claim(state.swarm, now + waited);
      return ALLOW;
    });
  }
  return tell(await worker.ask(worker.waitMs - waited));
}

/** A worker without a name of its own; nobody learns from it what the session is called. */
function workerName({ name }: Host, { session }: Signal): string {
  return `${name}#${digestText(session).toString(36).slice(-WORKER_DIGITS)}`;
}

/** Whether a payload was never seen before. */
function isNew(state: HookState, payload: string): boolean {
  const digest = digestText(payload).toString(36);
  if (state.payloads.includes(digest)) return false;
  state.payloads = [...state.payloads, digest].slice(-MAX_PAYLOADS);
  return true;
}

/** The ending of a call as the transcript tells it, where the payload does not. */
function settled(host: Host, signal: Signal): Signal {
  if (signal.place !== 'result' || host.endingIn === undefined) return signal;
  const { transcript, id } = signal;
  if (transcript === undefined || id === undefined) return signal;
  const status = host.endingIn(readTail(transcript), id);
  return status === undefined ? signal : { ...signal, status };
}

/** Only before a call, where something can be done about it, and where a person has written, so that it is known where to begin. */
function newsFor(
  host: Host,
  { place, transcript, agent }: Signal,
  counts: boolean,
  { missedCalls, spentTokens }: HookParts,
): ReadNews | undefined {
  const { missed } = host;
  if (missed === undefined || transcript === undefined || (place !== 'call' && place !== 'prompt'))
    return undefined;
  // A sub-agent without a transcript of its own is not in that of the main agent.
  if (agent !== undefined && host.name !== 'codex') return undefined;
  const parts = { missedCalls, spentTokens: counts ? spentTokens : undefined };
  return (offset, open) => readNews(transcript, missed, offset, open, parts);
}

/** What cannot be restored is started anew, unless a newer deloop can read it. */
function restored(
  host: Host,
  settings: HookSettings,
  saved: unknown,
  decisions: Intervention[],
  problems: string[],
  worker: SwarmWorker | undefined,
): { readonly state: HookState; readonly guard: ReturnType<typeof hostGuard> } {
  const open = (state: HookState) => ({
    state,
    guard: hostGuard(host, settings, state.guard, {
      onDecision: (decision) => decisions.push(decision),
      onError: (error) => problems.push(String(error)),
      followUp: worker?.followUp,
    }),
  });
  if (saved === null) return open(newHookState());
  try {
    return open(parseHookState(saved));
  } catch (error) {
    if (!(error instanceof DeloopError)) throw error;
    if (isNewer(saved) || isNewer((saved as HookState).guard)) throw error;
    problems.push(`${error.message}: it was started anew`);
    return open(newHookState());
  }
}

/** What there is to log: every decision, and every call that was refused because of an earlier one. */
function linesOf(
  host: Host,
  signal: Signal,
  { reply, heard, calls }: Outcome,
  { mode, ...when }: { readonly mode: Mode; readonly run: string | undefined; readonly at: number },
): readonly LogLine[] {
  const { session, transcript } = signal;
  const did = reply.action === 'allow' ? 'none' : reply.action;
  const refused = signal.place === 'call' && (did === 'block' || did === 'halt');
  if (heard.length === 0 && !refused) return [];
  const digest = signal.place === 'call' || signal.place === 'result' ? callDigest(signal) : undefined;
  const about = { ...when, host: host.name, session, did, refused, digest, transcript } as const;
  if (heard.length === 0 && reply.action !== 'allow')
    return [{ type: 'refusal', ...about, agent: signal.agent, call: calls, message: reply.message }];
  const shown = mode === 'shadow' ? 'shadow' : 'enforce';
  return heard.map(({ action, level, message, finding, call, agent }) => {
    const { detector, subject, count } = finding;
    const decided = { agent, call, action, mode: shown, level, detector, subject, count, message } as const;
    return { type: 'decision', ...about, ...decided };
  });
}
