import { argumentsOf, fieldsOf, listOf, textOf } from '../fields.ts';

/** A message of the attributes that hold what went to a model and what came back. */
export type SpanMessage = { readonly role: string; readonly parts: readonly unknown[] };

/** An attribute may hold the list itself, or its JSON. */
export function messagesOf(value: unknown): readonly SpanMessage[] {
  const list = listOf(argumentsOf(value));
  return list.map((message) => {
    const { role, parts } = fieldsOf(message);
    return { role: textOf(role) ?? '', parts: listOf(parts) };
  });
}

export function isFromModel({ role }: SpanMessage): boolean {
  return role === 'assistant';
}

/** The texts of one kind, `text` or `reasoning`. */
export function textIn(parts: readonly unknown[], kind: string): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    const { type, content } = fieldsOf(part);
    if (type === kind && typeof content === 'string') texts.push(content);
  }
  return texts.length === 0 ? undefined : texts.join('\n');
}
