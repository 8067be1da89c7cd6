import type { Outcome } from '../core/events.ts';
import type { Tally } from '../core/guard.ts';
import { swarmKey } from '../core/tally.ts';
import type { AgentEvent, SwarmTallyEvent, ToolCallEvent, ToolResultEvent } from '../core/types.ts';
import { NOTHING } from '../stores/tally.ts';
import { type Member, type MemberNews, tallyEvent } from './member.ts';
import type { IsTelling } from './telling-tallies.ts';
import { type Counted, type HeardCall, type NotesOptions, type Told, workerNotes } from './worker-notes.ts';

/** Hears which calls are worth counting, as the guard decides it: not those of tools that are declared to repeat, nor a call that is presented again. */
export type CallListener = { readonly tally: Tally; take(): HeardCall | null };

export function callListener(): CallListener {
  let heard: HeardCall | null = null;
  return {
    tally: {
      record(_, tool, args) {
        heard = { key: swarmKey(tool, args), tool, args };
        return null;
      },
    },
    take() {
      const last = heard;
      heard = null;
      return last;
    },
  };
}

/** What the swarm has come to: for the guard, right after what it is about. Settles within the wait, and never rejects. */
export type Tallies = Promise<readonly SwarmTallyEvent[]>;

/** One worker's place in its swarm: what it does is told to the others, and what they have come to comes back. */
export type Seat = {
  /** A call that the guard has taken, and is about to run. */
  called(event: ToolCallEvent, heard: HeardCall): Tallies;
  /** A result; null = nothing comes back. */
  ended(event: ToolResultEvent, outcome: Outcome): Tallies | null;
  /** Whatever else the guard has taken. */
  told(event: AgentEvent): Tallies | null;
  /** The guard has taken this event: for whoever writes them down. */
  log(event: AgentEvent): void;
};

export type SeatOptions = NotesOptions & {
  readonly member: Pick<Member, 'ask' | 'later'>;
  readonly session?: string | undefined;
  readonly isTelling: IsTelling;
};

const NONE: readonly SwarmTallyEvent[] = [];

export function takeSeat(options: SeatOptions): Seat {
  const { member, swarm, session, isTelling } = options;
  const notes = workerNotes(options);

  function ask({ asked, about }: Told): Tallies {
    return new Promise((resolve) =>
      member.ask(asked, (news) => resolve(talliesOf(asked, news, about, isTelling))),
    );
  }

  function tell(told: Told): Tallies | null {
    if (told.quiet.length > 0) member.later(told.quiet);
    return told.asked.length === 0 ? null : ask(told);
  }

  return {
    called: (event, heard) => ask(notes.ofCall(event, heard)),
    ended: (event, outcome) => tell(notes.ofResult(event, outcome)),
    told: (event) => tell(notes.ofOther(event)),
    log(event) {
      try {
        swarm.onEvent?.(event, session);
      } catch {
        // The host's own error must not reach it.
      }
    },
  };
}

/** What the guard is told of the notes: those that a rule may answer. */
export function talliesOf(
  notes: readonly Counted[],
  news: MemberNews,
  about: Told['about'],
  isTelling: IsTelling,
): readonly SwarmTallyEvent[] {
  let events = NONE;
  for (let index = 0; index < notes.length; index++) {
    const note = notes[index] as Counted;
    const count = news.counts[index] ?? NOTHING;
    if (isTelling(note.kind, count, news)) events = [...events, tallyEvent(note, count, news, about)];
  }
  return events;
}
