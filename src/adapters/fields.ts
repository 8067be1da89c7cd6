/** What a host hands over may be anything. */
export type Fields = { readonly [name: string]: unknown };

/** Its fields, to be looked at one by one; none where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
