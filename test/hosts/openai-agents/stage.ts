import { tool } from '@openai/agents';
import { deloop, type WatchOptions } from '../../../src/adapters/openai-agents/index.ts';
import { listeningTo, NOTHING, scripted } from '../driver.ts';
import { anything, scriptedModel } from './host.ts';

/** What the cases of the OpenAI Agents SDK begin with. */

type Turn = Parameters<typeof scripted>[1];
export const script = (turn: Turn) => scripted((answer) => scriptedModel(answer), turn);
export const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

export function counted(execute: (n: number) => unknown = () => NOTHING, more: object = {}) {
  const ran: unknown[] = [];
  const look = tool({
    name: 'look',
    description: 'look',
    parameters: anything,
    strict: false,
    async execute(args) {
      ran.push(args);
      return execute(ran.length);
    },
    ...more,
  });
  return { look, ran };
}

export const MANY = { maxTurns: 60 } as const;
