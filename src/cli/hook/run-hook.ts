import { join } from 'node:path';
import { digestText } from '../../core/digest-text.ts';
import { DeloopError } from '../../core/errors.ts';
import { isNewer } from '../../core/snapshot.ts';
import type { Intervention, Json } from '../../core/types.ts';
import { type HookState, newHookState, parseHookState } from '../../hooks/hook-state.ts';
import type { Host, Reply, Signal } from '../../hooks/host.ts';
import { type GuardSettings, hostGuard } from '../../hooks/host-guard.ts';
import { hostOf } from '../../hooks/hosts.ts';
import { type News, type ReadNews, takeSignal } from '../../hooks/take-signal.ts';
import { recommended } from '../../presets/recommended.ts';
import { openSessionFiles } from '../../stores/session-files.ts';
import type { Change } from '../../stores/store.ts';
import { updateNow } from '../../stores/update-now.ts';
import { isFields } from '../../transcripts/fields.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { configPresent } from './config-present.ts';
import { type LoggedDecision, writeLog, writeProblem } from './log-file.ts';
import { readNews, readTail } from './transcript-file.ts';

/** What is loaded only when it is needed. */
export type HookParts = {
  /** How to guard, as config files and environment say. */
  readSettings(surroundings: Surroundings): GuardSettings;
  /** The calls that a piece of a transcript tells of. */
  missedCalls(format: string, text: string): News['endings'];
};

export type HookRequest = {
  readonly agent: string | undefined;
  readonly shadow: boolean;
  /** The host's payload, as it came. */
  readonly payload: string;
  readonly surroundings: Surroundings;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

const SESSIONS = 'sessions';
/** How long to wait for the other hooks of a session; hosts give a hook half a minute and more. */
const WAIT_MS = 10_000;
/** So many are remembered: more than run at once. */
const MAX_PAYLOADS = 32;
const DEFAULTS: GuardSettings = { preset: recommended, mode: 'enforce', attended: true };

/** One hook from payload to answer. It never throws: what goes wrong is logged, and the agent goes on. */
export function runHook(request: HookRequest, parts: HookParts): string {
  const folder = stateFolder(request.surroundings);
  const { now } = request;
  const host = hostOf(request.agent);
  let signal: Signal | null = null;
  try {
    if (host === undefined)
      throw new DeloopError('option', `agent is ${request.agent}; deloop knows no such host`);
    signal = decoded(host, request);
    if (signal === null) return '';
    return answered(host, settled(host, signal), folder, request, parts);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const name = host?.name ?? String(request.agent);
    writeProblem(folder, { type: 'problem', at: now, host: name, session: signal?.session, message });
    return '';
  }
}

function decoded(host: Host, { payload, surroundings }: HookRequest): Signal | null {
  let value: unknown;
  try {
    value = JSON.parse(payload.startsWith('\uFEFF') ? payload.slice(1) : payload);
  } catch (cause) {
    throw new DeloopError('event', 'the payload is not JSON', { cause });
  }
  if (!isFields(value)) throw new DeloopError('event', 'the payload is no JSON object');
  return host.decode(value, surroundings.env);
}

function answered(
  host: Host,
  signal: Signal,
  folder: string,
  request: HookRequest,
  parts: HookParts,
): string {
  const { surroundings, shadow, now } = request;
  const here = { ...surroundings, cwd: signal.cwd ?? surroundings.cwd };
  const chosen = configPresent(here) ? parts.readSettings(here) : DEFAULTS;
  const settings: GuardSettings =
    shadow && chosen.mode === 'enforce' ? { ...chosen, mode: 'shadow' } : chosen;
  if (settings.mode === 'off') return '';
  const problems: string[] = [];
  const files = openSessionFiles({
    folder: join(folder, SESSIONS),
    onProblem: ({ message }) => problems.push(message),
  });
  const change: Change<{ readonly reply: Reply; readonly heard: readonly Intervention[] }> = (saved) => {
    const decisions: Intervention[] = [];
    const { state, guard } = restored(host, settings, saved, decisions, problems);
    if (host.stamped === true && signal.at !== undefined && !isNew(state, request.payload))
      return [state as unknown as Json, { reply: { action: 'allow' }, heard: [] }];
    const given = takeSignal(host, state, guard, signal, now, newsFor(host, signal, parts));
    state.guard = guard.state as unknown as Json;
    return [state as unknown as Json, { reply: given, heard: decisions }];
  };
  const { reply, heard } = updateNow(files, `${host.name}-${signal.session}`, change, WAIT_MS);
  const { mode } = settings;
  writeLog(
    folder,
    heard.map((decision) => lineOf(decision, host, signal, reply, mode, now)),
  );
  for (const message of problems)
    writeProblem(folder, { type: 'problem', at: now, host: host.name, session: signal.session, message });
  const answer = host.encode(reply, signal);
  return answer === null ? '' : JSON.stringify(answer);
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
function newsFor(host: Host, { place, transcript, agent }: Signal, parts: HookParts): ReadNews | undefined {
  const { missed } = host;
  if (missed === undefined || transcript === undefined || (place !== 'call' && place !== 'prompt'))
    return undefined;
  // A sub-agent without a transcript of its own is not in that of the main agent.
  if (agent !== undefined && host.name !== 'codex') return undefined;
  return (offset, open) => readNews(transcript, missed, offset, open, parts.missedCalls);
}

/** What cannot be restored is started anew, unless a newer deloop can read it. */
function restored(
  host: Host,
  settings: GuardSettings,
  saved: unknown,
  decisions: Intervention[],
  problems: string[],
): { readonly state: HookState; readonly guard: ReturnType<typeof hostGuard> } {
  const open = (state: HookState) => ({
    state,
    guard: hostGuard(host, settings, state.guard, {
      onDecision: (decision) => decisions.push(decision),
      onError: (error) => problems.push(String(error)),
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

function lineOf(
  decision: Intervention,
  host: Host,
  { session }: Signal,
  reply: Reply,
  mode: GuardSettings['mode'],
  at: number,
): LoggedDecision {
  const { action, level, message, finding, call, agent } = decision;
  const { detector, subject, count } = finding;
  const did = reply.action === 'allow' ? 'none' : reply.action;
  const shown = mode === 'shadow' ? 'shadow' : 'enforce';
  const about = { at, host: host.name, session, agent, call, action, did, mode: shown, level } as const;
  return { type: 'decision', ...about, detector, subject, count, message };
}
