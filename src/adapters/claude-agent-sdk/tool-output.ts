import { type Fields, fieldsOf } from '../fields.ts';

/** How long something took is different every time, and says nothing. */
const VOLATILE = /^(?:total_?)?duration/i;

/** A result as the model sees it, as near as the hook tells: texts as texts, all else without what is volatile. */
export function toolOutput(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return response ?? '';
  if (Array.isArray(response)) return textIn(response) ?? response;
  const { stdout, stderr, content, file, filenames, structuredContent } = fieldsOf(response);
  if (typeof stdout === 'string') return stderr ? `${stdout}\n${stderr}` : stdout;
  const changed = changeIn(fieldsOf(response));
  if (changed !== undefined) return changed;
  const text = fieldsOf(file)['content'] ?? content;
  if (typeof text === 'string') return text;
  // A server may put all that it has found there, beside a few words.
  if (structuredContent != null) return { content, structuredContent };
  if (Array.isArray(text)) return textIn(text) ?? text;
  if (Array.isArray(filenames)) return filenames.length === 0 ? 'No files found' : filenames.join('\n');
  return Object.fromEntries(Object.entries(response).filter(([name]) => !VOLATILE.test(name)));
}

/** That a file was changed. The contents beside it are what the agent has written, and whatever they say, no result. */
function changeIn(response: Fields): string | undefined {
  const { type, filePath, structuredPatch, notebook_path, edit_mode, cell_id, error } = response;
  if (typeof filePath === 'string' && Array.isArray(structuredPatch))
    return type === 'create'
      ? `File created successfully at: ${filePath}`
      : `The file ${filePath} has been updated successfully.`;
  if (typeof notebook_path !== 'string' || typeof edit_mode !== 'string') return undefined;
  return error
    ? `Error: ${error}`
    : `The notebook ${notebook_path} has been updated: ${edit_mode} ${cell_id ?? 'a cell'}`;
}

/** The text of a list of blocks, where it is nothing but text. */
function textIn(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map((block) => fieldsOf(block)['text']);
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}
