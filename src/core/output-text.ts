import { canonicalJson } from './arguments.ts';
import type { ToolResultEvent } from './types.ts';

let lastEvent: unknown = null;
let lastText = '';

/** The output of a call as text. */
export function readOutput(event: ToolResultEvent): string {
  const { output } = event;
  if (typeof output === 'string') return output;
  lastText = canonicalJson(output);
  lastEvent = event;
  return lastText;
}

/** The same for those who come after, without writing it again. A host may use its object again: ask only about what was just read. */
export function outputRead(event: ToolResultEvent): string {
  return event === lastEvent && typeof event.output !== 'string' ? lastText : readOutput(event);
}
