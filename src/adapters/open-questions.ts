import type { Question } from './stop-reason.ts';

/** A question that a person was asked; `answered` = whether the answer was yes. */
export type OpenQuestion = {
  readonly question: Question;
  readonly answered: Promise<boolean>;
  readonly end: (yes: boolean) => void;
};
/** Those to which an answer is awaited, by agent. */
export type OpenQuestions = Map<string, OpenQuestion>;

export function openQuestion(questions: OpenQuestions, agent: string, question: Question): OpenQuestion {
  let end: (yes: boolean) => void = () => {};
  const answered = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const open = { question, answered, end };
  questions.set(agent, open);
  return open;
}

/** Whoever waits for the answer waits no more, and what the person may still say to it counts for nothing. */
export function endQuestion(questions: OpenQuestions, agent: string, yes: boolean): void {
  const open = questions.get(agent);
  questions.delete(agent);
  open?.end(yes);
}
