import { DeloopError } from '../core/errors.ts';
import {
  type Answer,
  type Board,
  type Control,
  type Count,
  NO_CONTROL,
  type Note,
  type SwarmScope,
  type Totals,
} from '../stores/board.ts';
import { keyOf, NOTHING } from '../stores/tallies.ts';

/** What the notes have come to. `local` = as far as it is known here: the store did not answer in time. */
export type News = {
  readonly counts: readonly Count[];
  readonly totals: Totals;
  readonly control: Control;
  readonly local: boolean;
};

export type LineMetrics = {
  /** Notes that were handed in, and those that the store has. */
  readonly told: number;
  readonly counted: number;
  readonly roundTrips: number;
  readonly failures: number;
  /** Answers that were given from what is known here. */
  readonly local: number;
  /** Notes that wait for the store, and those that there was no room for. */
  readonly waiting: number;
  readonly dropped: number;
  readonly up: boolean;
};

/** The way of one member's notes to one board: in order, each counted once, none that holds up its agent. */
export type Line = {
  /** Settles within the wait, and never rejects. */
  tell(notes: readonly Note[]): Promise<News>;
  /** As `tell`, for what nobody waits for: it goes with the next, or soon. */
  later(notes: readonly Note[]): void;
  /** Resolves when the store has everything, or when it cannot be had. */
  flush(): Promise<boolean>;
  readonly control: Control;
  readonly metrics: LineMetrics;
};

export type LineOptions = {
  readonly board: Board;
  readonly scope: SwarmScope;
  readonly member: string;
  readonly windowMs: number;
  readonly waitMs: number;
  /** Hears once that the store cannot be used, until it can be used again. */
  readonly onProblem: (error: unknown) => void;
};

/** Beyond so many, notes are dropped while the store is away. */
const MAX_WAITING = 1024;
const MAX_BATCH = 64;
/** Counts that are remembered for the time when the store is away. */
const MAX_KNOWN = 512;
const SOON_MS = 100;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const NO_TOTALS: Totals = { calls: 0, tokens: 0, money: 0, active: 0, agents: 0 };

type Waiter = { readonly from: number; readonly to: number; settle(counts: readonly Count[] | null): void };

export function createLine({ board, scope, member, windowMs, waitMs, onProblem }: LineOptions): Line {
  const waiting: Note[] = [];
  /** The number of the first note that waits, and how many of them were sent before. */
  let first = 1;
  let sent = 0;
  let waiters: Waiter[] = [];
  let flight: Promise<void> | null = null;
  let overdue = false;
  let up = true;
  let pause = FIRST_PAUSE_MS;
  let retryAt = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let born = '';
  let control = NO_CONTROL;
  let totals = NO_TOTALS;
  const known = new Map<string, Count>();
  const metrics = { told: 0, counted: 0, roundTrips: 0, failures: 0, local: 0, dropped: 0 };

  function learn(key: string, count: Count): void {
    known.delete(key);
    known.set(key, count);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string);
  }

  /** Numbers notes; false = there is no room for them. */
  function enqueue(notes: readonly Note[]): boolean {
    metrics.told += notes.length;
    if (waiting.length + notes.length > MAX_WAITING) {
      metrics.dropped += notes.length;
      return false;
    }
    waiting.push(...notes);
    return true;
  }

  /** What an answer says of the notes from one number to another. */
  function take(answer: Answer, batch: readonly Note[]): void {
    metrics.counted += batch.length;
    ({ born, totals } = answer);
    if (answer.control.version > control.version) ({ control } = answer);
    for (const [index, note] of batch.entries())
      if (note.kind !== 'spend') learn(keyOf(note), answer.counts[index] ?? NOTHING);
    const start = first;
    waiting.splice(0, batch.length);
    first += batch.length;
    sent = Math.max(0, sent - batch.length);
    const done = waiters.filter(({ to }) => to < first);
    waiters = waiters.filter(({ to }) => to >= first);
    for (const { from, to, settle } of done)
      settle(from >= start ? answer.counts.slice(from - start, to - start + 1) : null);
  }

  async function drain(): Promise<void> {
    try {
      do {
        const batch = waiting.slice(0, MAX_BATCH);
        const resent = Math.min(sent, batch.length);
        sent = Math.max(sent, batch.length);
        metrics.roundTrips += 1;
        const answer = await board.tell(scope, {
          member,
          first,
          notes: batch,
          resent,
          born,
          control,
          windowMs,
        });
        take(answer, batch);
      } while (waiting.length > 0);
      up = true;
      pause = FIRST_PAUSE_MS;
      retryAt = 0;
    } catch (error) {
      fail(error);
    } finally {
      flight = null;
      overdue = false;
    }
  }

  function fail(error: unknown): void {
    metrics.failures += 1;
    retryAt = performance.now() + pause;
    schedule(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    const unanswered = waiters;
    waiters = [];
    for (const { settle } of unanswered) settle(null);
    miss(error);
  }

  function miss(error: unknown): void {
    if (!up) return;
    up = false;
    onProblem(error);
  }

  /** It must not keep a process alive that has nothing else to do. */
  function schedule(ms: number): void {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      if (waiting.length > 0) start();
    }, ms);
    timer.unref?.();
  }

  function start(): void {
    flight ??= drain();
  }

  function here(notes: readonly Note[]): News {
    metrics.local += 1;
    return { counts: notes.map(guess), totals: withWaiting(), control, local: true };
  }

  /** The last that is known, and this note on top of it. */
  function guess(note: Note): Count {
    if (note.kind === 'spend') return NOTHING;
    const key = keyOf(note);
    const last = known.get(key) ?? { ...NOTHING, first: note.worker, firstAt: Date.now() };
    const names = [note.worker, ...last.names.filter((name) => name !== note.worker)];
    let count: Count = { ...last, names: names.slice(0, 8), workers: Math.max(1, last.workers), refused: '' };
    if (note.kind === 'spawn') {
      const { children, depth } = note.limits;
      const below = note.depth + 1;
      const refused = below > depth ? 'depth' : last.calls >= children ? 'children' : '';
      count = { ...count, calls: last.calls + (refused === '' ? 1 : 0), depth: below, refused };
    } else if (note.kind !== 'result') count = { ...count, calls: last.calls + 1 };
    else if (note.failed) count = { ...count, failures: last.failures + 1 };
    learn(key, count);
    return count;
  }

  function withWaiting(): Totals {
    let { calls, tokens, money } = totals;
    for (const note of waiting) {
      if (note.kind === 'call') calls += 1;
      if (note.kind !== 'spend') continue;
      tokens += note.tokens;
      money += note.money;
    }
    return { ...totals, calls, tokens, money };
  }

  return {
    tell(notes) {
      const from = first + waiting.length;
      const hasRoom = enqueue(notes);
      if (!hasRoom || overdue || (!up && performance.now() < retryAt)) return Promise.resolve(here(notes));
      return new Promise((resolve) => {
        let open = true;
        const late = setTimeout(() => {
          overdue = true;
          settle(null);
          miss(new DeloopError('store', `the store has not answered within ${waitMs} ms`));
        }, waitMs);
        function settle(counts: readonly Count[] | null): void {
          if (!open) return;
          open = false;
          clearTimeout(late);
          resolve(counts === null ? here(notes) : { counts, totals, control, local: false });
        }
        waiters.push({ from, to: from + notes.length - 1, settle });
        start();
      });
    },
    later(notes) {
      if (enqueue(notes)) schedule(SOON_MS);
    },
    async flush() {
      while (waiting.length > 0) {
        start();
        await flight;
        if (!up) return false;
      }
      return true;
    },
    get control() {
      return control;
    },
    get metrics() {
      return { ...metrics, waiting: waiting.length, up };
    },
  };
}
