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
    signal.addEventListener('abort', leave, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
