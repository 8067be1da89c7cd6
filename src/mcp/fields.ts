export type Fields = { readonly [name: string]: unknown };

const NONE: Fields = {};

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NONE;
}
