import type { DigestText } from '../core/digest-text.ts';
import type { Outcome } from '../core/events.ts';
import type { Tally } from '../core/guard.ts';
import { swarmKey } from '../core/tally.ts';
import type {
  AgentEvent,
  Json,
  SwarmTallyEvent,
  ToolCallEvent,
  ToolResultEvent,
  Usage,
} from '../core/types.ts';
import type { Note } from '../stores/board.ts';
import { NOTHING } from '../stores/tallies.ts';
import { type Member, tallyEvent } from './member.ts';
import { outcomeReader } from './outcome.ts';
import type { ResolvedSwarm } from './swarm-options.ts';
import type { IsTelling } from './telling-tallies.ts';

/** A call that is worth counting. */
export type HeardCall = { readonly key: string; readonly tool: string; readonly args: Json };

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

export type SeatOptions = {
  readonly member: Pick<Member, 'tell' | 'later'>;
  readonly swarm: ResolvedSwarm;
  /** Its name in the swarm; sub-agents are counted as `worker/agent`. */
  readonly worker: string;
  readonly session?: string | undefined;
  readonly digestText: DigestText;
  readonly isTelling: IsTelling;
  /** The host tells handoffs as events, beside the calls of tools that make them. */
  readonly tellsHandoffs?: boolean | undefined;
  /** Calls whose results are awaited, for whoever hears of both in different processes. */
  readonly open?: OpenCall[] | undefined;
};

type About = {
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly at?: number | undefined;
};
export type OpenCall = HeardCall & { readonly id: string | undefined; readonly agent: string | undefined };
type Counted = Exclude<Note, { readonly kind: 'spend' | 'result' }>;

/** Calls whose results are awaited. */
const MAX_OPEN = 64;
const MAX_NAME = 64;
const MILLION = 1_000_000;
const NONE: readonly SwarmTallyEvent[] = [];
/** Where tools such as `transfer_to_agent` name the agent. */
const TARGETS = ['agent_name', 'agentName', 'agent', 'name'] as const;

export function takeSeat(options: SeatOptions): Seat {
  const { member, swarm, worker, session, digestText, isTelling, tellsHandoffs = false, open = [] } = options;
  const { prices } = swarm;
  const readOutcome = outcomeReader(digestText, swarm.shareErrors);
  const isSpawn = matcher(swarm.spawnTools);
  const isHandoff = matcher(swarm.handoffTools);

  function nameOf(agent: string | undefined): string {
    return (agent === undefined || agent === '' ? worker : `${worker}/${agent}`).slice(0, MAX_NAME);
  }

  /** `/name` is another worker, anything else an agent of this one. */
  function targetOf(to: string): string {
    return to.startsWith('/') ? to.slice(1, MAX_NAME + 1) : nameOf(to);
  }

  function spawnNote(agent: string | undefined, to: string, depth = swarm.depth): Counted {
    return { kind: 'spawn', worker: nameOf(agent), to: targetOf(to), depth, limits: swarm.spawn };
  }

  /** What a call of a tool is for the swarm beside the call itself. */
  function moveOf({ tool, agent, id, args }: ToolCallEvent): Counted | null {
    const to = isHandoff(tool);
    if (to !== null) {
      const target = targetOf(to === 'agent' ? namedIn(args, to) : to);
      return tellsHandoffs ? null : { kind: 'handoff', worker: nameOf(agent), to: target };
    }
    return isSpawn(tool) === null ? null : spawnNote(agent, `${tool}-${id ?? 'child'}`);
  }

  function ask(notes: readonly Counted[], about: About): Tallies {
    return member.tell(notes).then((news) => {
      let events = NONE;
      for (let index = 0; index < notes.length; index++) {
        const note = notes[index] as Counted;
        const count = news.counts[index] ?? NOTHING;
        if (isTelling(note.kind, count, news)) events = [...events, tallyEvent(note, count, news, about)];
      }
      return events;
    });
  }

  /** The call that a result belongs to: by id, else by tool and arguments, else the oldest of the tool. */
  function taken({ id, tool, args, agent }: ToolResultEvent): OpenCall | undefined {
    const key = tool === undefined || args === undefined ? undefined : swarmKey(tool, args);
    const found =
      (id === undefined ? undefined : open.find((call) => call.id === id)) ??
      open.find((call) => call.id === undefined && call.agent === agent && call.key === key) ??
      (args === undefined ? open.find((call) => call.id === undefined && call.tool === tool) : undefined);
    if (found !== undefined) open.splice(open.indexOf(found), 1);
    return found;
  }

  function spend(usage: Usage, agent: string | undefined): void {
    const [input, cached, output] = [usage.input, usage.cachedInput, usage.output].map(amount) as [
      number,
      number,
      number,
    ];
    const cost = input * prices.input + cached * prices.cached + output * prices.output;
    const tokens = input + cached + output;
    if (tokens > 0)
      member.later([{ kind: 'spend', worker: nameOf(agent), tokens, money: Math.ceil(cost / MILLION) }]);
  }

  return {
    called(event, heard) {
      const { id, agent, at, tool } = event;
      const { key, args } = heard;
      if (open.length >= MAX_OPEN) open.shift();
      open.push({ key, tool: heard.tool, args, id, agent });
      const call: Counted = { kind: 'call', worker: nameOf(agent), key };
      const move = moveOf(event);
      return ask(move === null ? [call] : [call, move], { tool, agent, at });
    },
    ended(event, outcome) {
      const call = taken(event);
      // That somebody was handed the work is no progress in it.
      if (call === undefined || isHandoff(call.tool) !== null) return null;
      const { tool, agent } = call;
      const [result, failure] = readOutcome(nameOf(agent), call.key, tool, call.args, outcome);
      if (result !== undefined) member.later([result]);
      return failure?.kind === 'failure' ? ask([failure], { tool, agent, at: event.at }) : null;
    },
    told(event) {
      if (event?.type === 'turn' && event.usage !== undefined) spend(event.usage, event.agent);
      if ((event?.type !== 'handoff' && event?.type !== 'spawn') || typeof event.to !== 'string') return null;
      const { agent, at, to } = event;
      const note: Counted =
        event.type === 'handoff'
          ? { kind: 'handoff', worker: nameOf(agent), to: targetOf(to) }
          : spawnNote(agent, to, event.depth);
      return ask([note], { agent, at });
    },
    log(event) {
      try {
        swarm.onEvent?.(event, session);
      } catch {
        // The host's own error must not reach it.
      }
    },
  };
}

/** What stands in place of the `*` of a pattern; null = none fits. */
function matcher(patterns: readonly string[]): (tool: string) => string | null {
  const parts = patterns.map((pattern) => {
    const star = pattern.indexOf('*');
    return star < 0
      ? ([pattern, null] as const)
      : ([pattern.slice(0, star), pattern.slice(star + 1)] as const);
  });
  return (tool) => {
    for (const [start, end] of parts) {
      if (end === null) {
        if (tool === start) return tool;
      } else if (tool.length > start.length + end.length && tool.startsWith(start) && tool.endsWith(end))
        return tool.slice(start.length, tool.length - end.length);
    }
    return null;
  };
}

/** The agent that the arguments name. */
function namedIn(args: Json, otherwise: string): string {
  const given = typeof args === 'object' && args !== null ? (args as { readonly [name: string]: Json }) : {};
  const field = TARGETS.find((name) => Object.hasOwn(given, name) && typeof given[name] === 'string');
  return field === undefined ? otherwise : (given[field] as string);
}

/** Hosts may send anything. */
function amount(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}
