import type { StopReason } from './stop-reason.ts';

const BRAND = Symbol.for('deloop.LoopHalted');
const MAX_CAUSES = 8;

/** Thrown where a host can be stopped only by an error; `partial` = what the agent had until then. */
export class LoopHalted<Partial = unknown> extends Error {
  override readonly name = 'LoopHalted';
  readonly reason: StopReason;
  readonly partial: Partial | undefined;

  constructor(reason: StopReason, partial?: Partial) {
    super(reason.message);
    this.reason = reason;
    this.partial = partial;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells it from other errors, also when the package is there twice. */
export function isLoopHalted(error: unknown): error is LoopHalted {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** The `LoopHalted` that an error is or was caused by; hosts wrap what is thrown in their hooks. */
export function findLoopHalted(error: unknown): LoopHalted | null {
  let inner = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof inner === 'object' && inner !== null; depth++) {
    if (isLoopHalted(inner)) return inner;
    const { cause, error: wrapped } = inner as { cause?: unknown; error?: unknown };
    inner = cause ?? wrapped;
  }
  return null;
}
