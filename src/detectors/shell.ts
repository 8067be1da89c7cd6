import { fieldsOf, parsedArgs } from '../core/arguments.ts';
import type { ToolCallEvent } from '../core/types.ts';

/** The command line of a call that has one. */
export function commandOf(event: ToolCallEvent): string | null {
  const { command, cmd } = fieldsOf(parsedArgs(event.args).value);
  if (typeof command === 'string') return command;
  return typeof cmd === 'string' ? cmd : null;
}
