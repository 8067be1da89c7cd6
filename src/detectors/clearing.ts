import type { Entry } from '../core/types.ts';

/** Whether a result means that the world has changed; what the user declares of a tool wins over the preset's list. */
export function clears({ event, status, effect, tool }: Entry, tools: readonly string[]): boolean {
  if (event !== 'tool-result' || status !== 'ok') return false;
  return effect === undefined ? tools.includes(tool) : effect !== 'none';
}
