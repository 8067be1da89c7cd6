import type { GuardOptions } from '../../core/guard.ts';
import type { RulesFor } from '../../core/plan.ts';
import { swarmKey } from '../../core/tally.ts';
import type { Json, SwarmTallyEvent, ToolCallEvent, ToolResultEvent } from '../../core/types.ts';
import type { Judging } from '../../hooks/take-signal.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import type { Answer, Board, Count, Note, Request, SwarmScope } from '../../stores/board.ts';
import { keyOf } from '../../stores/tallies.ts';
import { NOTHING } from '../../stores/tally.ts';
import { type MemberNews, tallyEvent } from '../../swarm/member.ts';
import { takeSeat } from '../../swarm/seat.ts';
import { resolveSwarm } from '../../swarm/swarm-options.ts';
import { likelyTallies } from '../../swarm/telling-tallies.ts';
import type { HeardCall, OpenCall } from '../../swarm/worker-notes.ts';
import type { SwarmSettings } from './hook-settings.ts';
import { openBoard } from './swarm-board.ts';
import { answered, joined, type Line, lineOf, requestOf, totalsOf } from './swarm-line.ts';

/**
 * A session in its swarm, for the time of one hook. What it has to tell stands in the session's state until the store has it, so
 * that nothing is lost and nothing counted twice, whichever process tells it.
 */
export type SwarmWorker = {
  readonly waitMs: number;
  readonly followUp: NonNullable<GuardOptions['followUp']>;
  /** A guard that notes down what the swarm must be told. */
  watch(guard: Judging): Judging;
  /** Puts what was noted in line, within a change of the state. `refused` = the call does not run, and so is none. */
  begin(saved: Json, now: number, refused: boolean): Json;
  /** Takes the line up, unless another hook of the session has it. */
  claim(saved: Json, now: number): Json;
  /** Whether this hook has it, or need not have it. */
  readonly claimed: boolean;
  /** Whether anything comes back that the agent must wait for. */
  readonly asks: boolean;
  /** What the swarm has come to. Settles within the time, and never rejects. */
  ask(withinMs: number): Promise<readonly SwarmTallyEvent[]>;
  /** What has come of it, within a change of the state. */
  end(saved: Json, now: number): Json;
  /** Why the store could not be used, when that is news. */
  readonly problem: string | undefined;
  /** That the swarm was stopped, as far as it is known; null = it was not. */
  stopped(saved: Json): SwarmTallyEvent | null;
};

/** In the state of the session. */
type Saved = {
  readonly own: Line;
  /** What is rolled up. */
  readonly tenant: Line | null;
  /** Until then another hook tells, in milliseconds since the epoch. */
  readonly until: number;
  /** Until then nobody tries a store that has failed, and how long it will be the next time. */
  readonly retryAt: number;
  readonly pause: number;
  /** What was counted last of calls that may be a dead end, for the time when the store is away. */
  readonly known: readonly (readonly [key: string, count: Count])[];
};
type Told = { readonly notes: readonly Note[]; settle(news: MemberNews): void };

/** Whoever has not ended by then was killed. */
const LEASE_MS = 1000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const MAX_KNOWN = 16;

export function joinSwarm(
  settings: SwarmSettings,
  worker: string,
  rulesFor: RulesFor | undefined,
  boardAt: (settings: SwarmSettings, waitMs: number) => Board = openBoard,
): SwarmWorker {
  const swarm = resolveSwarm({ ...settings.options, worker, tenant: settings.tenant });
  const { name, waitMs, windowMs, rollUp } = swarm;
  const open: OpenCall[] = [];
  let heard: HeardCall | null = null;
  let tells: Told[] = [];
  let later: Note[] = [];
  let tallies: Promise<readonly SwarmTallyEvent[]>[] = [];
  /** The number of the first note of this hook, and the line when it was put there. */
  let from = 0;
  let line = lineOf(null);
  let known: Saved['known'] = [];
  let asked: { readonly own: Request; readonly tenant: Request | null } | null = null;
  let got: { readonly own: Answer; readonly tenant: Answer | null } | null = null;
  let claimed = false;
  let failure: unknown;
  let problem: string | undefined;

  const seat = takeSeat({
    member: {
      ask: (notes, settle) => tells.push({ notes, settle }),
      later: (notes) => later.push(...notes),
    },
    swarm,
    worker,
    digestText: fastDigestText,
    isTelling: likelyTallies(swarm),
    open,
  });

  /** A call that is worth counting. */
  function hear(tool: string, args: Json): HeardCall | null {
    const rules = rulesFor?.(tool);
    if (rules?.poll === true || rules?.exempt === true || rules?.unique === true) return null;
    const seen = rules?.args?.(args, 0) ?? args;
    return { key: swarmKey(tool, seen), tool, args: seen };
  }

  function onResult(event: ToolResultEvent): void {
    const { id, tool, args, agent, status, output } = event;
    const call = tool === undefined || args === undefined ? null : hear(tool, args);
    if (call === null) return;
    open.push({ ...call, id, agent });
    const tally = seat.ended(event, { status, output });
    if (tally !== null) tallies.push(tally);
  }

  /** What this hook waits for an answer to. */
  function mine(): readonly Note[] {
    return tells.flatMap(({ notes }) => notes);
  }

  function news(): MemberNews {
    const notes = mine();
    const own = got?.own;
    const start = asked === null ? -1 : from - asked.own.first;
    const counted =
      own === undefined || start < 0 ? undefined : own.counts.slice(start, start + notes.length);
    const control =
      own === undefined || own.control.version < line.control.version ? line.control : own.control;
    const above = got?.tenant?.control;
    return {
      counts: counted ?? notes.map(guess),
      totals: own?.totals ?? totalsOf(line),
      control: above?.halted === true && !control.halted ? above : control,
      local: counted === undefined,
      tenant: got?.tenant?.totals ?? null,
    };
  }

  /** The last that is known, and this note on top of it. */
  function guess(note: Note): Count {
    if (note.kind === 'spend') return NOTHING;
    const last = known.find(([key]) => key === keyOf(note))?.[1];
    return last === undefined ? NOTHING : { ...last, calls: last.calls + 1, refused: '' };
  }

  function within<Result>(promise: Promise<Result>, time: number): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the store of the swarm has not answered within ${waitMs} ms`)),
        Math.max(1, time),
      );
      promise.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  async function send({ own, tenant }: NonNullable<typeof asked>): Promise<NonNullable<typeof got>> {
    const board = boardAt(settings, waitMs);
    const tell = (scope: SwarmScope, request: Request) => board.tell(scope, request);
    const [first, second] = await Promise.all([tell(name, own), tenant === null ? null : tell(null, tenant)]);
    return { own: first, tenant: second };
  }

  return {
    waitMs,
    followUp({ tool, args }: ToolCallEvent) {
      heard = hear(tool, args);
      return null;
    },
    watch(guard) {
      [tells, later, tallies] = [[], [], []];
      return {
        before(call) {
          heard = null;
          const decision = guard.before(call);
          const { id, tool, args = null, agent, at } = call;
          const counts = decision.action !== 'block' && decision.action !== 'halt';
          if (heard !== null && counts)
            tallies.push(seat.called({ type: 'tool-call', id, tool, args, agent, at }, heard));
          return decision;
        },
        accept(event) {
          const decision = guard.accept(event);
          if (event.type === 'tool-result') onResult(event);
          else seat.told(event);
          return decision;
        },
        delivered: (agent) => guard.delivered(agent),
      };
    },
    begin(saved, now, refused) {
      if (refused) [tells, tallies] = [tells.filter(isFailure), []];
      const state = parsed(saved, rollUp);
      from = state.own.first + state.own.waiting.length + later.length;
      const notes = [...later, ...mine()];
      const own = joined(state.own, notes);
      const tenant = state.tenant && joined(state.tenant, notes.filter(isUse));
      return this.claim({ ...state, own, tenant } as unknown as Json, now);
    },
    claim(saved, now) {
      const state = parsed(saved, rollUp);
      ({ own: line, known } = state);
      // Whoever has told it for us was not told what it came to.
      const told = from + mine().length <= line.first;
      claimed = tallies.length === 0 || told || now < state.retryAt;
      if (claimed || now < state.until) return saved;
      claimed = true;
      const [own, ownRequest] = requestOf(state.own, windowMs);
      const [tenant, tenantRequest] =
        state.tenant === null ? [null, null] : requestOf(state.tenant, windowMs);
      asked = { own: ownRequest, tenant: tenantRequest };
      const next: Saved = { ...state, own, tenant, until: now + waitMs + LEASE_MS };
      return next as unknown as Json;
    },
    get claimed() {
      return claimed;
    },
    get asks() {
      return tallies.length > 0;
    },
    async ask(withinMs) {
      try {
        if (asked !== null) got = await within(send(asked), withinMs);
      } catch (error) {
        failure = error;
      }
      const all = news();
      let at = 0;
      for (const { notes, settle } of tells) {
        settle({ ...all, counts: all.counts.slice(at, at + notes.length) });
        at += notes.length;
      }
      return (await Promise.all(tallies)).flat();
    },
    end(saved, now) {
      const state = parsed(saved, rollUp);
      if (asked === null) return saved;
      if (got === null) {
        if (state.pause === FIRST_PAUSE_MS) problem = reason(failure);
        const pause = Math.min(state.pause * 2, LONGEST_PAUSE_MS);
        return { ...state, until: 0, retryAt: now + state.pause, pause } as unknown as Json;
      }
      const tenant =
        state.tenant === null || asked.tenant === null || got.tenant === null
          ? state.tenant
          : answered(state.tenant, asked.tenant, got.tenant);
      const next: Saved = {
        own: answered(state.own, asked.own, got.own),
        tenant,
        until: 0,
        retryAt: 0,
        pause: FIRST_PAUSE_MS,
        known: remembered(state.known, asked.own.notes, got.own.counts),
      };
      return next as unknown as Json;
    },
    get problem() {
      return problem;
    },
    stopped(saved) {
      const { own } = parsed(saved, rollUp);
      if (!own.control.halted) return null;
      const note = { kind: 'call', worker, key: '' } as const;
      const all = { counts: [], totals: own.totals, control: own.control, local: true, tenant: null };
      return tallyEvent(note, NOTHING, all, {});
    },
  };
}

function parsed(saved: Json, rollUp: boolean): Saved {
  const state = (saved ?? {}) as unknown as Partial<Saved>;
  const { until = 0, retryAt = 0, pause = FIRST_PAUSE_MS, known = [] } = state;
  return {
    own: lineOf(state.own),
    tenant: rollUp ? lineOf(state.tenant) : null,
    until: Number(until),
    retryAt: Number(retryAt),
    pause: Number(pause),
    known: Array.isArray(known) ? known : [],
  };
}

/** Counts that may have something to say, the latest last. */
function remembered(known: Saved['known'], notes: readonly Note[], counts: readonly Count[]): Saved['known'] {
  let all = known;
  for (const [index, note] of notes.entries()) {
    if (note.kind === 'spend' || note.kind === 'spawn') continue;
    const [key, count] = [keyOf(note), counts[index] ?? NOTHING];
    all = all.filter(([one]) => one !== key);
    if (count.wasted > 1) all = [...all, [key, count] as const];
  }
  return all.slice(-MAX_KNOWN);
}

function isUse({ kind }: Note): boolean {
  return kind === 'call' || kind === 'spend';
}

/** A failure that was heard of with a call that is refused, such as one that only the transcript tells. */
function isFailure({ notes }: Told): boolean {
  return notes.every(({ kind }) => kind === 'failure');
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
