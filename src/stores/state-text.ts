import { DeloopError } from '../core/errors.ts';
import type { Json } from '../core/types.ts';
import { MAX_STATE_LENGTH } from './store.ts';

/** A state as text; throws when it is larger than any guard makes it. */
export function stateText(state: Json): string {
  const text = JSON.stringify(state);
  if (text.length > MAX_STATE_LENGTH)
    throw new DeloopError(
      'store',
      `a state has ${text.length} characters; it may have ${MAX_STATE_LENGTH} at most`,
    );
  return text;
}
