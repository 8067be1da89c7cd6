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
import { keyOf } from '../stores/tallies.ts';
import { NOTHING } from '../stores/tally.ts';

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

/** The way of one process's notes to one board: in order, each counted once, none that holds up its agent. */
export type Line = {
  /** `hear` is called once, within the wait. */
  tell(notes: readonly Note[], waitMs: number, hear: (news: News) => void): void;
  /** As `tell`, for what nobody waits for: it goes with the next, or soon. */
  later(notes: readonly Note[]): void;
  /** Resolves when the store has everything, or when it cannot be had. */
  flush(): Promise<boolean>;
  /** Why the store cannot be used; null = it can. */
  readonly problem: unknown;
  readonly isIdle: boolean;
  readonly metrics: LineMetrics;
};

export type LineOptions = {
  readonly board: Board;
  readonly scope: SwarmScope;
  readonly member: string;
  readonly windowMs: number;
};

/** Notes of one `tell`: they are sent together. */
type Group = {
  readonly notes: readonly Note[];
  /** When its agent goes on without an answer, and after how long. */
  readonly by: number;
  readonly waitMs: number;
  hear: ((news: News) => void) | null;
};

/** Beyond so many, notes are dropped while the store is away. */
const MAX_WAITING = 4096;
/** So many notes may go in one script: a server must not stand still over it. */
const MAX_BATCH = 64;
/** Counts that are remembered for the time when the store is away. */
const MAX_KNOWN = 1024;
const SOON_MS = 100;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const NO_TOTALS: Totals = { calls: 0, tokens: 0, money: 0, active: 0, agents: 0 };

export function createLine({ board, scope, member, windowMs }: LineOptions): Line {
  let queue: Group[] = [];
  /** What was sent, until the store has it. */
  let sent: Group[] = [];
  let flying: readonly Note[] | null = null;
  /** Of the first note that waits. */
  let number = 1;
  let waiting = 0;
  let overdue = false;
  let problem: unknown = null;
  let pause = FIRST_PAUSE_MS;
  let retryAt = 0;
  let born = '';
  let control = NO_CONTROL;
  let totals = NO_TOTALS;
  let landings: (() => void)[] = [];
  let soon: ReturnType<typeof setTimeout> | null = null;
  /** One timer for all that wait: setting one for each costs more than the rest of the line. */
  let alarm: ReturnType<typeof setTimeout> | null = null;
  let alarmAt = 0;
  let listening = 0;
  /** The latest counts, round and round; whoever needs one looks it up from the end. */
  const known: (readonly [note: Note, count: Count])[] = [];
  let newest = -1;
  const metrics = { told: 0, counted: 0, roundTrips: 0, failures: 0, local: 0, dropped: 0 };

  function learn(note: Note, count: Count): void {
    newest = (newest + 1) % MAX_KNOWN;
    known[newest] = [note, count];
  }

  function lastOf(key: string): Count | undefined {
    for (let back = 0; back < known.length; back++) {
      const [note, count] = known[(newest - back + known.length) % known.length] as (typeof known)[number];
      if (note.kind !== 'spend' && keyOf(note) === key) return count;
    }
    return undefined;
  }

  /** Whether there was room for them. */
  function enqueue(group: Group): boolean {
    const { length } = group.notes;
    metrics.told += length;
    if (waiting + length > MAX_WAITING) {
      metrics.dropped += length;
      return false;
    }
    waiting += length;
    queue.push(group);
    return true;
  }

  /** Whole groups, as many as go into one script. */
  function batch(): Group[] {
    let size = 0;
    for (let end = 0; end < queue.length; end++) {
      size += (queue[end] as Group).notes.length;
      if (size > MAX_BATCH && end > 0) return queue.splice(0, end);
    }
    const all = queue;
    queue = [];
    return all;
  }

  /** A group without notes asks what the swarm has come to. */
  function isEmpty(): boolean {
    return sent.length + queue.length === 0;
  }

  function send(): void {
    if (flying !== null || isEmpty()) return;
    const isResent = sent.length > 0;
    if (!isResent) sent = batch();
    metrics.roundTrips += 1;
    const notes = sent.length === 1 ? (sent[0] as Group).notes : sent.flatMap((group) => group.notes);
    flying = notes;
    const resent = isResent ? notes.length : 0;
    try {
      board.tell(scope, { member, first: number, notes, resent, born, control, windowMs }).then(take, fail);
    } catch (error) {
      fail(error);
    }
  }

  function take(answer: Answer): void {
    const { counts } = answer;
    const notes = flying ?? [];
    metrics.counted += notes.length;
    ({ born, totals } = answer);
    if (answer.control.version > control.version) ({ control } = answer);
    for (let index = 0; index < notes.length; index++) learn(notes[index] as Note, counts[index] ?? NOTHING);
    waiting -= notes.length;
    number += notes.length;
    problem = null;
    pause = FIRST_PAUSE_MS;
    retryAt = 0;
    const done = sent;
    sent = [];
    land();
    if (done.length === 1) hearOf(done[0] as Group, counts, totals);
    else {
      const asOf = totalsAfterEach(done, totals);
      let from = 0;
      for (const [index, group] of done.entries()) {
        const to = from + group.notes.length;
        hearOf(group, counts.slice(from, to), asOf[index] as Totals);
        from = to;
      }
    }
    send();
  }

  function hearOf(group: Group, counts: readonly Count[], totals: Totals): void {
    if (group.hear !== null) settle(group, { counts, totals, control, local: false });
  }

  function fail(error: unknown): void {
    metrics.failures += 1;
    retryAt = performance.now() + pause;
    schedule(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    problem = error;
    land();
    for (const group of [...sent, ...queue]) if (group.hear !== null) settle(group, here(group.notes));
  }

  function land(): void {
    flying = null;
    overdue = false;
    const waiters = landings;
    if (waiters.length === 0) return;
    landings = [];
    for (const landed of waiters) landed();
  }

  function settle(group: Group, news: News): void {
    const { hear } = group;
    group.hear = null;
    listening -= 1;
    // It must not keep a process alive that has nothing else to do.
    if (listening === 0) alarm?.unref?.();
    hear?.(news);
  }

  function listen(by: number): void {
    listening += 1;
    if (alarm !== null && alarmAt <= by) {
      if (listening === 1) alarm.ref?.();
      return;
    }
    if (alarm !== null) clearTimeout(alarm);
    setAlarm(by);
  }

  function setAlarm(by: number): void {
    alarmAt = by;
    alarm = setTimeout(ring, Math.max(1, Math.ceil(by - performance.now())));
  }

  function ring(): void {
    alarm = null;
    if (listening === 0) return;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    const late: Group[] = [];
    for (const groups of [sent, queue])
      for (const group of groups) {
        if (group.hear === null) continue;
        if (group.by <= now) late.push(group);
        else next = Math.min(next, group.by);
      }
    if (next < Number.POSITIVE_INFINITY) setAlarm(next);
    if (late.length === 0) return;
    overdue = flying !== null;
    problem ??= new DeloopError('store', `the store has not answered within ${late[0]?.waitMs} ms`);
    for (const group of late) settle(group, here(group.notes));
  }

  /** It must not keep a process alive that has nothing else to do. */
  function schedule(ms: number): void {
    if (soon !== null) return;
    soon = setTimeout(() => {
      soon = null;
      send();
    }, ms);
    soon.unref?.();
  }

  function here(notes: readonly Note[]): News {
    metrics.local += 1;
    return { counts: notes.map(guess), totals: withWaiting(), control, local: true };
  }

  /** The last that is known, and this note on top of it. */
  function guess(note: Note): Count {
    if (note.kind === 'spend') return NOTHING;
    const last = lastOf(keyOf(note)) ?? { ...NOTHING, first: note.worker, firstAt: Date.now() };
    const names = [note.worker, ...last.names.filter((name) => name !== note.worker)];
    let count: Count = { ...last, names: names.slice(0, 8), workers: Math.max(1, last.workers), refused: '' };
    if (note.kind === 'spawn') {
      const { children, depth } = note.limits;
      const below = note.depth + 1;
      const refused = below > depth ? 'depth' : last.calls >= children ? 'children' : '';
      count = { ...count, calls: last.calls + (refused === '' ? 1 : 0), depth: below, refused };
    } else if (note.kind !== 'result') count = { ...count, calls: last.calls + 1 };
    else if (note.failed) count = { ...count, failures: last.failures + 1 };
    learn(note, count);
    return count;
  }

  function withWaiting(): Totals {
    return [...sent, ...queue].reduce((sum, { notes }) => withNotes(sum, notes, 1), totals);
  }

  return {
    tell(notes, waitMs, hear) {
      const now = performance.now();
      const group: Group = { notes, by: now + waitMs, waitMs, hear };
      const hasRoom = enqueue(group);
      if (!hasRoom || overdue || now < retryAt) {
        group.hear = null;
        hear(here(notes));
        return;
      }
      listen(group.by);
      send();
    },
    later(notes) {
      if (enqueue({ notes, by: 0, waitMs: 0, hear: null })) schedule(SOON_MS);
    },
    async flush() {
      while (!isEmpty()) {
        const landing = new Promise<void>((landed) => landings.push(landed));
        send();
        await landing;
        if (problem !== null) return false;
      }
      return true;
    },
    get problem() {
      return problem;
    },
    get isIdle() {
      return isEmpty();
    },
    get metrics() {
      return { ...metrics, waiting, up: problem === null };
    },
  };
}

/** What the swarm had come to after each of the groups that one script has counted, so that each is judged as if it had gone alone. */
function totalsAfterEach(groups: readonly Group[], afterAll: Totals): readonly Totals[] {
  const totals = new Array<Totals>(groups.length);
  let after = afterAll;
  for (let index = groups.length - 1; index >= 0; index--) {
    totals[index] = after;
    after = withNotes(after, (groups[index] as Group).notes, -1);
  }
  return totals;
}

/** `sign` = whether the notes come to the totals, or are taken off. */
function withNotes(totals: Totals, notes: readonly Note[], sign: 1 | -1): Totals {
  let { calls, tokens, money } = totals;
  for (const note of notes) {
    if (note.kind === 'call') calls += sign;
    if (note.kind !== 'spend') continue;
    tokens += sign * note.tokens;
    money += sign * note.money;
  }
  return { ...totals, calls, tokens, money };
}
