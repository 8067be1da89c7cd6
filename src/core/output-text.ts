import { canonicalJson } from './arguments.ts';
import { shownOutput } from './shown-output.ts';
import type { ToolResultEvent } from './types.ts';

let lastEvent: unknown = null;
let lastText = '';

export function outputText(output: unknown): string {
  return typeof output === 'string' ? output : canonicalJson(shownOutput(output));
}

/** The output of a call as text, noted for those who come after. */
export function readOutput(event: ToolResultEvent): string {
  lastText = outputText(event.output);
  lastEvent = event;
  return lastText;
}

/** The same without writing it again. A host may use its object again: ask only about what was just read. */
export function outputRead(event: ToolResultEvent): string {
  return event === lastEvent ? lastText : readOutput(event);
}
