import { digestText } from '../../core/digest-text.ts';
import type { Conversation } from './conversations.ts';
import { type Message, textOf } from './shapes.ts';

/** Keeps with the run what the agent has heard last: another process may go on with it. */
export function keepHeard({ run, agent = '', shown }: Conversation, history: readonly Message[]): void {
  const message = lastHuman(history);
  run.keepBookmark({
    agent,
    read: history.filter(isHuman).length,
    last: digestText(message?.id ?? ''),
    nudges: [],
    verdicts: [],
    answered: false,
    ran: false,
    shown,
  });
}

/**
 * Whether what was said last was heard before, in any process, and answered. Responses behind it tell nothing of that: they may
 * be those of other agents, or of middleware. Where nothing was kept, they are taken for the agent's own.
 */
export function isAnswered({ run, agent, heard }: Conversation, history: readonly Message[]): boolean {
  const from = history.findLastIndex(isHuman);
  if (!history.some(({ type }, index) => index > from && type === 'ai')) return false;
  const kept = run.bookmarkFor(agent);
  if (kept === null) return heard === undefined;
  const { id, content } = history[from] ?? {};
  if (kept.shown !== digestText(textOf(content))) return false;
  // Without an id, the same words said once more are known by what came before.
  return id === undefined ? history.filter(isHuman).length <= kept.read : kept.last === digestText(id);
}

export function lastHuman(history: readonly Message[]): Message | undefined {
  return history.findLast(isHuman);
}

/** LangChain's own middleware marks what it writes in a person's place, such as a summary. */
function isHuman({ type, additional_kwargs }: Message): boolean {
  return type === 'human' && additional_kwargs?.['lc_source'] === undefined;
}
