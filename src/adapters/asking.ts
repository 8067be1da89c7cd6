import { type Desk, refuse } from './desk.ts';
import { endQuestion, openQuestion } from './open-questions.ts';
import type { HostCall } from './run.ts';
import { deskOf, type Running, report, stop, take, touch } from './running.ts';
import type { Answer, Question } from './stop-reason.ts';
import { RUN, type Verdict } from './verdict.ts';

/** Calls whose ids are remembered while a question is open. */
const MAX_HELD = 64;

/** The call waits for the answer, if there is a question. */
export function hold(desk: Desk, { id }: HostCall): Verdict {
  if (desk.question === null) return RUN;
  const { held = [] } = desk.question;
  if (id !== undefined && !held.includes(id))
    desk.question = { ...desk.question, held: [...held, id].slice(-MAX_HELD) };
  return { do: 'hold', text: desk.question.prompt, question: desk.question };
}

/** Asks the person what the agent's desk has a question about, once; whether the answer was yes. */
export function ask(run: Running, agent: string | undefined): Promise<boolean> {
  const { asking, onAsk } = run;
  const { question, agent: name } = deskOf(run, agent);
  const earlier = asking.get(name);
  if (earlier !== undefined) return earlier.answered;
  if (question === null || onAsk === undefined) return Promise.resolve(false);
  const open = openQuestion(asking, name, question);
  said(run, onAsk, question).then((answered) => {
    // Otherwise it has ended without the answer, and another may be open by now.
    if (asking.get(name) === open) answer(run, answered, agent);
  });
  return open.answered;
}

/** What the person says; no, where asking breaks. */
async function said(run: Running, onAsk: NonNullable<Running['onAsk']>, question: Question): Promise<Answer> {
  try {
    return await onAsk(question);
  } catch (error) {
    report(run, error, question);
    return false;
  }
}

export function answer(run: Running, said: Answer, agent?: string): void {
  const desk = deskOf(run, agent);
  const { question } = desk;
  endQuestion(run.asking, desk.agent, isYes(said));
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
