import type { AgentEvent, Usage } from '../../core/types.ts';
import type { Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/** The responses of a rollout, in which nothing but their tokens tells where one ends. */
export type CodexResponses = {
  /** The model says or asks something; `begins` = after a result, that is a new response for certain. */
  respond(begins: boolean, at: number | undefined, line: number): void;
  /** The model that responds from now on. */
  model(name: string | undefined): void;
  /** The open response is over, and nobody counted it; as long as none was counted, that is believed. */
  end(): void;
  say(part: 'text' | 'reasoning', text: string): void;
  add(event: AgentEvent, line: number): void;
  /** A result that the host gives, after which the model responds anew. */
  answer(event: AgentEvent, line: number): void;
  /** The tokens of a response. */
  count(usage: Usage | undefined, at: number | undefined, line: number): void;
  /** What ends a response. */
  pass(event: AgentEvent, line: number): void;
  flush(): void;
};
type Counted = { readonly usage: Usage; readonly at: number | undefined; readonly line: number };

export function createCodexResponses(sink: Sink): CodexResponses {
  const turns = createTurns(sink);
  let open = false;
  let answered = false;
  let ended = false;
  /** Whether the host tells where responses end; until it does, what the model asks for after a result is a new one. */
  let bounded = false;
  let model: string | undefined;
  /** Versions of 2025 wrote the tokens before what the response says, later ones behind it. */
  let countedBefore: boolean | undefined;
  let early: Counted | undefined;

  function close(): void {
    open = false;
    ended = false;
    turns.close();
  }

  /** Tokens of a response that said nothing, such as a summary. */
  function passEarly(): void {
    if (early === undefined) return;
    const { usage, at, line } = early;
    early = undefined;
    turns.begin(undefined, { at, model }, line);
    turns.spend(usage);
    turns.close();
  }

  return {
    respond(begins, at, line) {
      if (open && !ended && !(answered && (begins || !bounded))) return;
      turns.begin(undefined, { at, model }, line);
      turns.spend(early?.usage);
      early = undefined;
      open = true;
      answered = false;
      ended = false;
    },
    model(name) {
      model = name ?? model;
    },
    end() {
      if (!open || countedBefore !== undefined) return;
      bounded = true;
      ended = true;
    },
    say: turns.say,
    add: turns.add,
    answer(event, line) {
      answered = true;
      turns.add(event, line);
    },
    count(usage, at, line) {
      if (usage === undefined || usage.input + usage.output + (usage.cachedInput ?? 0) === 0) return;
      countedBefore ??= !open;
      bounded = true;
      if (open && !countedBefore) turns.spend(usage);
      const said = open;
      close();
      if (said && !countedBefore) return;
      passEarly();
      early = { usage, at, line };
      if (!countedBefore) passEarly();
    },
    pass(event, line) {
      close();
      passEarly();
      turns.pass(event, line);
    },
    flush() {
      close();
      passEarly();
    },
  };
}
