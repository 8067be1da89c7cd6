import { HumanMessage } from '@langchain/core/messages';
import { deloop, type LangChainOptions } from '../../../src/adapters/langchain/index.ts';
import { listeningTo, NOTHING, scripted } from '../driver.ts';
import { toolsOf } from './host.ts';
import { ScriptedChatModel } from './scripted-model.ts';

type Turn = Parameters<typeof scripted>[1];
export const script = (turn: Turn) => scripted((answer) => new ScriptedChatModel(answer), turn);
export const listening = (options: LangChainOptions = {}) => listeningTo(deloop, options);

/** A tool that counts, and does what it is told. */
export function counted(execute: (n: number) => unknown = () => NOTHING) {
  const ran: unknown[] = [];
  const [look] = toolsOf({
    look(args) {
      ran.push(args);
      return execute(ran.length) as string;
    },
  });
  return { look: look as NonNullable<typeof look>, ran };
}

export const person = (text = 'Find it.') => ({ messages: [new HumanMessage(text)] });
export const inThread = (thread_id: string) => ({ configurable: { thread_id }, recursionLimit: 500 });
