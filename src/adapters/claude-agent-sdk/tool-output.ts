import { fieldsOf } from '../fields.ts';

/** How long something took is different every time, and says nothing. */
const VOLATILE = /^(?:total_?)?duration/i;

/** A result as the model sees it, as near as the hook tells: texts as texts, all else without what is volatile. */
export function toolOutput(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return response ?? '';
  if (Array.isArray(response)) return textIn(response) ?? response;
  const { stdout, stderr, content, file, filenames } = fieldsOf(response);
  if (typeof stdout === 'string') return stderr ? `${stdout}\n${stderr}` : stdout;
  const text = fieldsOf(file)['content'] ?? content;
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return textIn(text) ?? text;
  if (Array.isArray(filenames)) return filenames.length === 0 ? 'No files found' : filenames.join('\n');
  return Object.fromEntries(Object.entries(response).filter(([name]) => !VOLATILE.test(name)));
}

/** The text of a list of blocks, where it is nothing but text. */
function textIn(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map((block) => fieldsOf(block)['text']);
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}
