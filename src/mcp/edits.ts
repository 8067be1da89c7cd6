import { elementsOf, type Member, memberOf, membersOf, type Span, skipSpace } from './json-spans.ts';
import { type Message, spanOf } from './message.ts';

const QUOTE = 0x22;

/** Bytes in place of a span of a message. */
type Edit = Span & { readonly text: string };

/** The message with a text block behind the content of its result; null = its result has no place for one. */
export function withTextBlock(message: Message, text: string): Buffer | null {
  const { bytes } = message;
  const result = spanOf(message, 'result');
  const object = result === undefined ? null : membersOf(bytes, result.start);
  if (result === undefined || object === null) return null;
  const block = JSON.stringify({ type: 'text', text });
  const content = memberOf(object, 'content');
  if (content === undefined) {
    const start = result.start + 1;
    return edited(bytes, [
      { start, end: start, text: `"content":[${block}]${object.parts.length > 0 ? ',' : ''}` },
    ]);
  }
  const blocks = elementsOf(bytes, content.start);
  if (blocks === null) return null;
  const last = blocks.parts.at(-1);
  const start = last?.end ?? skipSpace(bytes, content.start + 1);
  return edited(bytes, [{ start, end: start, text: last === undefined ? block : `,${block}` }]);
}

/** The message with a text behind the words of its error; null = it has no words. */
export function withErrorText(message: Message, text: string): Buffer | null {
  const { bytes } = message;
  const error = spanOf(message, 'error');
  const words = error === undefined ? undefined : memberOf(membersOf(bytes, error.start), 'message');
  if (words === undefined || bytes[words.start] !== QUOTE) return null;
  const start = words.end - 1;
  return edited(bytes, [{ start, end: start, text: JSON.stringify(`\n\n${text}`).slice(1, -1) }]);
}

/** The message without the answers of these keys in the `inputResponses` of its parameters. */
export function withoutInputResponses(message: Message, keys: readonly string[]): Buffer {
  const { bytes } = message;
  const params = spanOf(message, 'params');
  const object = params === undefined ? null : membersOf(bytes, params.start);
  const responses = memberOf(object, 'inputResponses');
  const answers = responses === undefined ? null : membersOf(bytes, responses.start);
  if (object === null || answers === null) return bytes;
  const emptied = answers.parts.every(({ name }) => keys.includes(name));
  return emptied
    ? withoutMembers(bytes, object.parts, ['inputResponses'])
    : withoutMembers(bytes, answers.parts, keys);
}

function withoutMembers(bytes: Buffer, members: readonly Member[], names: readonly string[]): Buffer {
  const edits: Edit[] = [];
  let kept: Member | null = null;
  members.forEach((member, index) => {
    if (!names.includes(member.name)) kept = member;
    // The comma before it goes with a member; behind the brace there is none, so the one that follows goes.
    else if (kept !== null)
      edits.push({ start: (members[index - 1] as Member).end, end: member.end, text: '' });
    else edits.push({ start: member.key, end: members[index + 1]?.key ?? member.end, text: '' });
  });
  return edited(bytes, edits);
}

function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}
