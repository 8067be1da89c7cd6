import { appended } from './appended.ts';
import type { DigestText } from './digest-text.ts';
import { PLAINLY, SAYS_NO } from './emptiness.ts';
import { FAILURES, NOT_RUN } from './endings.ts';
import {
  type CallFact,
  createReader,
  type ResultFact,
  TELLING_ERROR,
  TELLING_RESULT,
} from './ledger-reading.ts';
import {
  after,
  answered,
  type Change,
  callsByRound,
  changeBy,
  ENDING,
  FAILED,
  FINE,
  FRESH,
  holds,
  isAmong,
  isAsked,
  isBusy,
  isForgiven,
  isOtherThan,
  MUTE,
  madeBy,
  NEGATIVE,
  NONE,
  NONE_OPEN,
  type Open,
  PASSED,
  type Row,
  type Shown,
  wasShown,
} from './ledger-rows.ts';
import { dispatch, entryOf } from './rounds.ts';
import { ANY, TOPIC } from './topics.ts';
import type { Entry, Json, Ledger, Sight, Status, ToolKind } from './types.ts';

/** Finished calls remembered. */
const MAX_ROWS = 24;
/** How far back the same words of a tool still mean that it said them again; those before them count along. */
const RECENT = 10;
/** Changes remembered. */
const MAX_CHANGES = 12;
/** Calls without a result that are remembered. */
const MAX_UNANSWERED = 16;
/** What looks have shown. */
const MAX_SHOWN = 12;
/** Milliseconds after which a message of the host is a new beginning; an agent that is told to go on hears it sooner. */
const REST_MS = 5 * 60_000;
/** Who looks at what is over waits for something else to begin, if so much time passes before. */
const OVER_MS = 15_000;
/** Looks that come faster than this, and show nothing new, lead nowhere. */
const LOOK_MS = 10_000;

/** The longest lists that a sight can have. */
export const MOST_REPEATS: number = MAX_ROWS + 1;
/** Of failures; other results count along as far as the ledger goes back. */
export const MOST_ALIKE: number = RECENT + 1;
export const MOST_SAME: number = MAX_ROWS + 1;
export const MOST_BLIND: number = RECENT + 1;

type State = {
  readonly epoch: number;
  readonly users: number;
  readonly rows: readonly Row[];
  readonly changes: readonly Change[];
  readonly open: readonly Open[];
  /** The last call before the model lost its memory. */
  readonly compacted: number;
  readonly shown: readonly Shown[];
  /** The last look that has shown something else than before; the same of a command, or of what is a look only by its answer. */
  readonly moved: number;
  readonly stirred: number;
  /** The time of the last event, 0 = not known. */
  readonly at: number;
  /** How many epochs were only time that passed. */
  readonly waits: number;
  /** How many were only a known command that went a step further. */
  readonly stepped: number;
};
const INITIAL: State = {
  epoch: 0,
  users: 0,
  rows: [],
  changes: [],
  open: NONE_OPEN,
  compacted: 0,
  shown: [],
  moved: 0,
  stirred: 0,
  at: 0,
  waits: 0,
  stepped: 0,
};
const SHAPE: State = {
  ...INITIAL,
  rows: [[0, 0, 0, 0, 0, 0, 0]],
  changes: [[0, 0, 0, 0, [0]]],
  open: [[0, 0, 0]],
  shown: [[0, 0]],
};

/** The ledger: what was done, what came of it, and when the world last changed. It judges nothing; detectors do, by its sight. */
export function createLedger(digestText: DigestText): Ledger {
  const reader = createReader(digestText);
  return {
    name: '#ledger',
    events: ['tool-call', 'tool-result', 'user', 'compaction', 'state-change'],
    needs: [],
    initial: INITIAL,
    shape: SHAPE,
    maxCount: 1,
    failures: true,
    note(call) {
      return reader.call(call, null);
    },
    observe(event, noted, entry) {
      entry.at = Number.isFinite(event.at) ? (event.at as number) : 0;
      if (event.type === 'tool-call') return reader.call(event, entry);
      return event.type === 'tool-result' ? reader.result(event, noted, entry) : null;
    },
    moved(plan, { agents, calls }, mover) {
      for (const agent of agents) {
        if (agent === mover) continue;
        dispatch(plan, agent, entryOf('state-change', agent.agent, agent.rounds, calls), null);
      }
    },
    renew(plan, agent) {
      plan.detectors.forEach(({ ledger }, index) => {
        if (index === 0 || ledger) agent.detectors[index] = plan.initial[index] as Json;
      });
    },
    rouses(agent, at) {
      const state = agent.detectors[0] as State;
      agent.detectors[0] = { ...state, at };
      return state.at > 0 && at - state.at >= REST_MS;
    },
    reduce(saved, entry, fact) {
      const state = saved as State;
      const at = entry.at || state.at;
      switch (entry.event) {
        case 'user':
          return [{ ...state, at, users: state.users + 1, open: NONE_OPEN }, null];
        case 'compaction':
          return [{ ...state, at, compacted: entry.call }, null];
        case 'state-change':
          return [{ ...state, at, epoch: state.epoch + 1 }, null];
        case 'tool-call':
          entry.sight = sightOfCall(state, entry, fact as CallFact);
          return [called(state, at, [entry.sight.key, entry.call, entry.round]), null];
        default:
          return [recorded(state, at, entry, fact as ResultFact), null];
      }
    },
  };
}

/** Written out, as in `recorded`: a copy of a whole object takes several times as long, and this happens at every call. */
function called(state: State, at: number, call: Open): State {
  const { epoch, users, rows, changes, compacted, shown, moved, stirred, waits, stepped } = state;
  const open = appended(state.open, call, MAX_UNANSWERED);
  return { epoch, users, rows, changes, open, compacted, shown, moved, stirred, at, waits, stepped };
}

/** Whether its results say anything about progress: a look, a wait, a step and a thought do not. */
export function weighs(kind: ToolKind): boolean {
  return kind !== 'poll' && kind !== 'wait' && kind !== 'step' && kind !== 'idle';
}

/** It does something, or nothing is known of it. */
function isAct(kind: ToolKind): boolean {
  return kind === 'other' || kind === 'act';
}

/** Where the same call may have moved something each time, though nothing is known of the tool: what looks show tells. The same content moves something only where another was made in between. */
function sinceMoved({ moved, stirred, changes }: State, kind: ToolKind, key: number): number {
  if (isAct(kind)) return moved;
  return kind === 'write' && changes.at(-1)?.[0] !== key ? Math.max(moved, stirred) : 0;
}

/** A look that does not fail shows how things are, and so does a command that changes nothing. */
function isLook(kind: ToolKind, mutates: boolean): boolean {
  if (kind === 'shell') return !mutates;
  return kind === 'read' || kind === 'poll' || kind === 'step' || kind === 'other';
}

function sightOfCall(state: State, entry: Entry, [kind, key, , actor]: CallFact): Sight {
  const { epoch, users, rows, open, stepped } = state;
  let same: Row[] | null = null;
  // Of a poll there are rows only where what it looks at is over.
  if (weighs(kind) || kind === 'poll') {
    const since = sinceMoved(state, kind, key);
    for (const row of rows) {
      if (row[0] !== key || (row[6] & ENDING) === MUTE || isForgiven(row, since) || !holds(row, epoch, users))
        continue;
      // It is held against the way it ended last.
      if (same === null || same[0]?.[1] !== row[1]) same = [];
      same.push(row);
    }
  }
  // What a person said since is worth one more attempt.
  if (isAsked(same, users)) same = null;
  const unanswered =
    open.length === 0 ? open : open.filter((row) => row[0] === key && row[2] !== entry.round);
  const repeats = callsByRound(same, entry);
  entry.topics = ANY | (repeats.length > 0 ? TOPIC.repeat : 0) | (unanswered.length > 0 ? TOPIC.blind : 0);
  return {
    kind,
    status: 'unknown',
    outage: false,
    key,
    actor,
    outcome: same?.[0]?.[1] ?? 0,
    family: 0,
    gist: 0,
    place: 0,
    effect: 'none',
    epoch,
    deeds: epoch - stepped,
    repeats,
    busy: isBusy(rows, same, entry),
    asked: false,
    among: false,
    alike: NONE,
    blind: unanswered.length === 0 ? NONE : [...unanswered.map((row) => row[1]), entry.call],
    changes: NONE,
    stale: false,
    empty: false,
    soft: false,
    moved: false,
    open: false,
    size: 0,
    checks: false,
    passed: ((same?.[0]?.[6] ?? 0) & PASSED) !== 0,
    sign: 'plain',
  };
}

/** The state with one more result, and what that result is worth. */
function recorded(state: State, at: number, entry: Entry, fact: ResultFact): State {
  const { epoch, users, rows, changes, compacted, shown, moved, stirred, waits, stepped } = state;
  const { key, changes: mutates, status, outage, outcome, family, size, actor, checks, telling } = fact;
  const { negative, common, empty, found, sign, passed, steps, gist, place } = fact;
  const within = (ms: number) => state.at === 0 || at - state.at < ms;
  const kind = sign === 'over' && within(OVER_MS) ? 'read' : fact.kind;
  const failed = FAILURES.includes(status);
  const ran = !NOT_RUN.includes(status);
  // A tool that never says anything tells nothing about progress either.
  const ending = failed || status === 'denied' ? FAILED : isAct(kind) && telling === 0 ? MUTE : FINE;
  // What a person refused is refused again, however often it is asked.
  const denied = status === 'denied';
  const weighed = (ran || denied) && !outage && weighs(kind);
  // A change with a check behind it has changed something, even if the check fails.
  const lasting = ran && mutates && (!failed || checks) && !isKnown(rows, fact);
  const change = lasting ? changeBy(changes, key) : undefined;
  // The same command or act with another outcome has moved something again; the same content has not.
  const isOther = change === undefined || (kind !== 'write' && change[3] !== outcome);
  const effect = !lasting ? 'none' : isOther ? 'new' : 'again';
  // Time that passed may have brought something, too.
  const waited = ran && kind === 'wait';
  const now = effect === 'new' || waited ? epoch + 1 : epoch;
  const nextWaits = waited ? waits + 1 : waits;
  const isStep =
    effect === 'new' &&
    change !== undefined &&
    steps &&
    !rows.some((row) => row[0] === key && row[1] === outcome);
  const nextStepped = isStep ? stepped + 1 : stepped;

  let same: Row[] | null = null;
  let alike: Row[] | null = null;
  let isEcho = false;
  if (weighed) {
    // Two commands that check something may well say the same.
    const compared =
      ran && !lasting && !(checks && !failed) && telling >= (failed ? TELLING_ERROR : TELLING_RESULT);
    const since = sinceMoved(state, kind, key);
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as Row;
      if (row[1] !== outcome || row[4] !== epoch || isForgiven(row, since)) continue;
      const recent = index >= rows.length - RECENT && row[5] === users;
      if (row[0] === key && (ending === MUTE ? recent : holds(row, epoch, users))) {
        same ??= [];
        same.push(row);
      }
      if (compared && (recent || (!failed && row[5] === users))) {
        alike ??= [];
        alike.push(row);
        isEcho ||= recent && row[3] !== entry.round;
      }
    }
    if (!isEcho) alike = null;
  }
  const repeats = callsByRound(same, entry);
  const echoes = callsByRound(alike, entry);
  const isEmpty =
    ending === FINE &&
    repeats.length === 0 &&
    (empty === PLAINLY || (empty === SAYS_NO && telling < TELLING_RESULT));
  const calls = lasting
    ? madeBy(isStep ? undefined : change, kind, epoch - waits, sinceMoved(state, kind, key), entry)
    : NONE;
  const open = answered(state.open, entry.call);
  const looked = ran && !failed && isLook(kind, mutates);
  const isMoving = looked && isOtherThan(shown, key, outcome);
  const nextShown =
    looked && !isAmong(shown, key, outcome) ? appended(shown, [key, outcome], MAX_SHOWN) : shown;
  const isIdle = sign === 'guessed' && within(LOOK_MS) && wasShown(shown, outcome);
  const isGlimpse = kind === 'shell' || sign === 'guessed';
  entry.sight = {
    kind,
    status: outage ? 'unknown' : status,
    outage,
    key,
    actor,
    outcome,
    family,
    gist,
    place,
    effect,
    epoch: now,
    deeds: now - nextStepped,
    repeats: ending === MUTE ? NONE : repeats,
    busy: isBusy(rows, same, entry),
    asked: isAsked(same, users),
    among: isBusy(rows, alike, entry),
    alike: echoes,
    blind: ending === MUTE ? repeats : NONE,
    changes: calls,
    // What was read before a compaction is read again for good reason, once.
    stale: ending !== MUTE && !isEmpty && (after(repeats, compacted) || after(echoes, compacted)),
    empty: isEmpty || isIdle,
    soft: repeats.length === 0 && size < common,
    moved: isMoving,
    open: open.at(-1)?.[2] === entry.round,
    size,
    checks,
    passed,
    sign,
  };
  entry.topics =
    ANY |
    (failed ? TOPIC.failure : 0) |
    (ran ? 0 : TOPIC.refusal) |
    (repeats.length > 0 ? TOPIC.repeat | TOPIC.blind : 0) |
    (echoes.length > 0 ? TOPIC.echo : 0) |
    (lasting ? TOPIC.change : 0) |
    (weighs(kind) ? 0 : TOPIC.wait) |
    (kind === 'read' ? TOPIC.page : 0) |
    (outage ? TOPIC.outage : 0);
  // Those who come after see what the text of the result says.
  (entry as { status: Status }).status = entry.sight.status;

  let nextRows = rows;
  let nextChanges = changes;
  if (weighed) {
    const isNew =
      found &&
      ending === FINE &&
      telling > 0 &&
      empty !== PLAINLY &&
      !rows.some((row) => row[0] === key || row[1] === outcome);
    const marks = ending | (negative ? NEGATIVE : 0) | (isNew ? FRESH : 0) | (passed ? PASSED : 0);
    nextRows = appended(rows, [key, outcome, entry.call, entry.round, now, users, marks], MAX_ROWS);
    if (lasting) {
      const others = change === undefined ? changes : changes.filter((known) => known !== change);
      const made: Change = [key, now - nextWaits, entry.round, outcome, calls];
      nextChanges = appended(others, made, MAX_CHANGES);
    }
  }
  return {
    epoch: now,
    users,
    rows: nextRows,
    changes: nextChanges,
    open,
    compacted,
    shown: nextShown,
    moved: isMoving && !isGlimpse ? entry.call : moved,
    stirred: isMoving && isGlimpse ? entry.call : stirred,
    at,
    waits: nextWaits,
    stepped: nextStepped,
  };
}

/** A program that ends as others did lately has changed nothing that anybody could see. */
function isKnown(rows: readonly Row[], { kind, telling, outcome }: ResultFact): boolean {
  if (kind !== 'other' || telling < TELLING_RESULT) return false;
  return rows.slice(-RECENT).some((row) => row[1] === outcome);
}
