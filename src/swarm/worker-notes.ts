import type { DigestText } from '../core/digest-text.ts';
import type { Outcome } from '../core/events.ts';
import { swarmKey } from '../core/tally.ts';
import type { AgentEvent, Json, ToolCallEvent, ToolResultEvent, Usage } from '../core/types.ts';
import type { Note } from '../stores/board.ts';
import { outcomeReader } from './outcome.ts';
import type { ResolvedSwarm } from './swarm-options.ts';

/** A call that is worth counting. */
export type HeardCall = { readonly key: string; readonly tool: string; readonly args: Json };
export type OpenCall = HeardCall & { readonly id: string | undefined; readonly agent: string | undefined };

/** A note that is answered with a tally. */
export type Counted = Exclude<Note, { readonly kind: 'spend' | 'result' }>;
/** What the tallies are about. */
type About = {
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly at?: number | undefined;
};
/** What an event is for the swarm; `quiet` = nobody waits for an answer. */
export type Told = {
  readonly quiet: readonly Note[];
  readonly asked: readonly Counted[];
  readonly about: About;
};

/** What one worker has to tell its swarm of what it does. */
export type WorkerNotes = {
  ofCall(event: ToolCallEvent, heard: HeardCall): Told;
  ofResult(event: ToolResultEvent, outcome: Outcome): Told;
  ofOther(event: AgentEvent): Told;
};

export type NotesOptions = {
  readonly swarm: ResolvedSwarm;
  /** Its name in the swarm; sub-agents are counted as `worker/agent`. */
  readonly worker: string;
  readonly digestText: DigestText;
  /** The host tells handoffs as events, beside the calls of tools that make them. */
  readonly tellsHandoffs?: boolean | undefined;
  /** Calls whose results are awaited, for whoever hears of both in different processes. */
  readonly open?: OpenCall[] | undefined;
};

/** Calls whose results are awaited. */
const MAX_OPEN = 64;
const MAX_NAME = 64;
const MILLION = 1_000_000;
/** Where tools such as `transfer_to_agent` name the agent. */
const TARGETS = ['agent_name', 'agentName', 'agent', 'name'] as const;
const NONE: readonly never[] = [];
const NOTHING: Told = { quiet: NONE, asked: NONE, about: {} };

export function workerNotes(options: NotesOptions): WorkerNotes {
  const { swarm, worker, digestText, tellsHandoffs = false, open = [] } = options;
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

  /** The call that a result belongs to: by id, else by tool and arguments, else the oldest of the tool. */
  function taken({ id, tool, args, agent }: ToolResultEvent): OpenCall | undefined {
    let at = id === undefined ? -1 : open.findIndex((call) => call.id === id);
    if (at < 0) {
      const key = tool === undefined || args === undefined ? undefined : swarmKey(tool, args);
      at = open.findIndex((call) => call.id === undefined && call.agent === agent && call.key === key);
    }
    if (at < 0 && args === undefined)
      at = open.findIndex((call) => call.id === undefined && call.tool === tool);
    return at < 0 ? undefined : open.splice(at, 1)[0];
  }

  function spent(usage: Usage, agent: string | undefined): readonly Note[] {
    const [input, cached, output] = [usage.input, usage.cachedInput, usage.output].map(amount) as [
      number,
      number,
      number,
    ];
    const cost = input * prices.input + cached * prices.cached + output * prices.output;
    const tokens = input + cached + output;
    if (tokens === 0) return NONE;
    return [{ kind: 'spend', worker: nameOf(agent), tokens, money: Math.ceil(cost / MILLION) }];
  }

  return {
    ofCall(event, heard) {
      const { id, agent, at, tool } = event;
      const { key, args } = heard;
      if (open.length >= MAX_OPEN) open.shift();
      open.push({ key, tool: heard.tool, args, id, agent });
      const call: Counted = { kind: 'call', worker: nameOf(agent), key };
      const move = moveOf(event);
      return { quiet: NONE, asked: move === null ? [call] : [call, move], about: { tool, agent, at } };
    },
    ofResult(event, outcome) {
      const call = taken(event);
      // That somebody was handed the work is no progress in it.
      if (call === undefined || isHandoff(call.tool) !== null) return NOTHING;
      const { tool, agent } = call;
      const [result, failure] = readOutcome(nameOf(agent), call.key, tool, call.args, outcome);
      return {
        quiet: result === undefined ? NONE : [result],
        asked: failure?.kind === 'failure' ? [failure] : NONE,
        about: { tool, agent, at: event.at },
      };
    },
    ofOther(event) {
      if (event?.type === 'turn' && event.usage !== undefined)
        return { quiet: spent(event.usage, event.agent), asked: NONE, about: {} };
      if ((event?.type !== 'handoff' && event?.type !== 'spawn') || typeof event.to !== 'string')
        return NOTHING;
      const { agent, at, to } = event;
      const note: Counted =
        event.type === 'handoff'
          ? { kind: 'handoff', worker: nameOf(agent), to: targetOf(to) }
          : spawnNote(agent, to, event.depth);
      return { quiet: NONE, asked: [note], about: { agent, at } };
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
