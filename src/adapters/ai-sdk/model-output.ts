import { shownPart } from '../../core/shown-output.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall, HostResult } from '../run.ts';
import type { Session } from './session.ts';
import type { ToModelOutput } from './shapes.ts';

/** What came of a call, as the model reads it. It is made once: the SDK gets the same when it asks for it. */
export async function readResult(
  { read }: Session,
  { id = '', args }: HostCall,
  output: unknown,
  toModelOutput: ToModelOutput,
): Promise<HostResult> {
  try {
    const given = await toModelOutput({ toolCallId: id, input: args, output });
    read.set(id, { output, given });
    return isFailure(output) ? { ...resultOf(given), status: 'error' } : resultOf(given);
  } catch (error) {
    // The SDK hears of it when it asks for it.
    read.set(id, { output, error });
    return rawResult(output);
  }
}

/** The same function, which does not do again what was done for `readResult`. */
export function readOnce({ read }: Session, toModelOutput: ToModelOutput): ToModelOutput {
  return (result) => {
    const known = read.get(result.toolCallId);
    if (known === undefined || known.output !== result.output) return toModelOutput(result);
    read.delete(result.toolCallId);
    if ('error' in known) throw known.error;
    return known.given;
  };
}

/** A result as it stands in the messages. */
export function resultOf(given: unknown): HostResult {
  const { type, value } = fieldsOf(given);
  if (type === 'execution-denied') return { output: '', status: 'denied' };
  if (type === 'json') return rawResult(value);
  const output = type === 'content' ? contentOf(value) : value;
  return { output, status: String(type).startsWith('error') ? 'error' : 'ok' };
}

function contentOf(value: unknown): unknown {
  const parts = Array.isArray(value) ? value.map(readPart) : value;
  return textIn(parts) ?? parts;
}

/** What else an MCP server may give: the SDK's client writes it as JSON in a text. */
const WRITTEN = /^\{"type":"(?:audio|resource)"/;

function readPart(part: unknown): unknown {
  if (!isText(part) || !WRITTEN.test(part.text)) return part;
  try {
    const written: unknown = JSON.parse(part.text);
    const shown = shownPart(written);
    return shown === written ? part : shown;
  } catch {
    return part;
  }
}

/** A result as a tool gave it: what a tool of an MCP server says is the text inside. */
export function rawResult(output: unknown): HostResult {
  return { output: mcpText(output) ?? output, status: isFailure(output) ? 'error' : 'ok' };
}

/** A tool of an MCP server does not throw: it says inside of its result that it failed. */
function isFailure(output: unknown): boolean {
  return fieldsOf(output)['isError'] === true;
}

/** What such a result has beside its content, and says nothing more. */
const ENVELOPE: readonly string[] = ['content', 'isError', '_meta'];

/** Null = it is no such result, or there is more in it than text. */
function mcpText(output: unknown): string | null {
  const { content } = fieldsOf(output);
  if (!Array.isArray(content)) return null;
  return Object.keys(fieldsOf(output)).every((name) => ENVELOPE.includes(name)) ? textIn(content) : null;
}

/** The text of parts that are nothing else. */
function textIn(parts: unknown): string | null {
  if (!Array.isArray(parts) || parts.length === 0) return null;
  return parts.every(isText) ? parts.map(({ text }) => text).join('\n') : null;
}

function isText(part: unknown): part is { readonly text: string } {
  const { type, text } = fieldsOf(part);
  return type === 'text' && typeof text === 'string';
}
