import type { AgentEvent, Usage } from '../../core/types.ts';
import type { Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/** The responses of a rollout, in which nothing but their tokens tells where one ends. */
export type CodexResponses = {
  /** The model says or asks something; `begins` = after a result, that is a new response for certain. */
  respond(begins: boolean, at: number | undefined, line: number): void;
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
  /** Versions of 2025 wrote the tokens before what the response says, later ones behind it. */
  let countedBefore: boolean | undefined;
  let early: Counted | undefined;

  function close(): void {
    open = false;
    turns.close();
  }

  /** Tokens of a response that said nothing, such as a summary. */
  function passEarly(): void {
    if (early === undefined) return;
    const { usage, at, line } = early;
    early = undefined;
    turns.pass({ type: 'turn', at, usage }, line);
  }

  return {
    respond(begins, at, line) {
      if (open && !(answered && begins)) return;
      turns.begin(undefined, { at }, line);
      turns.spend(early?.usage);
      early = undefined;
      open = true;
      answered = false;
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
