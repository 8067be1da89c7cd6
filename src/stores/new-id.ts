/** A text that nobody else makes. */
export function newId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 20);
}
