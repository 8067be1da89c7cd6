import { fieldsOf } from './fields.ts';

/** Whether what fails now was cancelled, by the signal of its run. What was not done in time has failed, and so has what a tool gave up by itself. */
export function isCancelled(signal: AbortSignal | null | undefined): boolean {
  return signal?.aborted === true && fieldsOf(signal.reason)['name'] !== 'TimeoutError';
}
