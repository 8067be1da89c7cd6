import type { AgentEvent, Json, Status, Usage } from '../../src/index.ts';

/** One call and what came of it; without an output, its result is never seen. */
export type Act = {
  readonly tool: string;
  readonly args: Json;
  readonly output?: Json;
  readonly status?: Status;
};

/** One response of a model: what it says, then its calls at once, then their results. */
export type Turn = {
  readonly acts: readonly Act[];
  readonly text?: string;
  readonly reasoning?: string;
  readonly usage?: Usage;
  readonly agent?: string;
};

/** What happens next in a story: a turn, or anything else that a host can tell. */
export type Beat = Turn | AgentEvent;

export function isTurn(beat: Beat): beat is Turn {
  return 'acts' in beat;
}

/** A turn with one call that succeeds. */
export function does(tool: string, args: Json, output: Json): Turn {
  return { acts: [{ tool, args, output }] };
}

/** A turn with one call that fails, or ends in another way than well. */
export function fails(tool: string, args: Json, output: Json, status: Status = 'error'): Turn {
  return { acts: [{ tool, args, output, status }] };
}

/** A turn with one call of which no result is ever seen. */
export function blindly(tool: string, args: Json): Turn {
  return { acts: [{ tool, args }] };
}

/** The calls of several turns, made at once in one. */
export function atOnce(...turns: readonly Turn[]): Turn {
  return { acts: turns.flatMap(({ acts }) => acts) };
}

/** A turn that only talks. */
export function says(text: string): Turn {
  return { acts: [], text };
}

/** A turn of a sub-agent. */
export function by(agent: string, turn: Turn): Turn {
  return { ...turn, agent };
}

/** A turn with a few words before its calls. */
export function saying(text: string, turn: Turn): Turn {
  return { ...turn, text };
}

export function person(text: string): AgentEvent {
  return { type: 'user', text };
}

export const COMPACTION: AgentEvent = { type: 'compaction' };

/** A text as it is streamed: in pieces of this length. */
export function streamed(
  text: string,
  piece: number,
  channel: 'content' | 'reasoning' = 'content',
): AgentEvent[] {
  return times(Math.ceil(text.length / piece), (i) => ({
    type: 'text-delta',
    channel,
    text: text.slice(i * piece, (i + 1) * piece),
  }));
}

export function times<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index));
}

/** So many laps, each of several beats. */
export function laps<T>(n: number, lap: (index: number) => readonly T[]): T[] {
  return times(n, lap).flat();
}
