import { digestWording } from '../digest-wording.ts';
import type { Session } from './session.ts';
import { type Message, partsOf, textOf } from './shapes.ts';

/**
 * Whether the last message was said behind results before, too, as a program does that calls the SDK for one step after the other
 * (`Step 3 of 20.`): then no person has spoken.
 */
export function isSaidAgain({ run, agent, seat }: Session, messages: readonly Message[]): boolean {
  const [before, last] = messages.slice(-2);
  if (seat === null || before?.role !== 'tool' || partsOf(last?.content).some(isNoText)) return false;
  const { said } = seat;
  seat.said = digestWording(textOf(last?.content));
  // Whoever says it to an agent that has ended, or that has asked something, is a person.
  return seat.said === said && !run.isOver(agent) && run.questionFor(agent) === null;
}

function isNoText({ type }: { readonly type?: unknown }): boolean {
  return type !== 'text';
}
