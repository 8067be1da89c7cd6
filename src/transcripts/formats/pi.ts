import { fieldsOf } from '../fields.ts';
import type { Format, Sample } from '../format.ts';
import { openPiSession } from './pi-session.ts';

/** One entry of a tree a line, after a header; or what `pi --mode json` writes to stdout. Both packages write the same. */
export const pi: Format = {
  name: 'pi',
  title: 'pi',
  recognises({ shape, records }: Sample): boolean {
    return shape === 'lines' && records.some(({ value }) => isEntry(value));
  },
  open: openPiSession,
};

const ROLES = new Set<unknown>(['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'hookMessage']);

function isEntry(value: unknown): boolean {
  const { type, id, cwd, timestamp, message } = fieldsOf(value);
  if (type === 'session')
    return typeof id === 'string' && typeof cwd === 'string' && typeof timestamp === 'string';
  const { role, content } = fieldsOf(message);
  if (type === 'message_start' || type === 'message_end') return ROLES.has(role) && content !== undefined;
  return type === 'message' && typeof id === 'string' && ROLES.has(role);
}
