import { DeloopError } from '../core/errors.ts';
import type { Guard } from '../core/guard.ts';
import { isNewer } from '../core/snapshot.ts';

/** A guard that goes on from a saved state; `damage` is why it had to start anew. */
export type Restored = { readonly guard: Guard; readonly damage: unknown };

/** What cannot be restored is started anew, unless a newer deloop can read it: then it throws. */
export function restoredGuard(saved: unknown, open: (state: unknown) => Guard): Restored {
  if (saved === null) return { guard: open(undefined), damage: null };
  try {
    return { guard: open(saved), damage: null };
  } catch (error) {
    if (!(error instanceof DeloopError) || isNewer(saved)) throw error;
    return { guard: open(undefined), damage: error };
  }
}
