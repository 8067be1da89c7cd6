/** Holds an object only as long as others do; what is no object, a host may send anything, is not held. */
export function weakly<Value>(value: Value): WeakRef<Value & object> | undefined {
  return typeof value === 'object' && value !== null ? new WeakRef(value) : undefined;
}
