import type { AgentEvent, Usage } from '../core/types.ts';
import type { Sink } from './format.ts';
import { createModels, type Models } from './models.ts';

type Turn = Extract<AgentEvent, { readonly type: 'turn' }>;
/** What is known of a response when it begins; `model` = who gave it. */
type Beginning = Pick<Turn, 'at' | 'agent'> & { readonly model?: string | undefined };
type Held = { readonly event: AgentEvent; readonly line: number };

/** The model response that is being read. Transcripts tell of its usage, and often of its text, after its calls. */
export type Turns = {
  /** A response begins; with the id of the open one, or of one that was passed on lately, it goes on. */
  begin(id: string | undefined, beginning: Beginning, line: number): void;
  /** More of what the open response says. */
  say(part: 'text' | 'reasoning', text: string): void;
  /** Tokens of the open response; what is said last counts. */
  spend(usage: Usage | undefined): void;
  /** A call, or a result, that may come between the calls of one response; without an open response it passes at once. */
  add(event: AgentEvent, line: number): void;
  /** What ends a response: the person's next message, a compaction. */
  pass(event: AgentEvent, line: number): void;
  /** Passes the open response on, with what was held behind it. */
  close(): void;
};

/** Responses whose parts may still come after they were passed on. */
const REMEMBERED = 64;

/** Holds one model response back until all of it is known, so that its `turn` stands before its calls and tells its usage. */
export function createTurns(sink: Sink, models: Models = createModels(sink)): Turns {
  let open: {
    id: string | undefined;
    model: string | undefined;
    turn: { -readonly [Name in keyof Turn]: Turn[Name] };
    line: number;
  } | null = null;
  let held: Held[] = [];
  const passed = new Set<string>();

  function close(): void {
    if (open === null) return;
    const { id, model, turn, line } = open;
    open = null;
    models.before(turn.agent, model);
    sink.event(turn, line);
    models.after(turn.agent);
    const waiting = held;
    held = [];
    for (const { event, line: at } of waiting) sink.event(event, at);
    if (id === undefined) return;
    passed.add(id);
    if (passed.size > REMEMBERED) passed.delete(passed.values().next().value as string);
  }

  return {
    begin(id, { at, agent, model }, line) {
      if (open !== null && id !== undefined && id === open.id) {
        open.model ??= model;
        return;
      }
      close();
      if (id !== undefined && passed.has(id)) return;
      open = { id, model, turn: { type: 'turn', at, agent }, line };
    },
    say(part, text) {
      if (open === null || text === '') return;
      const before = open.turn[part];
      open.turn[part] = before === undefined ? text : `${before}\n${text}`;
    },
    spend(usage) {
      if (open !== null && usage !== undefined) open.turn.usage = usage;
    },
    add(event, line) {
      if (open === null) sink.event(event, line);
      else held.push({ event, line });
    },
    pass(event, line) {
      close();
      sink.event(event, line);
    },
    close,
  };
}
