import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts';

/** Values nest; whoever nests them deeper than this means no good. */
const MAX_DEPTH = 32;

/** The attributes of a span, from OTLP's list of keys and typed values. */
export function attributesOf(list: unknown): ReadonlyMap<string, unknown> {
  const attributes = new Map<string, unknown>();
  for (const entry of listOf(list)) {
    const { key, value } = fieldsOf(entry);
    if (typeof key === 'string') attributes.set(key, typedValue(fieldsOf(value), 0));
  }
  return attributes;
}

function typedValue(value: Fields, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value;
  if (stringValue !== undefined) return stringValue;
  // A 64-bit integer is a text in JSON.
  if (intValue !== undefined) return typeof intValue === 'string' ? Number(intValue) : intValue;
  if (doubleValue !== undefined) return doubleValue;
  if (boolValue !== undefined) return boolValue;
  if (arrayValue !== undefined) {
    return listOf(fieldsOf(arrayValue)['values']).map((item) => typedValue(fieldsOf(item), depth + 1));
  }
  if (kvlistValue === undefined) return null;
  return Object.fromEntries(
    listOf(fieldsOf(kvlistValue)['values']).map((item) => {
      const { key, value: inner } = fieldsOf(item);
      return [textOf(key) ?? '', typedValue(fieldsOf(inner), depth + 1)];
    }),
  );
}
