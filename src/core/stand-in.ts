/** Objects that show nothing of themselves, by the order in which they were seen. */
const NUMBERS: WeakMap<object, number> = /* @__PURE__ */ new WeakMap();
let seen = 0;

/**
 * What an object that has no field to show is compared as: a plain one as it is, a Map or a Set by what is in it, an error by
 * its words. Of any other nobody can say what it holds, so it is like no other.
 */
export function standIn(value: object): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also that of another realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return value;
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  let number = NUMBERS.get(value);
  if (number === undefined) {
    seen += 1;
    number = seen;
    NUMBERS.set(value, number);
  }
  return `object ${number}`;
}
