import { fieldsOf } from '../fields.ts';
import type { HostCall, HostResult } from '../run.ts';
import type { Session } from './session.ts';
import type { ToModelOutput } from './shapes.ts';

/** What came of a call, as the model reads it. It is made once: the SDK gets the same when it asks for it. */
export async function readResult(
  { read }: Session,
  { id = '', args }: HostCall,
  output: unknown,
  toModelOutput: ToModelOutput,
): Promise<HostResult> {
  try {
    const given = await toModelOutput({ toolCallId: id, input: args, output });
    read.set(id, { output, given });
    return resultOf(given);
  } catch {
    // The SDK asks for it again, and hears of it then.
    return { output };
  }
}

/** The same function, which does not do again what was done for `readResult`. */
export function readOnce({ read }: Session, toModelOutput: ToModelOutput): ToModelOutput {
  return (result) => {
    const known = read.get(result.toolCallId);
    if (known === undefined || known.output !== result.output) return toModelOutput(result);
    read.delete(result.toolCallId);
    return known.given;
  };
}

/** A result as it stands in the messages. */
export function resultOf(given: unknown): HostResult {
  const { type, value } = fieldsOf(given);
  if (type === 'execution-denied') return { output: '', status: 'denied' };
  return { output: value, status: String(type).startsWith('error') ? 'error' : 'ok' };
}
