import type { Usage } from '../../core/types.ts';
import { argumentsOf, contentText, fieldsOf, listOf, nameOf, textOf, usageOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/**
 * SWE-agent's `.traj`: `trajectory` has the steps, `history` tells the same again as messages and is passed over. A run
 * of several attempts has them all in `attempts`, and the best of them again in `trajectory`.
 */
export const sweAgent: Format = {
  name: 'swe-agent',
  title: 'SWE-agent',
  recognises({ shape, records }: Sample): boolean {
    if (shape !== 'document') return false;
    return records.some(({ key, value }) => {
      if (key === 'trajectory') return isStep(value);
      return key === 'attempts' && isStep(listOf(fieldsOf(value)['trajectory'])[0]);
    });
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    let attempts = 0;
    let steps = 0;

    function readStep(value: unknown, line: number): void {
      const { action, observation, response, thought, query } = fieldsOf(value);
      if (steps === 0) {
        const task = listOf(query).findLast((message) => fieldsOf(message)['role'] === 'user');
        const text = contentText(fieldsOf(task)['content']);
        if (text !== '') turns.pass({ type: 'user', text }, line);
      }
      steps += 1;
      turns.begin(undefined, {}, line);
      turns.say('text', nameOf(response) ?? textOf(thought) ?? '');
      const command = textOf(action)?.trim() ?? '';
      if (command !== '') {
        // The action is a command line, whatever tool the model used to give it.
        const call = { id: `step-${line}-${steps}`, tool: 'bash' };
        turns.add({ type: 'tool-call', ...call, args: { command } }, line);
        const output = textOf(observation);
        if (output !== undefined)
          turns.add({ type: 'tool-result', ...call, status: 'unknown', output }, line);
      }
      turns.close();
    }

    return {
      read({ line, key, value }) {
        if (key === 'attempts') {
          attempts += 1;
          steps = 0;
          for (const step of listOf(fieldsOf(value)['trajectory'])) readStep(step, line);
        } else if (key === 'trajectory') {
          if (attempts === 0) readStep(value, line);
        } else if (key === 'info') {
          const { model_stats, swe_agent_version } = fieldsOf(value);
          sink.facts({ usage: usageIn(model_stats), version: nameOf(swe_agent_version) });
        } else if (key === 'replay_config') {
          const { agent } = fieldsOf(argumentsOf(value));
          sink.facts({ model: nameOf(fieldsOf(fieldsOf(agent)['model'])['name']) });
        }
      },
      flush: turns.close,
    };
  },
};

function isStep(value: unknown): boolean {
  const { action, observation, response, thought } = fieldsOf(value);
  if (typeof action !== 'string' || typeof observation !== 'string') return false;
  return typeof response === 'string' || typeof thought === 'string';
}

function usageIn(stats: unknown): Usage | undefined {
  const { tokens_sent, tokens_received } = fieldsOf(stats);
  return usageOf(tokens_sent, tokens_received);
}
