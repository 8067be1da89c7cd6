import type { SwarmTallyEvent } from '../core/types.ts';
import type { Board, Control, Note, Totals } from '../stores/board.ts';
import { newId } from '../stores/new-id.ts';
import { createLine, type LineMetrics, type News } from './line.ts';
import type { ResolvedSwarm } from './swarm-options.ts';

/** One process of a swarm: its way to the swarm's tallies and, rolled up, to the tenant's. */
export type Member = {
  /** What the notes have come to, within the wait; never rejects. */
  tell(notes: readonly Note[]): Promise<MemberNews>;
  /** What nobody waits for. */
  later(notes: readonly Note[]): void;
  /** Resolves when the store has everything; false = it cannot be had now. */
  flush(): Promise<boolean>;
  /** Stops the whole swarm, this worker at once and the others at their next call. */
  halt(why: string): Promise<Control>;
  /** Lets it go on. */
  release(): Promise<Control>;
  readonly metrics: LineMetrics;
};
export type MemberNews = News & { readonly tenant: Totals | null };

export function createMember(
  board: Board,
  swarm: ResolvedSwarm,
  onProblem: (error: unknown) => void,
): Member {
  const { name, worker, windowMs, waitMs, rollUp } = swarm;
  const shared = { board, member: newId(), windowMs, waitMs, onProblem };
  const own = createLine({ ...shared, scope: name });
  // What a tenant counts beside its swarms is what they use; the rest is each swarm's own business.
  const tenant = rollUp ? createLine({ ...shared, scope: null, onProblem: () => {} }) : null;

  return {
    async tell(notes) {
      const above = tenant?.tell(notes.filter(isUse));
      const news = await own.tell(notes);
      const all = await above;
      const stopped = all?.control.halted === true && !news.control.halted ? all.control : news.control;
      return { ...news, control: stopped, tenant: all?.totals ?? null };
    },
    later(notes) {
      own.later(notes);
      tenant?.later(notes.filter(isUse));
    },
    async flush() {
      const done = await Promise.all([own.flush(), tenant?.flush() ?? true]);
      return done.every(Boolean);
    },
    halt: (why) => board.steer(name, { halt: true, why, by: worker }),
    release: () => board.steer(name, { halt: false, why: '', by: worker }),
    get metrics() {
      return own.metrics;
    },
  };
}

function isUse({ kind }: Note): boolean {
  return kind === 'call' || kind === 'spend';
}

/** What the guard is told of a note. */
export function tallyEvent(
  note: Exclude<Note, { readonly kind: 'spend' | 'result' }>,
  index: number,
  news: MemberNews,
  about: {
    readonly tool?: string | undefined;
    readonly agent?: string | undefined;
    readonly at?: number | undefined;
  },
): SwarmTallyEvent {
  const { control, totals, tenant } = news;
  const count = news.counts[index];
  const { calls = 0, workers = 0, wasted, wasters, failures, first, names, said } = count ?? {};
  return {
    type: 'swarm-tally',
    ...about,
    about: note.kind,
    key: keyFor(note),
    calls,
    workers,
    first,
    names,
    ...(wasted ? { wasted, wasters } : {}),
    ...(failures ? { failures } : {}),
    ...(said ? { said } : {}),
    ...(note.kind === 'spawn'
      ? { refused: count?.refused, depth: count?.depth, atDepth: count?.atDepth }
      : {}),
    used: useOf(totals),
    ...(tenant === null ? {} : { usedByTenant: useOf(tenant) }),
    ...(control.halted ? { halted: { why: control.why, by: control.by } } : {}),
  };
}

function keyFor(note: Exclude<Note, { readonly kind: 'spend' | 'result' }>): string {
  if (note.kind === 'handoff') return [note.worker, note.to].sort().join(' and ');
  return note.kind === 'spawn' ? note.worker : note.key;
}

function useOf({ calls, tokens, money }: Totals): NonNullable<SwarmTallyEvent['used']> {
  return { calls, tokens, money };
}
