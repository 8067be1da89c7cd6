import { fieldsOf, textOf } from '../fields.ts';

/** The text of those parts of a message that are, or are not, thoughts; Qwen Code has the same parts. */
export function partsText(parts: readonly unknown[], thought: boolean): string {
  let text = '';
  for (const part of parts) {
    const fields = fieldsOf(part);
    if ((fields['thought'] === true) === thought) text = joinedText(text, textOf(fields['text']) ?? '');
  }
  return text;
}

export function joinedText(before: string, more: string): string {
  return before === '' || more === '' ? before + more : `${before}\n${more}`;
}
