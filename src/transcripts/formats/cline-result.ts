import type { Json, Status } from '../../core/types.ts';
import { type Fields, fieldsOf, isFields, jsonOf, textOf } from '../fields.ts';
import { jsonText } from '../output.ts';

/** How a tool of Cline's ended: `{query, result, error, success}`, a list of these, `{error}`, or blocks of text. */
export function clineResult(value: unknown, failed: boolean): { status: Status; output: Json } {
  const parts = typeof value === 'string' ? unpacked(value) : Array.isArray(value) ? value : [value];
  let text = '';
  let [succeeded, broke, wordless] = [false, failed, false];
  for (const item of parts) {
    const { type, result, error, text: words, success } = fieldsOf(item);
    const said = typeof item === 'string' ? item : (filled(result) ?? filled(error) ?? textOf(words) ?? '');
    if (said !== '') text = text === '' ? said : `${text}\n${said}`;
    wordless ||= type === 'image';
    succeeded ||= success === true;
    broke ||= success === false;
  }
  // One image is not another.
  const output = wordless ? jsonOf(value) : text;
  return { status: broke ? failureOf(text, failed, succeeded) : 'ok', output };
}

function filled(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  return jsonText(value);
}

/** A result that was not a text was written down as JSON. */
function unpacked(text: string): readonly unknown[] {
  if (!text.startsWith('{"query":') && !text.startsWith('{"error":')) return [text];
  try {
    const value: unknown = JSON.parse(text);
    return [isFields(value) && isResult(value) ? value : text];
  } catch {
    return [text];
  }
}

function isResult({ result, error, success }: Fields): boolean {
  return typeof success === 'boolean' || typeof error === 'string' || typeof result === 'string';
}

/** Its own words for calls that it did not let run. */
const REFUSALS: readonly (readonly [RegExp, Status])[] = [
  [/AI_NoSuchToolError|^Unknown tool: /, 'unknown-tool'],
  [/^✖|AI_InvalidToolInputError/, 'invalid'],
  [/was not approved|^The user denied this operation/, 'denied'],
  [/was blocked by a runtime hook|is disabled by policy/, 'blocked'],
  [/^Tool execution was interrupted/, 'cancelled'],
];

function failureOf(output: string, refused: boolean, succeeded: boolean): Status {
  const head = output.slice(0, 300);
  if (refused) return REFUSALS.find(([words]) => words.test(head))?.[1] ?? 'error';
  return !succeeded && head.startsWith('Command failed: Command was aborted') ? 'cancelled' : 'error';
}
