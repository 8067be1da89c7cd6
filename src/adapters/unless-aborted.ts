/** What is waited for; rejects with the signal's reason when that comes first: nobody waits any more. */
export function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
export function unlessAborted<Value>(
  value: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Value | Promise<Value>;
export function unlessAborted<Value>(
  value: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Value | Promise<Value> {
  if (!(value instanceof Promise) || signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    const waiting = waitingAt(signal);
    waiting.leaves.add(leave);
    value.then(resolve, reject).finally(() => {
      waiting.leaves.delete(leave);
      if (waiting.leaves.size === 0) forget(signal, waiting);
    });
  });
}

type Waiting = { readonly leaves: Set<() => void>; readonly listener: () => void };

/** Many runs may share a signal, and many listeners look like a leak: so there is one of ours, as long as anybody waits. */
const waitingAtSignals = new WeakMap<AbortSignal, Waiting>();

function waitingAt(signal: AbortSignal): Waiting {
  const known = waitingAtSignals.get(signal);
  if (known !== undefined) return known;
  const leaves = new Set<() => void>();
  const listener = () => {
    for (const leave of leaves) leave();
  };
  const waiting: Waiting = { leaves, listener };
  waitingAtSignals.set(signal, waiting);
  signal.addEventListener('abort', listener, { once: true });
  return waiting;
}

function forget(signal: AbortSignal, { listener }: Waiting): void {
  waitingAtSignals.delete(signal);
  signal.removeEventListener('abort', listener);
}
