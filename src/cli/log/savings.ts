import type { Usage } from '../../core/types.ts';
import { LIST_PRICES } from '../../report/list-prices.ts';
import { priceOf } from '../../report/prices.ts';
import { readSource } from '../scan/read-source.ts';
import { isDone, type SessionLog } from './session-log.ts';

export type Cost = {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  /** Dollars; null = no price is known for the model. */
  readonly usd: number | null;
};

/** What a guard has saved, as far as a transcript tells; null = it does not. Nothing is guessed. */
export type Savings = {
  /** What a response of the model cost when the guard first refused something: so much each further one would have cost. */
  readonly response: Cost | null;
  /** What was spent from where a guard in shadow would first have refused something, to where it last would have. */
  readonly shadow: Cost | null;
};

type Response = { readonly at: number; readonly usage: Usage; readonly model: string | undefined };

/** A response that the host writes down a little later is one that came before. */
const LATE_MS = 2000;

export function savingsOf({ answers, transcript, refused, spared }: SessionLog): Savings {
  if (transcript === undefined || refused + spared === 0) return { response: null, shadow: null };
  const responses = responsesIn(transcript);
  const stopped = answers.find((answer) => answer.refused === true);
  const wanted = answers.filter(
    (answer) => !isDone(answer) && 'action' in answer && answer.action !== 'nudge',
  );
  const [from, to] = [wanted[0]?.at, wanted.at(-1)?.at];
  const last = stopped === undefined ? undefined : responses.findLast(({ at }) => at <= stopped.at + LATE_MS);
  return {
    response: last === undefined ? null : costOf([last]),
    shadow:
      from === undefined || to === undefined
        ? null
        : costOf(responses.filter(({ at }) => at > from && at <= to + LATE_MS)),
  };
}

function responsesIn(path: string): readonly Response[] {
  const responses: Response[] = [];
  let model: string | undefined;
  let at = 0;
  readSource(
    { kind: 'files', path, size: 0 },
    {
      event(event) {
        at = event.at ?? at;
        if (event.type === 'turn' && event.usage !== undefined)
          responses.push({ at, usage: event.usage, model });
      },
      facts(facts) {
        model = facts.model ?? model;
      },
      problem() {},
    },
  );
  return responses;
}

function costOf(responses: readonly Response[]): Cost | null {
  if (responses.length === 0) return null;
  const sum = (of: (usage: Usage) => number) => responses.reduce((total, { usage }) => total + of(usage), 0);
  const prices = responses.map(({ model, usage }) => priceOf(model, usage, LIST_PRICES));
  return {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cachedInput: sum(({ cachedInput = 0 }) => cachedInput),
    usd: prices.includes(null) ? null : prices.reduce<number>((total, price) => total + (price ?? 0), 0),
  };
}
