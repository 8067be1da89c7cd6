import { type Desk, refuse } from './desk.ts';
import type { HostCall } from './run.ts';
import { deskOf, type Running, report, stop, take, touch } from './running.ts';
import type { Answer } from './stop-reason.ts';
import { RUN, type Verdict } from './verdict.ts';

/** Calls whose ids are remembered while a question is open. */
const MAX_HELD = 64;

/** The call waits for the answer, if there is a question. */
export function hold(desk: Desk, { id }: HostCall): Verdict {
  if (desk.question === null) return RUN;
  const { held = [] } = desk.question;
  if (id !== undefined && !held.includes(id))
    desk.question = { ...desk.question, held: [...held, id].slice(-MAX_HELD) };
  return { do: 'hold', text: desk.question.message, question: desk.question };
}

/** Asks the person what the agent's desk has a question about, once; whether the answer was yes. */
export function ask(run: Running, agent: string | undefined): Promise<boolean> {
  const { asking, onAsk } = run;
  const desk = deskOf(run, agent);
  const running = asking.get(desk.agent);
  if (running !== undefined) return running;
  const { question } = desk;
  if (question === null || onAsk === undefined) return Promise.resolve(false);
  const answered = (async () => {
    let said: Answer = false;
    try {
      said = await onAsk(question);
    } catch (error) {
      report(run, error, question);
    }
    asking.delete(desk.agent);
    answer(run, said, agent);
    return isYes(said);
  })();
  asking.set(desk.agent, answered);
  return answered;
}

export function answer(run: Running, said: Answer, agent?: string): void {
  const desk = deskOf(run, agent);
  const { question } = desk;
  if (question === null) return;
  if (!isYes(said)) {
    refuse(desk);
    stop(run, desk);
    return;
  }
  desk.question = null;
  const offered = said === true ? question.continuations?.find((n) => n > 0) : said;
  take(
    run,
    offered === undefined
      ? { type: 'control', do: 'approve', agent }
      : { type: 'control', do: 'grant', n: offered, agent },
  );
  touch(run);
}

/** Whatever else comes from outside is no yes. */
function isYes(said: Answer): said is true | number {
  return said === true || (typeof said === 'number' && said > 0);
}
