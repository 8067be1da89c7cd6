import { DeloopError } from '../core/errors.ts';
import type { SwarmTallyEvent } from '../core/types.ts';
import type { Control, Count, Note, Totals } from '../stores/board.ts';
import type { Store } from '../stores/store.ts';
import type { Line, LineMetrics, News } from './line.ts';
import { linesOf } from './lines.ts';
import type { ResolvedSwarm } from './swarm-options.ts';

/** One process of a swarm: its way to the swarm's tallies and, rolled up, to the tenant's. */
export type Member = {
  /** `hear` is told what the notes have come to: once, within the wait. */
  ask(notes: readonly Note[], hear: (news: MemberNews) => void): void;
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
/** `tenant` = what all swarms of the tenant have used, where they are rolled up. */
export type MemberNews = News & { readonly tenant?: Totals | null };

export function createMember(
  store: Store,
  swarm: ResolvedSwarm,
  onProblem: (error: unknown) => void,
): Member {
  const { name, worker, windowMs, waitMs, rollUp, tenant: owner } = swarm;
  const lines = linesOf(store, owner);
  const own = lines.of(name, windowMs);
  // What a tenant counts beside its swarms is what they use; the rest is each swarm's own business.
  const tenant = rollUp ? lines.of(null, windowMs) : null;
  let isUp = true;

  /** It is said once that the store cannot be used, until it can be used again. */
  function notice(local: boolean): void {
    if (local && isUp) onProblem(own.problem ?? new DeloopError('store', 'too much waits for the store'));
    isUp = !local;
  }

  function ask(notes: readonly Note[], hear: (news: News) => void): void {
    own.tell(notes, waitMs, (news) => {
      if (news.local || !isUp) notice(news.local);
      hear(news);
    });
  }

  /** Both are asked at once. */
  function askBoth(notes: readonly Note[], line: Line, hear: (news: MemberNews) => void): void {
    const above = new Promise<News>((resolve) => line.tell(notes.filter(isUse), waitMs, resolve));
    ask(notes, async (news) => {
      const all = await above;
      const control = all.control.halted && !news.control.halted ? all.control : news.control;
      hear({ ...news, control, tenant: all.totals });
    });
  }

  return {
    ask: (notes, hear) => (tenant === null ? ask(notes, hear) : askBoth(notes, tenant, hear)),
    later(notes) {
      own.later(notes);
      tenant?.later(notes.filter(isUse));
    },
    async flush() {
      const [isThere, isAbove] = await Promise.all([own.flush(), tenant?.flush() ?? true]);
      if (!isThere) notice(true);
      return isThere && isAbove;
    },
    halt: (why) => lines.board.steer(name, { halt: true, why, by: worker }),
    release: () => lines.board.steer(name, { halt: false, why: '', by: worker }),
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
  count: Count,
  news: MemberNews,
  about: {
    readonly tool?: string | undefined;
    readonly agent?: string | undefined;
    readonly at?: number | undefined;
  },
): SwarmTallyEvent {
  const { control, totals, tenant } = news;
  const { calls, workers, wasted, wasters, failures, first, names, said } = count;
  const { tool, agent, at } = about;
  const isSpawn = note.kind === 'spawn';
  return {
    type: 'swarm-tally',
    tool,
    agent,
    at,
    about: note.kind,
    key: keyFor(note),
    calls,
    workers,
    first,
    names,
    wasted: wasted === 0 ? undefined : wasted,
    wasters: wasted === 0 ? undefined : wasters,
    failures: failures === 0 ? undefined : failures,
    said: said === '' ? undefined : said,
    refused: isSpawn ? count.refused : undefined,
    depth: isSpawn ? count.depth : undefined,
    atDepth: isSpawn ? count.atDepth : undefined,
    used: useOf(totals),
    usedByTenant: tenant ? useOf(tenant) : undefined,
    halted: control.halted ? { why: control.why, by: control.by } : undefined,
  };
}

function keyFor(note: Exclude<Note, { readonly kind: 'spend' | 'result' }>): string {
  if (note.kind === 'handoff') return [note.worker, note.to].sort().join(' and ');
  return note.kind === 'spawn' ? note.worker : note.key;
}

function useOf({ calls, tokens, money }: Totals): NonNullable<SwarmTallyEvent['used']> {
  return { calls, tokens, money };
}
