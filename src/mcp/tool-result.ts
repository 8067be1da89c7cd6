import { shownPart } from '../core/shown-output.ts';
import type { Status } from '../core/types.ts';
import { fieldsOf } from './fields.ts';

/** What a tool call came to, as the guard takes it in: `output` is what the model sees. */
export type ToolOutcome = { readonly output: string; readonly status: Status };

const INVALID_PARAMS = -32602;
/** How the official servers tell such an error within a result. */
const INVALID_PARAMS_TEXT = /^(?:MCP error -32602: |Input validation error: )/;
const UNKNOWN_TOOL = /^(?:MCP error -32602: )?(?:unknown tool\b|tool .{1,200} not found)/i;

/** The outcome of a `CallToolResult`. */
export function outcomeOfResult(result: unknown): ToolOutcome {
  const { content, structuredContent, isError } = fieldsOf(result);
  const blocks = Array.isArray(content) ? content.map(textOfBlock) : [];
  const output =
    blocks.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : blocks.join('\n');
  if (isError !== true) return { output, status: 'ok' };
  if (UNKNOWN_TOOL.test(output)) return { output, status: 'unknown-tool' };
  return { output, status: INVALID_PARAMS_TEXT.test(output) ? 'invalid' : 'error' };
}

/** The outcome of a JSON-RPC error. */
export function outcomeOfError(error: unknown): ToolOutcome {
  const { code, message } = fieldsOf(error);
  const output = typeof message === 'string' ? message : '';
  if (code !== INVALID_PARAMS) return { output, status: 'error' };
  return { output, status: UNKNOWN_TOOL.test(output) ? 'unknown-tool' : 'invalid' };
}

/** Pictures and files by the words that the core has for them. */
function textOfBlock(block: unknown): string {
  const shown = fieldsOf(shownPart(block));
  const { type, text, data, mimeType, uri } = shown;
  if (type === 'text' && typeof text === 'string') return text;
  if (typeof data === 'string') return `${type} ${mimeType}: ${data}`;
  if (type !== 'resource') return `${type} ${uri ?? JSON.stringify(shown)}`;
  const resource = fieldsOf(shown['resource']);
  return `resource ${resource['uri']}: ${resource['text'] ?? resource['blob']}`;
}
